/** The categories of the timeline and the titles of their entries (API 14.8). */

export type TimelineCategory =
  | 'publication'
  | 'kev'
  | 'ssvc'
  | 'cvss'
  | 'weakness'
  | 'description'
  | 'affected_versions'
  | 'references'
  | 'guidance'
  | 'exploits'
  | 'evidence'
  | 'nvd'
  | 'advisory'
  | 'svc_report'
  | 'svc_metrics_analysis'
  | 'svc_analysis'

export interface CategoryRow {
  category: TimelineCategory
  /** Feeds other than the CVE list that cause such changes. Empty if the source of a change identifies the feed. */
  feeds: readonly string[]
  /** Default title of an entry. */
  title: string
  /** `change_type` of the group header; `change` is that of each message below it. */
  group: string
  change: string
}

/** In the display order of entries with the same time. */
export const CATEGORIES: readonly CategoryRow[] = [
  row('publication', 'CVE record updated', 'CVE_GROUP', 'CVE_MODIFIED'),
  row('kev', 'KEV listing changed', 'KEV_GROUP', 'KEV_MODIFIED', 'kev', 'vulncheck', 'euvd', 'exploited'),
  row('ssvc', 'SSVC assessment changed', 'SSVC_GROUP', 'SSVC_MODIFIED'),
  row('cvss', 'CVSS changed', 'CVSS_GROUP', 'CVSS_MODIFIED'),
  row('weakness', 'Weaknesses changed', 'CWE_GROUP', 'CWE_MODIFIED'),
  row('description', 'Description changed', 'DESCRIPTION_GROUP', 'DESCRIPTION_MODIFIED'),
  row('affected_versions', 'Affected versions changed', 'AFFECTED_GROUP', 'AFFECTED_MODIFIED'),
  row('references', 'References changed', 'REFERENCES_GROUP', 'REFERENCE_MODIFIED'),
  row('guidance', 'Guidance changed', 'GUIDANCE_GROUP', 'GUIDANCE_MODIFIED'),
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

/** The feed of each source that states changes in several categories. */
export const FEED_OF_SOURCE: ReadonlyMap<string, string> = new Map([
  ['agency_kev', 'kev'],
  ['vulncheck', 'vulncheck'],
  ['euvd', 'euvd'],
  ['nvd', 'nvd'],
  ['advisory', 'ghsa'],
  ['osv', 'osv'],
  ['svc', 'service-scores'],
  ['exploit_framework', 'metasploit'],
  ['exploit_archive', 'exploitdb'],
  ['template_scanner', 'nuclei'],
  ['code_host_poc_search', 'poc'],
])

export const PUBLISHED_TITLE = 'CVE published'

/** Titles for changes of single fields: `[path, old value or null for any, new value, title]`. The first match wins. */
export const TITLES: readonly (readonly [path: string, oldValue: string | null, newValue: string, title: string])[] = [
  ['$.state', 'REJECTED', 'PUBLISHED', 'Rejection withdrawn'],
  ['$.state', 'REJECTED', 'RESERVED', 'Rejection withdrawn'],
  ['$.state', 'PUBLISHED', 'RESERVED', 'CVE reserved again'],
  ['$.state', 'PUBLISHED', 'REJECTED', 'CVE rejected'],
  ['$.state', 'RESERVED', 'REJECTED', 'CVE rejected'],
  ['$.state', null, 'PUBLISHED', PUBLISHED_TITLE],
  ['$.kev.listed', null, 'true', 'Added to the KEV catalogue'],
  ['$.kev.listed', null, 'false', 'Removed from the KEV catalogue'],
  ['$.ssvc.exploitation', null, 'active', 'SSVC: actively exploited'],
  ['$.ssvc.exploitation', null, 'poc', 'SSVC: proof of concept is public'],
]

/** Titles for entries in which all changes match: `[paths, title]`. The first match wins. */
export const TITLES_OF_ALL: readonly (readonly [paths: RegExp, title: string])[] = [
  [/^\$\.date_published$/, 'Date of publication changed'],
  [/^\$\.title$/, 'Title changed'],
  [/^\$\.kev_detail\.catalogs\[\d+\]\.ransomware$/, 'Ransomware use in KEV changed'],
  [/^\$\.kev_detail\.catalogs\[\d+\]\.due_date$/, 'KEV due date changed'],
  [/^\$\.(?:has_workaround|guidance\.entries\[\d+\]\.workarounds)$/, 'Workaround changed'],
  [/^\$\.affected\[\d+\]\.(?:cpes|platforms)$/, 'Affected platforms changed'],
]
