/** `#/vendors`, `#/vendors/{vendor}` and `#/vendors/{vendor}/products/{product}` */
import { useState } from 'preact/hooks'
import type { ProductRow, VendorRow } from '../data/answers.ts'
import { useAnswer, usePages } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, Failure } from '../parts/answer.tsx'
import { EntryCves } from '../parts/entry-cves.tsx'
import { type Column, EntryList, EntryTable, PagedTable } from '../parts/entry-list.tsx'
import { type Filter, filterParams, sortFilter } from '../parts/filter.ts'
import { Filters } from '../parts/filters.tsx'
import { formatCount } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { ListTools } from '../parts/list-tools.tsx'
import { cpeName, productFilter } from '../parts/names.ts'
import { type Tab, Tabs, tabOf } from '../parts/tabs.tsx'
import { Facts, Figures, Names } from '../parts/texts.tsx'
import { WatchToggle } from '../parts/watch.tsx'
import { go, link } from '../router.ts'

export default function VendorsPage({ path: [vendor, products, ...product], query }: PageProps) {
  if (vendor === undefined) return <VendorList query={query} />
  // A product may contain a slash, as it is or as `%2F`.
  if (products === 'products' && product.length > 0) {
    return <Product vendor={vendor} product={product.join('/')} query={query} />
  }
  return <Vendor vendor={vendor} query={query} />
}

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'q', label: 'Name', hint: 'Apache' },
  sortFilter([
    ['-cves', 'most CVEs first'],
    ['name', 'by name'],
  ]),
]

const COLUMNS: readonly Column<VendorRow>[] = [
  { name: 'Vendor', kind: 'key', cell: ({ slug, display }) => <a href={link(['vendors', slug])}>{display}</a> },
  { name: 'CVEs', kind: 'number', cell: ({ cve_count }) => formatCount(cve_count) },
  { name: 'Products', kind: 'number', cell: ({ product_count }) => formatCount(product_count) },
  {
    name: 'Spellings in the records',
    kind: 'list',
    cell: ({ spellings }) => <Names names={spellings} most={6} />,
  },
]

function VendorList({ query }: { query: URLSearchParams }) {
  return (
    <EntryList<VendorRow>
      title="Vendors"
      about="Vendors that CNAs, ADPs or NVD name. All spellings of a vendor share one row."
      noun={['vendor', 'vendors']}
      path="/vendors"
      base={['vendors']}
      query={query}
      filters={FILTERS}
      table={(rows) => <EntryTable rows={rows} columns={COLUMNS} keyOf={({ slug }) => slug} caption="Vendors" />}
    />
  )
}

const TABS: readonly Tab[] = [
  ['cves', 'CVEs'],
  ['products', 'Products'],
]

function Vendor({ vendor, query }: { vendor: string; query: URLSearchParams }) {
  const answer = useAnswer<VendorRow>(`/vendors/${encodeURIComponent(vendor)}`)
  const tab = tabOf(TABS, query)
  const base = ['vendors', vendor]
  return (
    <>
      <Heading>{answer.data?.display ?? vendor}</Heading>
      {answer.error ? (
        <Failure error={answer.error} retry={answer.retry} />
      ) : (
        <>
          <WatchToggle kind="vendor" name={vendor} />
          <Await answer={answer}>
            {({ slug, cve_count, product_count, spellings }) => (
              <>
                <Figures
                  figures={[
                    ['CVEs', formatCount(cve_count)],
                    ['products', formatCount(product_count)],
                  ]}
                />
                <Facts
                  facts={[
                    [
                      'Key',
                      <span key="key" class="id">
                        {slug}
                      </span>,
                    ],
                    ['Spellings', <Names key="names" names={spellings} />],
                  ]}
                />
              </>
            )}
          </Await>
          <Tabs tabs={TABS} base={base} current={tab} />
          {tab === 'products' ? (
            <Products vendor={vendor} base={base} query={query} />
          ) : (
            <EntryCves params={{ vendor }} all={{ vendor }} base={base} query={query} />
          )}
        </>
      )}
    </>
  )
}

type VendorProduct = Omit<ProductRow, 'spellings' | 'vendor_display'>

const PRODUCT_FILTERS: readonly Filter[] = [{ kind: 'text', name: 'q', label: 'Name' }]

const PRODUCT_COLUMNS: readonly Column<VendorProduct>[] = [
  {
    name: 'Product',
    kind: 'key',
    cell: ({ vendor, slug, display }) => <a href={link(['vendors', vendor, 'products', slug])}>{display}</a>,
  },
  { name: 'CVEs', kind: 'number', cell: ({ cve_count }) => formatCount(cve_count) },
  { name: 'Key', kind: 'list', cell: ({ slug }) => <span class="id">{slug}</span> },
]

function Products({ vendor, base, query }: { vendor: string; base: string[]; query: URLSearchParams }) {
  const path = `/vendors/${encodeURIComponent(vendor)}/products`
  const params = filterParams(PRODUCT_FILTERS, query)
  const pages = usePages<VendorProduct>(path, params)
  return (
    <section aria-labelledby="products">
      <h2 id="products">Products</h2>
      <Filters filters={PRODUCT_FILTERS} base={base} query={query} label="Filters of the products" />
      <ListTools pages={pages} path={path} params={params} noun={['product', 'products']} />
      <PagedTable pages={pages} empty="No product matches the filter. Change it or clear it.">
        {(rows) => <EntryTable rows={rows} columns={PRODUCT_COLUMNS} keyOf={({ slug }) => slug} caption="Products" />}
      </PagedTable>
    </section>
  )
}

function Product({ vendor, product, query }: { vendor: string; product: string; query: URLSearchParams }) {
  const answer = useAnswer<ProductRow>(`/vendors/${encodeURIComponent(vendor)}/products/${encodeURIComponent(product)}`)
  const params = { product: productFilter(vendor, product) }
  return (
    <>
      <Heading>{answer.data?.display ?? product}</Heading>
      {answer.error ? (
        <Failure error={answer.error} retry={answer.retry} />
      ) : (
        <>
          <WatchToggle kind="product" name={params.product} />
          <Await answer={answer}>
            {(row) => (
              <>
                <p class="about">
                  A product of <a href={link(['vendors', row.vendor])}>{row.vendor_display}</a>
                </p>
                <Facts
                  facts={[
                    ['CVEs', formatCount(row.cve_count)],
                    ['Key', <span key="key" class="id">{`${row.vendor}/${row.slug}`}</span>],
                    ['Spellings', <Names key="names" names={row.spellings} />],
                  ]}
                />
              </>
            )}
          </Await>
          <VersionQuestion vendor={vendor} product={product} />
          <EntryCves params={params} all={params} base={['vendors', vendor, 'products', product]} query={query} />
        </>
      )}
    </>
  )
}

/** Leads to the CVEs that affect a version. */
function VersionQuestion({ vendor, product }: { vendor: string; product: string }) {
  const [version, setVersion] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    go(link(['affected'], { cpe: cpeName(vendor, product, version.trim()) }))
  }
  return (
    <form class="controls" aria-label="Version" onSubmit={submit}>
      <label>
        Which version do you run?
        <input
          type="text"
          required
          pattern=".*\S.*"
          placeholder="10.2.3"
          value={version}
          onInput={({ currentTarget }) => setVersion(currentTarget.value)}
        />
      </label>
      <button type="submit">Look up</button>
    </form>
  )
}
