/** Vendors and their products, ranked by number of CVEs. */

import { nameKey } from '../../corpus/model/affected/products.ts'
import type { ProductRow, VendorRow } from '../../corpus/model/directory.ts'
import { fold } from '../../corpus/snapshot/index.ts'
import { defineRoute } from '../http/route.ts'
import { described } from '../openapi/parameters.ts'
import { required, withDefault } from '../params/parameter.ts'
import { openText, sort, text } from '../params/parameter-types.ts'
import { rowText } from '../plan/list-answer.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { productPage, vendorPage, vendorProducts } from './answers.ts'
import type { Context } from './context.ts'
import { listPage, PAGE_LIMIT_DEFAULT, pageLimit, paging } from './paging.ts'

const vendorsQuery = { q: text(), sort: sort(['cves', 'name'], '-cves'), ...paging }

export const listVendors = defineRoute<Context, Record<never, never>, typeof vendorsQuery>({
  name: 'listVendors',
  path: '/vendors',
  summary: 'List vendors',
  description: 'Returns vendors. Those with the most CVEs are first by default.',
  example: '/vendors?limit=2',
  params: { path: {}, query: vendorsQuery },
  answer: vendorPage,
  handle: (context, { q, sort, limit, cursor }) =>
    listPage(context, { list: 'vendors', filters: { q: q && fold(q) }, sort, limit, cursor, texts: 'vendor' }),
})

const BY_CVES = { key: 'cves', descending: true }
const byName = 'Part of the key or name of the product, in any case'
const vendorPath = { vendorSlug: openText() }
const vendorProductsQuery = { q: described(byName, text()), ...paging }

/** Names are folded (rule 27). */
const keyOf = (text: string): string => nameKey(text) ?? text

export const listVendorProducts = defineRoute<Context, typeof vendorPath, typeof vendorProductsQuery>({
  name: 'listVendorProducts',
  path: '/vendors/:vendorSlug/products',
  summary: 'List the products of a vendor',
  description:
    'Returns the products of a vendor. Those with the most CVEs are first. An unknown vendor gives an empty list.',
  example: '/vendors/brightpane_corporation/products?limit=2',
  params: { path: vendorPath, query: vendorProductsQuery },
  answer: vendorProducts,
  handle(context, { vendorSlug, q, limit, cursor }) {
    const slug = keyOf(vendorSlug)
    return listPage(context, {
      list: 'products',
      filters: { q: q && fold(q), equal: { vendor: slug } },
      sort: BY_CVES,
      limit,
      cursor,
      texts: 'product',
      head: (snapshot) => ({ vendor: { slug, display: displayOf(snapshot, slug) } }),
      row: ({ slug, display, vendor, cve_count }: ProductRow) => ({ slug, display, vendor, cve_count }),
    })
  },
})

function displayOf(snapshot: OpenSnapshot, slug: string): string | null {
  const ordinal = snapshot.lists.vendors.ordinalOf(slug)
  return ordinal === undefined ? null : (JSON.parse(rowText(snapshot, 'vendors', ordinal)) as VendorRow).display
}

const productsQuery = {
  q: described(byName, required(text({ min: 2 }))),
  vendor: openText(),
  limit: withDefault(pageLimit(), PAGE_LIMIT_DEFAULT),
}

export const listProducts = defineRoute<Context, Record<never, never>, typeof productsQuery>({
  name: 'listProducts',
  path: '/products',
  summary: 'Search products',
  description:
    'Searches the products of all vendors. Those with the most CVEs are first. A name that two vendors use gives two rows. There is only one page: `next_cursor` is always null.',
  example: '/products?q=lantern&limit=2',
  params: { path: {}, query: productsQuery },
  answer: productPage,
  handle: (context, { q, vendor, limit }) =>
    listPage(context, {
      list: 'products',
      filters: { q: fold(q), equal: { vendor: vendor === undefined ? undefined : keyOf(vendor) } },
      sort: BY_CVES,
      limit,
      texts: 'product',
      paged: false,
    }),
})
