/** The resources of the API, in the order in which its description shows them. */
import type { Tag } from './model.ts'

/** `segments`: first path segments of the resource. */
const RESOURCES: readonly (Tag & { segments: readonly string[] })[] = [
  {
    name: 'CVEs',
    segments: ['cves', 'rejected'],
    description: 'CVE records: lists with filters, single records, parts of a record, and rejected CVEs',
  },
  { name: 'CWEs', segments: ['cwes'], description: 'CWE catalog of weaknesses, and the CVEs of each weakness' },
  { name: 'CAPECs', segments: ['capecs'], description: 'CAPEC catalog of attack patterns' },
  {
    name: 'Vendors and products',
    segments: ['vendors', 'products'],
    description: 'Vendors and their products, ranked by number of CVEs',
  },
  {
    name: 'CNAs',
    segments: ['cnas'],
    description: 'CVE numbering authorities: directory, statistics and CVEs',
  },
  {
    name: 'Exploits',
    segments: ['exploits'],
    description: 'Metadata of exploit modules in Exploit-DB and Metasploit, without their code',
  },
  { name: 'KEV', segments: ['kev'], description: 'Catalogs of exploited vulnerabilities: entries with their CVEs' },
  {
    name: 'Packages',
    segments: ['affected', 'packages', 'advisories'],
    description: 'Advisories that affect a package and version, packages, and advisories in the OSV schema',
  },
  { name: 'Reports', segments: ['reports'], description: 'Types of reports on CVEs' },
  {
    name: 'Search',
    segments: ['search'],
    description: 'Search in ids, names and titles, and suggestions for a partial query',
  },
  {
    name: 'Service',
    segments: ['snapshot', 'snapshots', 'stats', 'changes', 'openapi.json'],
    description: 'Snapshots, their figures, changes between snapshots, and this description',
  },
]

/** Returns the tag of a route. Throws for a path without a resource. */
export function tagOf(path: string): string {
  const segment = path.split('/')[1] ?? ''
  const resource = RESOURCES.find(({ segments }) => segments.includes(segment))
  if (resource === undefined) throw new TypeError(`no tag for /${segment}`)
  return resource.name
}

/** Returns the tags of `paths`, each once. */
export function tagsOf(paths: readonly string[]): Tag[] {
  const used = new Set(paths.map(tagOf))
  return RESOURCES.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
