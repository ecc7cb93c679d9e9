/** Compares served records with `upstream-fields.py`, which reads the upstream files, field by field. */
import { isDeepStrictEqual } from 'node:util'
import type { AffectedEntry, CvssSection, EvidenceItem, ExploitModule, Reference } from '../../corpus/model/record.ts'

type Fields = Record<string, unknown>

/** The answer of a record's detail with these sections. */
export interface Detail extends Fields {
  cve_id: string
  cvss: CvssSection
  affected: AffectedEntry[]
  references: Reference[]
  exploits: ExploitModule[]
  evidence: EvidenceItem[]
}

export const SECTIONS = 'cvss,affected,references,exploits,evidence'

/** Fields of the summary that are compared unchanged. */
const PLAIN = [
  'state',
  'description',
  'severity',
  'cvss_score',
  'cvss_score_source',
  'date_published',
  'date_updated',
  'assigner',
  'kev',
  'ssvc',
  'epss',
  'has_workaround',
  'has_exploit',
  'has_detection',
  'primary_cwe_id',
] as const

/** The other fields in the script's format; the script ignores their order. */
const TOLD: Record<string, (detail: Detail, expected: Fields) => unknown> = {
  // Without a title and a name, the title is the beginning of the description (rule 19).
  title: ({ title }, expected) => (expected.title === null ? null : title),
  metrics: ({ cvss }) =>
    cvss.metrics.map((metric) => {
      const scored = metric.source_type === 'advisory' ? [null, null] : [metric.base_score, metric.base_severity]
      const { source_type, source_short_name, cvss_version, vector_string, is_primary, captured_at } = metric
      return [source_type, source_short_name, cvss_version, ...scored, vector_string, is_primary, captured_at]
    }),
  references: ({ references }) => Object.fromEntries(references.map(({ url, sources }) => [url, sources])),
  affected: ({ affected }) => {
    const counts: Record<string, number> = { cna: 0, adp: 0, nvd: 0, advisory: 0, osv: 0 }
    for (const { source } of affected) counts[source] = (counts[source] ?? 0) + 1
    return counts
  },
  evidence: ({ evidence }) =>
    evidence
      .filter(({ type }) => type !== 'mitigation')
      .map(({ source, evidence_type, confidence, maturity_rank, evidence_url }) => {
        const url = source === 'agency_kev' || source === 'agency_adp' ? null : evidence_url
        return [source, evidence_type, confidence, maturity_rank, url]
      }),
  exploits: ({ exploits }) => exploits.map(({ source, source_id }) => [source, source_id]),
}

export const FIELDS = [...PLAIN, ...Object.keys(TOLD)]

/** Lists are compared without regard to order. */
const unordered = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((item) => JSON.stringify(item)).toSorted() : value

/** Returns the records with a served value that differs from the upstream files, with both values. */
export function unequal(field: string, expected: readonly Fields[], served: ReadonlyMap<string, Detail>) {
  return expected.flatMap((record) => {
    const detail = served.get(String(record.cve_id))
    if (!detail) return [{ cve_id: record.cve_id, served: 'not at all', upstream: 'a record' }]
    const value = TOLD[field] ? TOLD[field](detail, record) : detail[field]
    const [ours, theirs] = [unordered(value), unordered(record[field])]
    return isDeepStrictEqual(ours, theirs) ? [] : [{ cve_id: record.cve_id, served: ours, upstream: theirs }]
  })
}
