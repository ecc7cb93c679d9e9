/** The bodies of answers as schemas: what `/openapi.json` shows, and what tests hold every answer against. */
import { z } from 'zod'

const timestamp = z.iso.datetime()
const day = z.iso.date()
const count = z.int().nonnegative()
const cveId = z.string().regex(/^CVE-\d{4}-\d{4,19}$/)
const cweSlug = z.string().regex(/^cwe-\d+$/)

const severity = z.enum(['critical', 'high', 'medium', 'low', 'none'])

const summary = z.strictObject({
  cve_id: cveId,
  state: z.enum(['PUBLISHED', 'RESERVED']),
  title: z.string().nullable(),
  description: z.string().nullable(),
  severity: severity.nullable(),
  cvss_score: z.number().min(0).max(10).nullable(),
  cvss_score_source: z.string().nullable(),
  date_published: timestamp.nullable(),
  date_updated: timestamp.nullable(),
  assigner: z.string().nullable(),
  kev: z.strictObject({ listed: z.boolean(), date_added: day.nullable() }),
  ssvc: z.strictObject({
    exploitation: z.enum(['none', 'poc', 'active']).nullable(),
    automatable: z.enum(['yes', 'no']).nullable(),
    technical_impact: z.enum(['partial', 'total']).nullable(),
    decision: z.enum(['track', 'track*', 'attend', 'act']).nullable(),
  }),
  epss: z.strictObject({
    score: z.number().min(0).max(1).nullable(),
    percentile: z.number().min(0).max(1).nullable(),
    date: day.nullable(),
  }),
  has_patch: z.boolean(),
  has_workaround: z.boolean(),
  has_exploit: z.boolean(),
  has_detection: z.boolean(),
  detection_layers: z.array(z.string()),
  primary_cwe_id: cweSlug.nullable(),
})

const pagination = z.strictObject({
  limit: z.int().min(1).max(100),
  next_cursor: z.string().max(512).nullable(),
})

export const cvePage = z.strictObject({ data: z.array(summary), pagination })

const cvss = z.strictObject({
  metrics: z.array(
    z.strictObject({
      source_type: z.enum(['svc', 'cna', 'adp', 'nvd', 'advisory']),
      source_short_name: z.string(),
      cvss_version: z.enum(['2.0', '3.0', '3.1', '4.0']),
      base_score: z.number().min(0).max(10),
      base_severity: z.string().regex(/^[A-Z]+$/),
      vector_string: z.string(),
      is_primary: z.boolean(),
      captured_at: timestamp,
    }),
  ),
  svc_assessment: z
    .strictObject({
      base_score: z.number(),
      base_severity: z.string(),
      vector_string: z.string(),
      rescore_timestamp: timestamp,
    })
    .nullable(),
})

const epssDetail = z.strictObject({
  current: z
    .strictObject({
      date: day,
      epss_score: z.number().min(0).max(1),
      percentile: z.number().min(0).max(1),
      model_version: z.string(),
    })
    .nullable(),
})

const texts = z.array(z.string())
const text = z.string().nullable()

const affected = z.array(
  z.strictObject({
    source: z.enum(['cna', 'adp', 'advisory', 'osv', 'nvd', 'svc_analysis']),
    vendor: text,
    product: text,
    package_name: text,
    ecosystem: text,
    platforms: texts.nullable(),
    default_status: text,
    affected_versions: texts.nullable(),
    affected_ranges: z
      .array(
        z.strictObject({
          introduced: text,
          fixed: text,
          version_type: text,
          last_affected: z.string().optional(),
        }),
      )
      .nullable(),
    patched_versions: texts.nullable(),
    cpes: texts.nullable(),
    repo_url: text,
    collection_url: text,
    package_url: text,
    vulnerable_functions: z.null(),
    advisory_severity: z.null(),
    advisory_urgency: z.null(),
    advisory_description: z.null(),
    updated_at: timestamp,
  }),
)

const references = z.array(
  z.strictObject({
    url: z.string(),
    name: text,
    tags: texts,
    sources: z.array(z.enum(['cna', 'adp', 'nvd', 'advisory', 'osv'])),
  }),
)

const exploits = z.array(
  z.strictObject({
    source: z.enum(['exploit_archive', 'exploit_framework']),
    source_id: z.string(),
    name: text,
    description: text,
    authors: texts.nullable(),
    platform: texts.nullable(),
    date_published: day.nullable(),
    source_url: text,
    module_type: text,
    module_class: text,
    verified: z.boolean().nullable(),
    exploit_rank: text,
  }),
)

const evidence = z.array(
  z.strictObject({
    type: z.enum(['exploitation', 'detection', 'mitigation']),
    source: z.string(),
    evidence_type: z.string(),
    confidence: z.enum(['confirmed', 'high', 'medium', 'low']).nullable(),
    evidence_url: text,
    maturity_rank: z.int().nullable(),
    fixed_version: text,
    ecosystem: text,
    product: text,
    explanation: text,
    first_seen: timestamp.nullable(),
    last_seen: timestamp.nullable(),
  }),
)

const timeline = z.array(
  z.strictObject({
    title: z.string(),
    category: text,
    version_from: z.int().positive(),
    version_to: z.int().positive(),
    changed_at: timestamp.nullable(),
    added_count: count,
    modified_count: count,
    removed_count: count,
    messages: z
      .array(
        z.strictObject({
          summary: z.string(),
          category: z.string(),
          provider: z.string(),
          json_path: z.string(),
          old_value: text,
          new_value: text,
          operation: z.string(),
          change_type: z.string(),
        }),
      )
      .optional(),
  }),
)

const analysis = z
  .strictObject({
    summary: text,
    root_cause: text,
    impact: text,
    attack_vector: text,
    remediation: text,
    weaknesses: texts,
    model: text,
    generated_at: timestamp.nullable(),
  })
  .nullable()

/** `fields` keeps some of the core, `include` adds sections: only `cve_id` is always there. */
export const cveDetail = summary.partial().required({ cve_id: true }).extend({
  cvss: cvss.optional(),
  epss_detail: epssDetail.optional(),
  affected: affected.optional(),
  references: references.optional(),
  exploits: exploits.optional(),
  evidence: evidence.optional(),
  timeline: timeline.optional(),
  analysis: analysis.optional(),
})

export const cveCvss = cvss.extend({ cve_id: cveId })
export const cveEpss = epssDetail.extend({ cve_id: cveId })
export const cveAffected = z.strictObject({ cve_id: cveId, count, entries: affected })
export const cveReferences = z.strictObject({ cve_id: cveId, count, references })

export const snapshot = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: timestamp,
  parent: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  counts: z.strictObject({
    cves: count,
    cwes: count,
    capecs: count,
    cnas: count,
    vendors: count,
    products: count,
    exploits: count,
    advisories: count,
    reports: count,
  }),
  feeds: z.record(
    z.string(),
    z.strictObject({
      version: text,
      updated_at: text,
      records: count,
      licence: z.string(),
      attribution: z.string(),
    }),
  ),
  epss_date: day.nullable(),
})
