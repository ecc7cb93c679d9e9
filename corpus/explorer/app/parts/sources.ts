/** The names of sources, as pages show them. */

const SOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    svc: 'this service',
    svc_metrics: 'this service',
    svc_analysis: 'this service',
    cna: 'CNA',
    adp: 'ADP',
    nvd: 'NVD',
    advisory: 'GitHub advisory',
    osv: 'OSV',
    agency_kev: 'CISA KEV',
    agency_adp: 'CISA ADP',
    exploit_archive: 'Exploit-DB',
    exploit_framework: 'Metasploit',
    template_scanner: 'Nuclei templates',
    git_ref: 'reference',
    code_host_poc_search: 'PoC search on GitHub',
    record: 'CVE record',
    enrichment: 'other feeds',
  }),
)

/** The name of a catalog of exploited vulnerabilities. */
export const catalogName = (catalog: string): string => CATALOGS.get(catalog) ?? catalog

const CATALOGS: ReadonlyMap<string, string> = new Map([
  ['cisa', 'CISA KEV'],
  ['vulncheck', 'VulnCheck KEV'],
  ['euvd', 'EUVD KEV'],
])

/** The name of a source. The short name of an ADP stays as it is. */
export const sourceName = (source: string): string => SOURCES.get(source) ?? source
