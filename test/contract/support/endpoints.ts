/** A request to each endpoint of the route table that is answered 200, and every list with its sorts and a filter. */
import { ROUTES } from '../../../corpus/answers/routes.ts'
import type { Service } from './service.ts'

interface Module {
  source: string
  source_id: string
}

interface Package {
  ecosystem: string
  name: string
}

/** Endpoints about one CVE: they are gated by access tiers. */
export const isPerCve = (template: string) => template.startsWith('/cves/:cveId')

/** Templates of paths with a path that is answered 200 by the sample's second night. */
export async function everyEndpoint(service: Service): Promise<{ template: string; path: string }[]> {
  const advised = await firstWith(service, (id) => `/cves/${id}/advisory`)
  const reported = await firstWith(
    service,
    (id) => `/cves/${id}/reports`,
    ({ count }) => count !== 0,
  )
  const { reports } = await service.json<{ reports: { id: string }[] }>(`/cves/${reported}/reports`)
  const { data: modules } = await service.json<{ data: Module[] }>('/exploits?limit=1')
  const { data: vendors } = await service.json<{ data: { slug: string }[] }>('/vendors?limit=1')
  const [vendor] = vendors
  const { data: products } = await service.json<{ data: { slug: string }[] }>(
    `/vendors/${encodeURIComponent(vendor!.slug)}/products?limit=1`,
  )
  const { data: cnas } = await service.json<{ data: { slug: string }[] }>('/cnas?limit=1')
  const { data: packages } = await service.json<{ data: Package[] }>('/packages?limit=1')
  const { ecosystem, name } = packages[0]!
  const { data: affecting } = await service.json<{ data: { advisory_id: string }[] }>(
    `/affected?${new URLSearchParams({ ecosystem, name })}`,
  )
  const { parent } = await service.json<{ parent: string }>('/snapshot')
  const values: Record<string, string> = {
    cveId: advised,
    reportId: reports[0]!.id,
    cweId: '79',
    capecId: '66',
    vendorSlug: encodeURIComponent(vendor!.slug),
    productSlug: encodeURIComponent(products[0]!.slug),
    slug: cnas[0]!.slug,
    source: modules[0]!.source,
    sourceId: encodeURIComponent(modules[0]!.source_id),
    ecosystem: encodeURIComponent(ecosystem),
    name: encodeURIComponent(name),
    advisoryId: affecting[0]!.advisory_id,
  }
  const queries: Record<string, string> = {
    '/products': '?q=er',
    '/affected': `?${new URLSearchParams({ ecosystem, name })}`,
    '/search': '?q=er',
    '/search/suggest': '?q=er',
    '/changes': `?since=${parent}`,
  }
  return ROUTES.map(({ path: template }) => {
    const all = template.includes(':reportId') ? { ...values, cveId: reported } : values
    const path = template.replace(/:(\w+)/g, (_, name: string) => {
      const value = all[name]
      if (value === undefined) throw new Error(`no value is known for ${name} of ${template}`)
      return value
    })
    return { template, path: path + (queries[template] ?? '') }
  })
}

/** The first CVE for which a path is answered 200, as `test` wants it. */
async function firstWith(
  service: Service,
  pathOf: (id: string) => string,
  test: (body: { count?: number }) => boolean = () => true,
): Promise<string> {
  const { data } = await service.json<{ data: { cve_id: string }[] }>('/cves?limit=100')
  for (const { cve_id: id } of data) {
    const { status, body } = await service.ask(pathOf(id))
    if (status === 200 && test(body as { count?: number })) return id
  }
  throw new Error(`no CVE of the sample answers ${pathOf('…')}`)
}

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
    {
      path: '/cves',
      sorts: ['published', 'updated', 'cvss', 'epss', 'epss_change'],
      filter: ['q', '0', '1', 'no such'],
    },
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
    {
      path: '/kev',
      sorts: ['date_added', 'due_date'],
      filter: ['ransomware', 'known', 'unknown', 'known&vendor=no+such'],
    },
    {
      path: '/advisories',
      sorts: ['published'],
      filter: ['prefix', 'GHSA', 'PYSEC', 'no such'],
    },
    {
      path: '/rejected',
      sorts: ['date_rejected'],
      filter: ['replaced', 'true', 'false', 'true&rejected_until=0001-01-01'],
    },
    { path: '/vendors', sorts: ['cves', 'name'], filter: ['q', 'a', 'e', 'no such'] },
    { path: '/packages', sorts: [], filter: ['ecosystem', 'npm', 'Go', 'Alpine'] },
    { path: '/cnas', sorts: ['cves', 'name', 'completeness'], filter: ['grade', 'A', 'F', 'D'] },
  ]
}
