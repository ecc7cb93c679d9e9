/** The fields of a record's core in the timeline: name, category and source. */

import type { CveCore } from '../record.ts'
import type { FieldChange } from './difference.ts'
import type { TimelineCategory } from './timeline-table.ts'

/** Path, name and category of a field. */
export type Field = Pick<FieldChange, 'category' | 'provider' | 'item' | 'path' | 'subject'>

export interface CoreField extends Omit<Field, 'provider'> {
  /** Returns the source of the new value, or of the old value if the new one is missing. */
  provider(after: CveCore, before: CveCore): string | null
  read(core: CveCore): unknown
}

/** A field that only the CVE record states. */
function ownField(name: keyof CveCore, subject: string): CoreField {
  return field(
    `$.${name}`,
    subject,
    'publication',
    () => 'cna',
    (core) => core[name],
  )
}

/** A field with several possible sources. The core does not identify the source (attribution.ts). */
function sharedField(name: keyof CveCore, subject: string, category: TimelineCategory): CoreField {
  return field(
    `$.${name}`,
    subject,
    category,
    () => null,
    (core) => core[name],
  )
}

/** The headline fields change together, because one metric backs all of them (rule 18). */
function headlineField(name: 'severity' | 'cvss_score' | 'cvss_score_source', subject: string): CoreField {
  const provider = (after: CveCore, before: CveCore) => after.cvss_score_source ?? before.cvss_score_source
  return { ...field(`$.${name}`, subject, 'cvss', provider, (core) => core[name]), item: 'headline' }
}

function kevField(name: keyof CveCore['kev'], subject: string): CoreField {
  return field(
    `$.kev.${name}`,
    subject,
    'kev',
    () => 'agency_kev',
    ({ kev }) => kev[name],
  )
}

function ssvcField(name: keyof CveCore['ssvc'], subject: string): CoreField {
  return field(
    `$.ssvc.${name}`,
    subject,
    'ssvc',
    () => 'agency_adp',
    ({ ssvc }) => ssvc[name],
  )
}

function field(
  path: string,
  subject: string,
  category: TimelineCategory,
  provider: CoreField['provider'],
  read: CoreField['read'],
): CoreField {
  return { path, subject, category, provider, read, item: path }
}

export const CORE_FIELDS: readonly CoreField[] = [
  ownField('state', 'State'),
  ownField('date_published', 'Date of publication'),
  ownField('assigner', 'Assigner'),
  kevField('listed', 'Listed in KEV'),
  kevField('date_added', 'Added to KEV on'),
  ssvcField('exploitation', 'SSVC exploitation'),
  ssvcField('automatable', 'SSVC automatable'),
  ssvcField('technical_impact', 'SSVC technical impact'),
  ssvcField('decision', 'SSVC decision'),
  headlineField('severity', 'Severity'),
  headlineField('cvss_score', 'CVSS score'),
  headlineField('cvss_score_source', 'Source of the CVSS score'),
  sharedField('primary_cwe_id', 'Primary weakness', 'weakness'),
  sharedField('title', 'Title', 'description'),
  sharedField('description', 'Description', 'description'),
  sharedField('has_workaround', 'Workaround known', 'description'),
]

export const UPDATED = ownField('date_updated', 'Record updated')

/** These flags are derived from evidence and references, which have entries of their own. */
export const FLAGS: readonly CoreField[] = [
  sharedField('has_patch', 'Patch known', 'evidence'),
  sharedField('has_exploit', 'Exploit known', 'evidence'),
  sharedField('has_detection', 'Detection known', 'evidence'),
  sharedField('detection_layers', 'Layers of detection', 'evidence'),
]
