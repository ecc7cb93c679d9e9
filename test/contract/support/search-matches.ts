/** What a search must find, in plain JavaScript: everything that can be found, and how good a match is (rule 28). */

import type { PackageRow } from '../../../corpus/model/packages/package-entry.ts'
import { finished } from '../../../corpus/runtime/steps.ts'
import { advisoryNames } from '../../support/advisory-names.ts'
import { advisoryRank, rankOf } from '../../support/plain.ts'
import type { Summary } from './rows.ts'
import type { Service } from './service.ts'

export const TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve', 'package'] as const
export type Type = (typeof TYPES)[number]

/**
 * One thing that can be found; `key` is the id that is searched in, `id` the one that is answered. `spellings` are those
 * of a vendor or product. `names` are the ids of advisories that find a CVE.
 */
export interface Findable {
  type: Type
  id: string
  key: string
  label: string
  href: string
  spellings?: string[]
  names?: string[]
}

interface Named {
  slug: string
  display: string
  spellings: string[]
  cna_name: string
  name: string
  cwe_id: string
  capec_id_string: string
}

const part = encodeURIComponent

export async function everythingFindable(service: Service): Promise<Record<Type, Findable[]>> {
  const vendors = await service.all<Named>('/vendors')
  const products: Findable[] = []
  for (const { slug: vendor } of vendors) {
    for (const { slug, display } of await service.all<Named>(`/vendors/${part(vendor)}/products`)) {
      const href = `/vendors/${part(vendor)}/products/${part(slug)}`
      const { spellings } = await service.json<Named>(href)
      const id = `${vendor.replaceAll('/', '%2F')}/${slug}`
      products.push({ type: 'product', id, key: slug, label: display, href, spellings })
    }
  }
  const [cwes, capecs, cnas] = [
    await service.all<Named>('/cwes'),
    await service.all<Named>('/capecs'),
    await service.all<Named>('/cnas'),
  ]
  const cves = await service.all<Summary>('/cves')
  const advisories = advisoryNames(service.made.corpus, new Set(cves.map(({ cve_id }) => cve_id)))
  const one = (type: Type, id: string, label: string, href: string) => ({ type, id, key: id, label, href })
  return {
    vendor: vendors.map(({ slug, display, spellings }) => {
      return { ...one('vendor', slug, display, `/vendors/${part(slug)}`), spellings }
    }),
    product: products,
    cwe: cwes.map(({ cwe_id, slug, name }) => one('cwe', cwe_id, name, `/cwes/${slug}`)),
    capec: capecs.map(({ capec_id_string: id, name }) => one('capec', id, name, `/capecs/${id.toLowerCase()}`)),
    cna: cnas.map(({ slug, cna_name }) => one('cna', slug, cna_name, `/cnas/${part(slug)}`)),
    // What has no title is shown by its id.
    cve: cves.map(({ cve_id: id, title }) => {
      return { ...one('cve', id, title ?? id, `/cves/${id}`), names: advisories.get(id) ?? [] }
    }),
    package: packagesOf(service),
  }
}

function packagesOf({ registry }: Service): Findable[] {
  const { openLists, lists } = registry.current
  return Array.from({ length: openLists.packages.count }, (_, ordinal) => {
    const id = openLists.packages.id(ordinal)
    const { ecosystem, name } = JSON.parse(finished(lists.packages.row(id))!.text) as PackageRow
    const key = id.slice(ecosystem.length + 1)
    return { type: 'package', id, key, label: name, href: `/packages/${part(ecosystem)}/${part(key)}` }
  })
}

/** The matches among `things`, by rank. */
export function matchesOf(things: readonly Findable[], q: string): { thing: Findable; rank: number }[] {
  return things
    .flatMap((thing) => {
      const named = (thing.names ?? []).map((name) => advisoryRank(name, q))
      const ranks = [rankOf(thing, q), ...named].filter((rank) => rank !== null)
      return ranks.length === 0 ? [] : [{ thing, rank: Math.min(...ranks) }]
    })
    .toSorted((a, b) => a.rank - b.rank)
}
