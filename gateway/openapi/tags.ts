/** The resources of the API, in the order in which its description shows them. */
import type { Tag } from './model.ts'

/** `segments`: what the paths of the resource begin with. */
const RESOURCES: readonly (Tag & { segments: readonly string[] })[] = [
  {
    name: 'CVEs',
    segments: ['cves'],
    description: 'CVE records: in lists with filters and orders, in full, and part by part',
  },
  { name: 'CWEs', segments: ['cwes'], description: 'The catalogue of weaknesses, and the CVEs of each' },
  { name: 'CAPECs', segments: ['capecs'], description: 'The catalogue of attack patterns' },
  {
    name: 'Vendors and products',
    segments: ['vendors', 'products'],
    description: 'Who makes what, ranked by the number of CVEs',
  },
  {
    name: 'CNAs',
    segments: ['cnas'],
    description: 'CVE numbering authorities: their directory, their figures and their records',
  },
  { name: 'Exploits', segments: ['exploits'], description: 'Metadata of public exploit modules, never their code' },
  { name: 'Reports', segments: ['reports'], description: 'The types of reports on CVEs' },
  { name: 'Search', segments: ['search'], description: 'Everything by name or id, and suggestions while typing' },
  {
    name: 'Service',
    segments: ['snapshot', 'snapshots', 'changes', 'openapi.json'],
    description: 'What is served, what was served before, what changed since, and how it is described',
  },
]

/** The tag of a route. Throws for a path that belongs to no resource of the table. */
export function tagOf(path: string): string {
  const segment = path.split('/')[1] ?? ''
  const resource = RESOURCES.find(({ segments }) => segments.includes(segment))
  if (resource === undefined) throw new TypeError(`no resource is laid down for /${segment}`)
  return resource.name
}

/** The tags that `paths` have, each once. */
export function tagsOf(paths: readonly string[]): Tag[] {
  const used = new Set(paths.map(tagOf))
  return RESOURCES.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }))
}
