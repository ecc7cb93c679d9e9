/** gateway/API.md, section 26: the results of searches of every type. */
import * as assert from 'uvu/assert'
import type { SearchItem } from '../../../corpus/snapshot/query/search-item.ts'
import { contractSuite } from '../support/contract.ts'
import { expectField, expectValues, matching, number, object, oneOf, string } from '../support/field-types.ts'
import { aboutEach } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('search result item')
const service = await sharedService()

const TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve', 'package']
const QUERIES = ['er', 'CVE-2024', 'cwe', 'capec', 'injection', 'weakness of class', 'studio', 'in', 'CWE-79', 'inc']
const found = await aboutEach(QUERIES, (q) =>
  service.json<{ results: Record<string, SearchItem[]> }>(
    `/search?limit=25&types=${TYPES.join(',')}&q=${encodeURIComponent(q)}`,
  ),
)
const items = found.flatMap(({ results }) => Object.values(results).flat())

/** Where the API gives what an item leads to; a relative link within the app is this without the API's own prefix. */
const RESOURCE: Record<string, (id: string) => string> = {
  cve: (id) => `/cves/${id}`,
  cwe: (id) => `/cwes/${id}`,
  capec: (id) => `/capecs/${id}`,
  cna: (id) => `/cnas/${encodeURIComponent(id)}`,
  vendor: (id) => `/vendors/${encodeURIComponent(id)}/products?limit=1`,
  package: (id) =>
    `/packages/${encodeURIComponent(id.slice(0, id.indexOf('/')))}/${encodeURIComponent(id.slice(id.indexOf('/') + 1))}`,
  product: (id) => `/vendors/${encodeURIComponent(id.slice(0, id.indexOf('/')))}/products?limit=100`,
}

states('26.10', 'fields of a result', async () => {
  const shape = object({
    type: oneOf(...TYPES),
    id: matching(/\S/),
    label: matching(/\S/),
    subtitle: string,
    href: matching(/^\/[a-z]+\/\S+$/),
    score: number,
  })
  for (const item of items) assert.ok(shape(item), JSON.stringify(item))
  expectValues(
    items.map(({ type }) => type),
    TYPES.filter((type) => type !== 'package' || service.registry.current.openLists.packages.count > 0),
  )
  for (const { results } of found) {
    for (const [type, group] of Object.entries(results)) assert.ok(group.every((item) => item.type === type))
  }
  // Each leads to something that is there.
  const distinct = new Map(items.map((item) => [`${item.type} ${item.id}`, item]))
  for (const { type, id, label, href } of distinct.values()) {
    const { status, body } = await service.ask(RESOURCE[type]!(id))
    assert.is(status, 200, `${type} ${id}`)
    const folded = JSON.stringify(body)
    if (type !== 'product') assert.ok(folded.includes(JSON.stringify(label).slice(1, -1)), `${label} of ${id}`)
    assert.ok(decodeURIComponent(href).toLowerCase().includes(id.split('/').at(-1)!.toLowerCase()), href)
  }
})

states('26.11', 'the id of a product', async () => {
  const products = items.filter(({ type }) => type === 'product')
  assert.ok(products.length > 20)
  expectField(products, 'id', matching(/^[^/\s]+\/\S+$/))
  for (const { id, label } of new Map(products.map((item) => [item.id, item])).values()) {
    const [vendor, slug] = [id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1)]
    const path = `/products?q=${encodeURIComponent(slug)}&vendor=${encodeURIComponent(vendor)}&limit=100`
    const { data } = await service.json<{ data: { slug: string; vendor: string; display: string }[] }>(path)
    assert.ok(
      data.some((row) => row.slug === slug && row.vendor === vendor && row.display === label),
      id,
    )
  }
})

after(() => service.remove())
run()
