/** The categories of the timeline and how their entries read: the one table of them (api.md, "Timeline entry"). */

export type TimelineCategory =
  | 'publication'
  | 'kev'
  | 'ssvc'
  | 'cvss'
  | 'weakness'
  | 'description'
  | 'affected_versions'
  | 'references'
  | 'exploits'
  | 'evidence'
  | 'nvd'
  | 'advisory'
  | 'svc_report'
  | 'svc_metrics_analysis'
  | 'svc_analysis'

export interface CategoryRow {
  category: TimelineCategory
  /** Whether only feeds beside the CVE list bring it: enrichment, which spans no versions of the record (api.md). */
  enrichment: boolean
  /** Title of an entry that only says that something of this category changed. */
  title: string
  /** `change_type` of the group header, and of each message below it. */
  group: string
  change: string
}

const [RECORD, ENRICHMENT] = [false, true]

/** In the order in which entries of one moment are shown. */
export const CATEGORIES: readonly CategoryRow[] = [
  row('publication', RECORD, 'CVE record updated', 'CVE_GROUP', 'CVE_MODIFIED'),
  row('kev', ENRICHMENT, 'KEV listing changed', 'KEV_GROUP', 'KEV_MODIFIED'),
  row('ssvc', RECORD, 'SSVC assessment changed', 'SSVC_GROUP', 'SSVC_MODIFIED'),
  row('cvss', RECORD, 'CVSS changed', 'CVSS_GROUP', 'CVSS_MODIFIED'),
  row('weakness', RECORD, 'Weaknesses changed', 'CWE_GROUP', 'CWE_MODIFIED'),
  row('description', RECORD, 'Description changed', 'DESCRIPTION_GROUP', 'DESCRIPTION_MODIFIED'),
  row('affected_versions', RECORD, 'Affected versions changed', 'AFFECTED_GROUP', 'AFFECTED_MODIFIED'),
  row('references', RECORD, 'References changed', 'REFERENCES_GROUP', 'REFERENCE_MODIFIED'),
  row('exploits', ENRICHMENT, 'Exploit modules changed', 'EXPLOIT_GROUP', 'EXPLOIT_MODIFIED'),
  row('evidence', ENRICHMENT, 'Evidence changed', 'EVIDENCE_GROUP', 'EVIDENCE_MODIFIED'),
  row('nvd', ENRICHMENT, 'NVD analysis changed', 'NVD_GROUP', 'NVD_MODIFIED'),
  row('advisory', ENRICHMENT, 'Advisories changed', 'ADVISORY_GROUP', 'ADVISORY_MODIFIED'),
  row('svc_report', ENRICHMENT, 'Reports changed', 'SVC_GROUP', 'SVC_REPORT'),
  row('svc_metrics_analysis', ENRICHMENT, 'Service score changed', 'SVC_GROUP', 'SVC_METRICS_ANALYSIS'),
  row('svc_analysis', ENRICHMENT, 'Analysis changed', 'SVC_GROUP', 'SVC_ANALYSIS'),
]

function row(
  category: TimelineCategory,
  enrichment: boolean,
  title: string,
  group: string,
  change: string,
): CategoryRow {
  return { category, enrichment, title, group, change }
}

/** Changes of single fields that give an entry a title of its own: `[path, new value, title]`. */
export const TITLES: readonly (readonly [path: string, newValue: string | null, title: string])[] = [
  ['$.state', 'PUBLISHED', 'CVE published'],
  ['$.kev.listed', 'true', 'Added to the KEV catalogue'],
  ['$.kev.listed', 'false', 'Removed from the KEV catalogue'],
]
