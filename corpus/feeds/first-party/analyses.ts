/** The operator's analyses of CVEs, with affected products. */
import type { z } from 'zod'
import type { AnalysisClaim } from '../../model/claim.ts'
import type { AffectedEntry, AffectedRange } from '../../model/record.ts'
import { cveId, cweId, fields, listOf, oneOf, someFields, text, time, url } from './fields.ts'
import type { LineFormat } from './lines.ts'

const range = fields({
  introduced: text.optional(),
  fixed: text.optional(),
  last_affected: text.optional(),
  version_type: text.optional(),
})
  .refine((one) => one.introduced ?? one.fixed ?? one.last_affected, {
    error: 'has no bound: it takes introduced, fixed or last_affected',
  })
  .refine(({ fixed, last_affected }) => fixed === undefined || last_affected === undefined, {
    error: 'takes fixed or last_affected, not both',
  })

/** An affected entry as in the API, without the fields that follow from its context. */
const affected = fields({
  vendor: text.optional(),
  product: text.optional(),
  package_name: text.optional(),
  ecosystem: text.optional(),
  platforms: listOf(text),
  default_status: oneOf('affected', 'unaffected', 'unknown').optional(),
  affected_versions: listOf(text),
  affected_ranges: listOf(range),
  patched_versions: listOf(text),
  cpes: listOf(text),
  repo_url: url.optional(),
  collection_url: url.optional(),
  package_url: text.optional(),
})

const identity = someFields({ cve_id: cveId })

const schema = fields({
  cve_id: cveId,
  summary: text.optional(),
  root_cause: text.optional(),
  impact: text.optional(),
  attack_vector: text.optional(),
  remediation: text.optional(),
  weaknesses: listOf(cweId),
  model: text.optional(),
  generated_at: time,
  affected: listOf(affected),
})

export const ANALYSES: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  keyOf: ({ cve_id }) => cve_id,
  claimOf(line) {
    const claim: AnalysisClaim = {
      analysis: {
        summary: line.summary ?? null,
        root_cause: line.root_cause ?? null,
        impact: line.impact ?? null,
        attack_vector: line.attack_vector ?? null,
        remediation: line.remediation ?? null,
        weaknesses: [...new Set(line.weaknesses)],
        model: line.model ?? null,
        generated_at: line.generated_at,
      },
      affected: (line.affected ?? []).map((entry) => affectedEntry(entry, line.generated_at)),
    }
    return { cveIds: [line.cve_id], statedAt: line.generated_at, claim, notes: [] }
  },
}

function affectedEntry(entry: z.output<typeof affected>, generatedAt: string): AffectedEntry {
  return {
    source: 'svc_analysis',
    vendor: named(entry.vendor),
    product: named(entry.product),
    package_name: entry.package_name ?? null,
    ecosystem: entry.ecosystem ?? null,
    platforms: entry.platforms,
    default_status: entry.default_status ?? null,
    affected_versions: entry.affected_versions,
    affected_ranges: entry.affected_ranges?.map(affectedRange) ?? null,
    patched_versions: entry.patched_versions,
    cpes: entry.cpes,
    repo_url: entry.repo_url ?? null,
    collection_url: entry.collection_url ?? null,
    package_url: entry.package_url ?? null,
    vulnerable_functions: null,
    advisory_severity: null,
    advisory_urgency: null,
    advisory_description: null,
    updated_at: generatedAt,
  }
}

/** Vendor or product `n/a` is null (rule 24). */
function named(name: string | undefined): string | null {
  return name === undefined || name.toLowerCase() === 'n/a' ? null : name
}

/** A range without a start begins with the first version (rule 24). */
function affectedRange({
  introduced = '0',
  fixed,
  last_affected,
  version_type,
}: z.output<typeof range>): AffectedRange {
  const bounds = { introduced, fixed: fixed ?? null, version_type: version_type ?? null }
  return last_affected === undefined ? bounds : { ...bounds, last_affected }
}
