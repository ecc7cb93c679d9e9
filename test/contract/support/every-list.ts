/** Every cursor-paged list of the API, with its sorts and a filter: for what holds of all of them. */
import type { Service } from './service.ts'

export interface List {
  path: string
  sorts: string[]
  /** A filter with two values that some rows have; none of the rows has the third. */
  filter: [name: string, one: string, other: string, none: string]
}

/** Each as the sample has it; the vendor is the one with most products. */
export async function everyList(service: Service): Promise<List[]> {
  const vendors = await service.all<{ slug: string; product_count: number }>('/vendors')
  const vendor = vendors.toSorted((a, b) => b.product_count - a.product_count)[0]
  return [
    { path: '/cves', sorts: ['published', 'updated', 'cvss', 'epss'], filter: ['q', '0', '1', 'no such'] },
    {
      path: '/cwes/CWE-79/cves',
      sorts: ['published', 'updated', 'cvss', 'epss'],
      filter: ['severity', 'medium', 'high', 'none'],
    },
    { path: '/cnas/mirador/cves', sorts: ['published', 'cvss', 'epss'], filter: ['cwe', '79', '89', '999999'] },
    { path: '/capecs', sorts: ['id', 'name', 'severity'], filter: ['q', 'a', 'e', 'no such'] },
    { path: '/cwes', sorts: ['cves', 'id', 'name'], filter: ['abstraction', 'Base', 'Variant', 'Compound&q=no+such'] },
    { path: `/vendors/${vendor!.slug}/products`, sorts: [], filter: ['q', 'a', 'e', 'no such'] },
    { path: '/exploits', sorts: ['published'], filter: ['platform', 'php', 'linux', 'no such'] },
    { path: '/vendors', sorts: ['cves', 'name'], filter: ['q', 'a', 'e', 'no such'] },
    { path: '/cnas', sorts: ['cves', 'name', 'completeness'], filter: ['grade', 'A', 'F', 'D'] },
  ]
}
