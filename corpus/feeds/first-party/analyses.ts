/** The operator's analyses of CVEs, with affected products. */
import type { z } from 'zod'
import type { AnalysisClaim } from '../../model/claim.ts'
import type { AffectedEntry, AffectedRange, Analysis } from '../../model/record.ts'
import { cveId, cweId, fields, listOf, oneOf, orNull, someFields, text, time, url } from './fields.ts'
import type { LineFormat } from './lines.ts'

const range = fields({
  introduced: text.optional(),
  fixed: text.optional(),
  last_affected: text.optional(),
  version_type: text.optional(),
} satisfies Record<keyof AffectedRange, z.ZodType>)
  .refine((one) => one.introduced ?? one.fixed ?? one.last_affected, {
    error: 'has no bound; add introduced, fixed or last_affected',
  })
  .refine(({ fixed, last_affected }) => fixed === undefined || last_affected === undefined, {
    error: 'must have fixed or last_affected, not both',
  })
  .transform(({ introduced = '0', fixed = null, last_affected, version_type = null }): AffectedRange => {
    // A range without a start begins with the first version (rule 24).
    const bounds = { introduced, fixed, version_type }
    return last_affected === undefined ? bounds : { ...bounds, last_affected }
  })

/** A vendor or product; `n/a` is null (rule 24). */
const name = orNull(text).transform((stated) => (stated?.toLowerCase() === 'n/a' ? null : stated))

/** Fields of an affected entry that only other sources state. */
const NOT_STATED = {
  vulnerable_functions: null,
  advisory_severity: null,
  advisory_urgency: null,
  advisory_description: null,
} satisfies Partial<AffectedEntry>

/** An affected entry as in the API, without the fields that follow from its context. */
const affected = fields({
  vendor: name,
  product: name,
  package_name: orNull(text),
  ecosystem: orNull(text),
  platforms: listOf(text),
  default_status: orNull(oneOf('affected', 'unaffected', 'unknown')),
  affected_versions: listOf(text),
  affected_ranges: listOf(range),
  patched_versions: listOf(text),
  cpes: listOf(text),
  repo_url: orNull(url),
  collection_url: orNull(url),
  package_url: orNull(text),
} satisfies Record<Exclude<keyof AffectedEntry, 'source' | 'updated_at' | keyof typeof NOT_STATED>, z.ZodType>)

const identity = someFields({ cve_id: cveId })

const analysis = {
  summary: orNull(text),
  root_cause: orNull(text),
  impact: orNull(text),
  attack_vector: orNull(text),
  remediation: orNull(text),
  weaknesses: listOf(cweId).transform((weaknesses) => [...new Set(weaknesses)]),
  model: orNull(text),
  generated_at: time,
} satisfies Record<keyof Analysis, z.ZodType>

const schema = fields({ cve_id: cveId, ...analysis, affected: listOf(affected) })

export const ANALYSES: LineFormat<typeof schema, typeof identity> = {
  adapter: 1,
  schema,
  identity,
  keyOf: ({ cve_id }) => cve_id,
  claimOf({ cve_id, affected, ...analysis }) {
    const updated_at = analysis.generated_at
    const claim: AnalysisClaim = {
      analysis,
      affected: (affected ?? []).map((entry) => ({ source: 'svc_analysis', ...entry, ...NOT_STATED, updated_at })),
    }
    return { cveIds: [cve_id], statedAt: updated_at, claim, notes: [] }
  },
}
