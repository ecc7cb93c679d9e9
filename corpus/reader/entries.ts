/** The lists other than CVEs and their entries, as the API answers them. */
import type { CnaRow, CnaStats, ProductRow, VendorRow } from '../model/directory.ts'
import { splitPackage } from '../model/packages/name.ts'
import { type CnaEntryDetail, keyOfName, type ListName, productId } from '../snapshot/index.ts'
import { assertList, knownEcosystem, type ListOptions, readExploitSource, readListOptions } from './list-query.ts'
import type { CnaDetail, ListEntry, ListPage, ProductListRow } from './list-types.ts'
import type { Lists } from './lists.ts'
import type { Packages } from './packages.ts'
import { readCatalogId } from './query.ts'

export interface Entries {
  entries<Name extends ListName>(list: Name, options?: ListOptions[Name]): Promise<ListPage<Name>>
  entry<Name extends ListName>(list: Name, id: string | number): Promise<ListEntry[Name] | null>
  cnaStats(): Promise<CnaStats>
}

export function openEntries(lists: Lists, packages: Packages, ecosystems: readonly string[]): Entries {
  const readers: { [Name in ListName]: (id: string) => Promise<object | null> } = {
    cwes: (id) => lists.entry('cwes', catalogId('CWE', id)),
    capecs: (id) => lists.entry('capecs', catalogId('CAPEC', id)),
    async cnas(slug) {
      const key = keyOfName(slug)
      const [row, entry] = await Promise.all([lists.row('cnas', key), lists.entry('cnas', key)])
      if (!row || !entry) return null
      const { country, organization_type, scope, advisories_url } = entry as CnaEntryDetail
      return { ...(row as CnaRow), country, organization_type, scope, advisories_url } satisfies CnaDetail
    },
    vendors: (slug) => lists.row('vendors', keyOfName(slug)),
    products(id) {
      const [vendor, product] = splitId(id, '<vendor>/<product>')
      return lists.row('products', productId(keyOfName(vendor), keyOfName(product)))
    },
    exploits(id) {
      const [text, sourceId] = splitId(id, '<source>/<source_id>')
      const source = readExploitSource(text)
      if (source === null) throw new TypeError(`the id '${id}' has an unknown source of exploit modules, '${text}'`)
      return lists.entry('exploits', `${source}/${sourceId}`)
    },
    packages(id) {
      const named = splitPackage(id)
      if (named === null) throw new TypeError(`the id '${id}' must be of the form <ecosystem>/<name>`)
      return packages.entry(knownEcosystem(`the id '${id}'`, named.ecosystem, ecosystems), named.name)
    },
  }

  return {
    async entries<Name extends ListName>(list: Name, options: ListOptions[Name] = {}) {
      const query = readListOptions(list, options, ecosystems)
      const page = await lists.page(query)
      const vendor = list === 'products' ? query.filters.equal?.vendor : undefined
      if (list === 'products' && vendor === undefined) {
        const data = (page.data as ProductRow[]).map(({ spellings: _, ...row }) => row)
        return { ...page, data } as ListPage<Name>
      }
      if (vendor === undefined) return page as ListPage<Name>
      const row = (await lists.row('vendors', vendor)) as VendorRow | null
      const { slug, display } = row ?? { slug: vendor, display: null }
      const data = (page.data as ProductListRow[]).map(({ slug, display, vendor, cve_count }) => ({
        slug,
        display,
        vendor,
        cve_count,
      }))
      return { vendor: { slug, display }, data, pagination: page.pagination } as ListPage<Name>
    },

    async entry<Name extends ListName>(list: Name, id: string | number) {
      assertList(list)
      const text = typeof id === 'number' ? String(id) : id
      if (typeof text !== 'string' || text === '') {
        throw new TypeError(`the id of an entry must be a string that is not empty, not ${JSON.stringify(id)}`)
      }
      return (await readers[list](text)) as ListEntry[Name] | null
    },

    async cnaStats() {
      return (await lists.table('cnas')).extra as CnaStats
    },
  }
}

/** @throws TypeError */
function catalogId(catalog: 'CWE' | 'CAPEC', text: string): string {
  const id = readCatalogId(catalog, text)
  if (id !== null) return id
  throw new TypeError(`'${text}' is not an id such as 79, ${catalog}-79 or ${catalog.toLowerCase()}-79`)
}

/**
 * Splits an id at its first slash. `%2F` is a slash within a part.
 * @throws TypeError
 */
function splitId(id: string, form: string): [string, string] {
  const slash = id.indexOf('/')
  if (slash < 1 || slash === id.length - 1) throw new TypeError(`the id '${id}' must be of the form ${form}`)
  const part = (text: string) => text.replaceAll('%2F', '/')
  return [part(id.slice(0, slash)), part(id.slice(slash + 1))]
}
