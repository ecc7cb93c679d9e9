/** The categories of the timeline and how their entries read: the one table of them (API 14.8). */

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
  /** The feeds beside the CVE list that bring such changes; empty where the source of a change tells. */
  feeds: readonly string[]
  /** Title of an entry that only says that something of this category changed. */
  title: string
  /** `change_type` of the group header, and of each message below it. */
  group: string
  change: string
}

/** In the order in which entries of one moment are shown. */
export const CATEGORIES: readonly CategoryRow[] = [
  row('publication', 'CVE record updated', 'CVE_GROUP', 'CVE_MODIFIED'),
  row('kev', 'KEV listing changed', 'KEV_GROUP', 'KEV_MODIFIED', 'kev'),
  row('ssvc', 'SSVC assessment changed', 'SSVC_GROUP', 'SSVC_MODIFIED'),
  row('cvss', 'CVSS changed', 'CVSS_GROUP', 'CVSS_MODIFIED'),
  row('weakness', 'Weaknesses changed', 'CWE_GROUP', 'CWE_MODIFIED'),
  row('description', 'Description changed', 'DESCRIPTION_GROUP', 'DESCRIPTION_MODIFIED'),
  row('affected_versions', 'Affected versions changed', 'AFFECTED_GROUP', 'AFFECTED_MODIFIED'),
  row('references', 'References changed', 'REFERENCES_GROUP', 'REFERENCE_MODIFIED'),
  row('exploits', 'Exploit modules changed', 'EXPLOIT_GROUP', 'EXPLOIT_MODIFIED', 'metasploit', 'exploitdb'),
  row('evidence', 'Evidence changed', 'EVIDENCE_GROUP', 'EVIDENCE_MODIFIED', 'nuclei', 'detections', 'poc'),
  row('nvd', 'NVD analysis changed', 'NVD_GROUP', 'NVD_MODIFIED', 'nvd'),
  row('advisory', 'Advisories changed', 'ADVISORY_GROUP', 'ADVISORY_MODIFIED', 'ghsa', 'osv'),
  row('svc_report', 'Reports changed', 'SVC_GROUP', 'SVC_REPORT', 'reports'),
  row('svc_metrics_analysis', 'Service score changed', 'SVC_GROUP', 'SVC_METRICS_ANALYSIS', 'service-scores'),
  row('svc_analysis', 'Analysis changed', 'SVC_GROUP', 'SVC_ANALYSIS', 'analyses'),
]

function row(
  category: TimelineCategory,
  title: string,
  group: string,
  change: string,
  ...feeds: readonly string[]
): CategoryRow {
  return { category, title, group, change, feeds }
}

/** The feed of each source that states changes of several categories. */
export const FEED_OF_SOURCE: ReadonlyMap<string, string> = new Map([
  ['nvd', 'nvd'],
  ['advisory', 'ghsa'],
  ['osv', 'osv'],
  ['svc_metrics', 'service-scores'],
  ['exploit_framework', 'metasploit'],
  ['exploit_archive', 'exploitdb'],
  ['template_scanner', 'nuclei'],
  ['code_host_poc_search', 'poc'],
])

/** Changes of single fields that give an entry a title of its own: `[path, new value, title]`; the first that fits. */
export const TITLES: readonly (readonly [path: string, newValue: string | null, title: string])[] = [
  ['$.state', 'PUBLISHED', 'CVE published'],
  ['$.kev.listed', 'true', 'Added to the KEV catalogue'],
  ['$.kev.listed', 'false', 'Removed from the KEV catalogue'],
  ['$.ssvc.exploitation', 'active', 'SSVC: actively exploited'],
  ['$.ssvc.exploitation', 'poc', 'SSVC: proof of concept is public'],
]

/** What an entry is called where all of its changes are of one kind: `[paths, title]`; the first that fits. */
export const TITLES_OF_ALL: readonly (readonly [paths: RegExp, title: string])[] = [
  [/^\$\.date_published$/, 'Date of publication changed'],
  [/^\$\.title$/, 'Title changed'],
  [/^\$\.has_workaround$/, 'Workaround changed'],
  [/^\$\.affected\[\d+\]\.(?:cpes|platforms)$/, 'Affected platforms changed'],
]
