/** The fields of a record's core in the timeline: name, category and source. */

import type { CveCore, Ssvc } from '../record.ts'
import type { ClaimSource } from '../sources.ts'
import type { FieldChange } from './difference.ts'
import type { TimelineCategory } from './timeline-table.ts'

/** Path, name and category of a field. */
export type Field = Pick<FieldChange, 'category' | 'provider' | 'item' | 'path' | 'subject'>

export interface CoreField extends Omit<Field, 'provider'> {
  /** Returns the source of the new value, or of the old value if the new one is missing. */
  provider(after: CveCore, before: CveCore): string | null
  read(core: CveCore): unknown
}

type FieldName =
  | Exclude<keyof CveCore, 'cve_id' | 'kev' | 'ssvc'>
  | `kev.${keyof CveCore['kev']}`
  | `ssvc.${keyof Ssvc}`

type Row = [subject: string, category: TimelineCategory, provider: CoreField['provider']]

/** Only the CVE record states these fields. */
const ofCna = (subject: string): Row => [subject, 'publication', () => 'cna']
const ofKev = (subject: string): Row => [subject, 'kev', () => 'agency_kev']
const ofSsvc = (subject: string): Row => [subject, 'ssvc', () => 'adp']
/** The source of a headline score. Other names are those of ADPs (rule 18). */
const SCORERS: Record<string, ClaimSource> = { svc_metrics: 'svc', cna: 'cna', nvd: 'nvd', advisory: 'advisory' }
const scorer = (source: string | null) => source && (SCORERS[source] ?? 'adp')

const ofHeadline = (subject: string): Row => [
  subject,
  'cvss',
  (after, before) => scorer(after.cvss_score_source ?? before.cvss_score_source),
]
/** Several sources may state these fields. The core does not identify the source (attribution.ts). */
const shared = (subject: string, category: TimelineCategory): Row => [subject, category, () => null]

/** In the order of the timeline. */
const ROWS: Record<FieldName, Row> = {
  state: ofCna('State'),
  date_published: ofCna('Date of publication'),
  assigner: ofCna('Assigner'),
  'kev.listed': ofKev('Listed in KEV'),
  'kev.date_added': ofKev('Added to KEV on'),
  'ssvc.exploitation': ofSsvc('SSVC exploitation'),
  'ssvc.automatable': ofSsvc('SSVC automatable'),
  'ssvc.technical_impact': ofSsvc('SSVC technical impact'),
  'ssvc.decision': ofSsvc('SSVC decision'),
  severity: ofHeadline('Severity'),
  cvss_score: ofHeadline('CVSS score'),
  cvss_score_source: ofHeadline('Source of the CVSS score'),
  primary_cwe_id: shared('Primary weakness', 'weakness'),
  title: shared('Title', 'description'),
  description: shared('Description', 'description'),
  has_workaround: shared('Workaround known', 'description'),
  date_updated: ofCna('Record updated'),
  has_patch: shared('Patch known', 'evidence'),
  has_exploit: shared('Exploit known', 'evidence'),
  has_detection: shared('Detection known', 'evidence'),
  detection_layers: shared('Layers of detection', 'evidence'),
}

const FIELDS = Object.entries(ROWS).map(([name, [subject, category, provider]]): CoreField => {
  const path = `$.${name}`
  const [outer, inner] = name.split('.') as [keyof CveCore, string?]
  const read = (core: CveCore) => (inner ? (core[outer] as Record<string, unknown>)[inner] : core[outer])
  // The headline fields change together, because one metric backs all of them (rule 18).
  return { path, subject, category, provider, read, item: category === 'cvss' ? 'headline' : path }
})

export const UPDATED = FIELDS.find(({ path }) => path === '$.date_updated')!

/** These flags are derived from evidence and references, which have entries of their own. */
export const FLAGS = FIELDS.filter(({ category }) => category === 'evidence')

export const CORE_FIELDS = FIELDS.filter((field) => field !== UPDATED && !FLAGS.includes(field))
