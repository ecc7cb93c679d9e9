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
  /** Title of an entry that only says that something of this category changed. */
  title: string
  /** `change_type` of the group header, and of each message below it. */
  group: string
  change: string
}

/** In the order in which entries of one moment are shown. */
export const CATEGORIES: readonly CategoryRow[] = [
  { category: 'publication', title: 'CVE record updated', group: 'CVE_GROUP', change: 'CVE_MODIFIED' },
  { category: 'kev', title: 'KEV listing changed', group: 'KEV_GROUP', change: 'KEV_MODIFIED' },
  { category: 'ssvc', title: 'SSVC assessment changed', group: 'SSVC_GROUP', change: 'SSVC_MODIFIED' },
  { category: 'cvss', title: 'CVSS changed', group: 'CVSS_GROUP', change: 'CVSS_MODIFIED' },
  { category: 'weakness', title: 'Weaknesses changed', group: 'CWE_GROUP', change: 'CWE_MODIFIED' },
  { category: 'description', title: 'Description changed', group: 'DESCRIPTION_GROUP', change: 'DESCRIPTION_MODIFIED' },
  {
    category: 'affected_versions',
    title: 'Affected versions changed',
    group: 'AFFECTED_GROUP',
    change: 'AFFECTED_MODIFIED',
  },
  { category: 'references', title: 'References changed', group: 'REFERENCES_GROUP', change: 'REFERENCE_MODIFIED' },
  { category: 'exploits', title: 'Exploit modules changed', group: 'EXPLOIT_GROUP', change: 'EXPLOIT_MODIFIED' },
  { category: 'evidence', title: 'Evidence changed', group: 'EVIDENCE_GROUP', change: 'EVIDENCE_MODIFIED' },
  { category: 'nvd', title: 'NVD analysis changed', group: 'NVD_GROUP', change: 'NVD_MODIFIED' },
  { category: 'advisory', title: 'Advisories changed', group: 'ADVISORY_GROUP', change: 'ADVISORY_MODIFIED' },
  { category: 'svc_report', title: 'Reports changed', group: 'SVC_GROUP', change: 'SVC_REPORT' },
  {
    category: 'svc_metrics_analysis',
    title: 'Service score changed',
    group: 'SVC_GROUP',
    change: 'SVC_METRICS_ANALYSIS',
  },
  { category: 'svc_analysis', title: 'Analysis changed', group: 'SVC_GROUP', change: 'SVC_ANALYSIS' },
]

/** Changes of single fields that give an entry a title of its own: `[path, new value, title]`. */
export const TITLES: readonly (readonly [path: string, newValue: string | null, title: string])[] = [
  ['$.state', 'PUBLISHED', 'CVE published'],
  ['$.kev.listed', 'true', 'Added to the KEV catalogue'],
  ['$.kev.listed', 'false', 'Removed from the KEV catalogue'],
]
