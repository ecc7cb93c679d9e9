/** Vendors and their products, ranked by number of CVEs. */

import type { ProductRow, VendorRow } from '../../model/directory.ts'
import type { Steps } from '../../runtime/steps.ts'
import { keyOfName, listFilters, productId, type SnapshotData } from '../../snapshot/index.ts'
import { jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { described } from '../openapi/parameters.ts'
import { counting, listPage, PAGE_LIMIT_DEFAULT, pageLimit, paging, selection } from '../paging.ts'
import { PRODUCT_FIELDS, VENDOR_FIELDS, VENDOR_PRODUCT_FIELDS } from '../parameters/fields.ts'
import { quote, required, withDefault } from '../parameters/parameter.ts'
import { csvOf, openText, searchText, sort } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { productPage, productRow, vendorPage, vendorProducts, vendorRow } from '../schemas.ts'

const vendorsQuery = {
  q: described(
    'Part of the key of the vendor, or of its name in any spelling of the records, in any case',
    searchText(),
  ),
  sort: sort(['cves', 'name'], '-cves'),
  ...paging,
  ...selection(VENDOR_FIELDS),
}

export const listVendors = defineRoute<Context, Record<never, never>, typeof vendorsQuery>({
  name: 'listVendors',
  path: '/vendors',
  summary: 'List vendors',
  description: 'Returns vendors. Those with the most CVEs are first by default.',
  example: '/vendors?limit=2',
  params: { path: {}, query: vendorsQuery },
  answer: vendorPage,
  handle: (context, { q, sort, limit, cursor, count, fields }) =>
    listPage(context, {
      list: 'vendors',
      filters: listFilters('vendors', { q }),
      sort,
      limit,
      cursor,
      count,
      fields,
      texts: 'vendor',
    }),
})

const BY_CVES = { key: 'cves', descending: true }
const byName = 'Part of the key of the product, or of its name in any spelling of the records, in any case'
const vendorPath = {
  vendorSlug: described(
    'Key of the vendor, or its name in any spelling of the records. Write `/` as `%2F`',
    openText(),
  ),
}
const vendorProductsQuery = { q: described(byName, searchText()), ...paging, ...selection(VENDOR_PRODUCT_FIELDS) }

export const getVendor = defineRoute<Context, typeof vendorPath, Record<never, never>>({
  name: 'getVendor',
  path: '/vendors/:vendorSlug',
  summary: 'Get a vendor',
  description:
    'Returns the row of a vendor. Spellings that differ in blanks and punctuation alone are one vendor, as are known aliases such as `apache` and `apache_software_foundation`.',
  example: '/vendors/brightpane_corporation',
  errors: ['not_found'],
  params: { path: vendorPath, query: {} },
  answer: vendorRow,
  *handle({ snapshots: { current } }, { vendorSlug }) {
    const row = yield* rowOf(current, vendorSlug)
    if (row) return jsonAnswer(row, 'shard', current.id)
    throw notFound(`no record names the vendor ${quote(vendorSlug)}; search for a part of the name with /vendors?q=…`)
  },
})

export const listVendorProducts = defineRoute<Context, typeof vendorPath, typeof vendorProductsQuery>({
  name: 'listVendorProducts',
  path: '/vendors/:vendorSlug/products',
  summary: 'List the products of a vendor',
  description:
    'Returns the products of a vendor. Those with the most CVEs are first. An unknown vendor gives an empty list.',
  example: '/vendors/brightpane_corporation/products?limit=2',
  params: { path: vendorPath, query: vendorProductsQuery },
  answer: vendorProducts,
  handle(context, { vendorSlug, q, limit, cursor, count, fields }) {
    const slug = keyOfName(vendorSlug)
    return listPage(context, {
      list: 'products',
      filters: listFilters('products', { q, vendor: slug }),
      sort: BY_CVES,
      limit,
      cursor,
      count,
      fields,
      texts: 'product',
      *head(snapshot) {
        return { vendor: yield* referenceTo(snapshot, slug) }
      },
      row: ({ slug, display, vendor, cve_count }: ProductRow) => ({ slug, display, vendor, cve_count }),
    })
  },
})

function* rowOf(snapshot: SnapshotData, vendorSlug: string): Steps<VendorRow | null> {
  const found = yield* snapshot.lists.vendors.row(keyOfName(vendorSlug))
  return found && (JSON.parse(found.text) as VendorRow)
}

/** An unknown vendor keeps its key (rule 9). */
function* referenceTo(snapshot: SnapshotData, key: string): Steps<{ slug: string; display: string | null }> {
  const { slug, display } = (yield* rowOf(snapshot, key)) ?? { slug: key, display: null }
  return { slug, display }
}

const productPath = {
  ...vendorPath,
  productSlug: described(
    'Key of the product, or its name in any spelling of the records. `/` can be written as `%2F`',
    openText(),
  ),
}

export const getProduct = defineRoute<Context, typeof productPath, Record<never, never>>({
  name: 'getProduct',
  path: '/vendors/:vendorSlug/products/:productSlug',
  takesRest: true,
  summary: 'Get a product',
  description:
    'Returns the row of a product with its vendor. Spellings that differ in blanks and punctuation alone are one product.',
  example: '/vendors/brightpane_corporation/products/lantern_broker',
  errors: ['not_found'],
  params: { path: productPath, query: {} },
  answer: productRow,
  *handle({ snapshots: { current } }, { vendorSlug, productSlug }) {
    const vendor = keyOfName(vendorSlug)
    const found = yield* current.lists.products.row(productId(vendor, keyOfName(productSlug)))
    if (found) return jsonAnswer(JSON.parse(found.text) as ProductRow, 'shard', current.id)
    const what = `no record names the product ${quote(productSlug)} of the vendor ${quote(vendorSlug)}`
    throw notFound(`${what}; search for a part of the name with /vendors/${encodeURIComponent(vendor)}/products?q=…`)
  },
})

const productsQuery = {
  q: described(byName, required(searchText({ min: 2 }))),
  vendor: openText(),
  include: described('Fields to add to each row', csvOf(['spellings'], { emptyAllowed: true })),
  limit: withDefault(pageLimit(), PAGE_LIMIT_DEFAULT),
  ...counting,
  ...selection(PRODUCT_FIELDS),
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
  handle: (context, { q, vendor, include = [], limit, count, fields }) =>
    listPage(context, {
      list: 'products',
      filters: listFilters('products', { q, vendor }),
      sort: BY_CVES,
      limit,
      count,
      fields,
      texts: 'product',
      paged: false,
      ...(include.length === 0 && { row: ({ spellings: _, ...row }: ProductRow) => row }),
    }),
})
