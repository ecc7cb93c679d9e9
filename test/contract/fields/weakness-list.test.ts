/** gateway/API.md, section 18: the rows of the whole catalog, against its XML and the mappings of the feeds. */
import * as assert from 'uvu/assert'
import type { CweEntry } from '../../../corpus/model/catalog.ts'
import { contractSuite } from '../support/contract.ts'
import { advisoriesOf, cisaOf, containerWeaknesses, nvdWeaknesses } from '../support/expected.ts'
import {
  attribute,
  expectField,
  expectNullable,
  expectSeen,
  expectValues,
  integer,
  matching,
  oneOf,
  string,
  text,
  textOf,
} from '../support/field-types.ts'
import { allDetails, byKey } from '../support/rows.ts'
import { sampleFeeds, type XmlElement } from '../support/sample-feeds.ts'
import { sharedService } from '../support/service.ts'

type Row = Pick<CweEntry, 'cwe_id' | 'slug' | 'numeric_id' | 'name' | 'abstraction' | 'status' | 'likelihood'> & {
  cve_count: number
  kev_count: number
}

const { states, after, run } = contractSuite('rows of weaknesses')
const service = await sharedService()
const feeds = sampleFeeds(service.made)
const rows = await service.all<Row>('/cwes?sort=id')
const upstream = byKey(feeds.weaknesses(), (element) => attribute(element, 'ID')!)

/** Holds what `expected` makes of the XML of each weakness against its row. */
function expectEach(name: keyof Row, expected: (element: XmlElement) => unknown): void {
  for (const one of rows) {
    assert.equal(one[name], expected(upstream.get(String(one.numeric_id))!), `${name} of ${one.cwe_id}`)
  }
}

states('18.8', 'the id in upper case', () => {
  expectField(rows, 'cwe_id', matching(/^CWE-[1-9]\d*$/))
  assert.equal(rows.map(({ cwe_id }) => cwe_id.slice(4)).sort(), [...upstream.keys()].sort())
})

states('18.9', 'the id in lower case', () => {
  expectField(rows, 'slug', matching(/^cwe-[1-9]\d*$/))
  for (const { slug, cwe_id: id } of rows) assert.is(slug, id.toLowerCase())
})

states('18.10', 'the number of the id', () => {
  expectField(rows, 'numeric_id', integer)
  for (const { numeric_id: number, cwe_id: id } of rows) assert.is(`CWE-${number}`, id)
})

states('18.11', 'the name in the catalog', () => {
  expectField(rows, 'name', text)
  expectEach('name', (element) => attribute(element, 'Name'))
})

states('18.12', 'five levels of abstraction', () => {
  expectField(rows, 'abstraction', oneOf('Pillar', 'Class', 'Base', 'Variant', 'Compound'))
  expectEach('abstraction', (element) => attribute(element, 'Abstraction'))
  expectValues(
    rows.map(({ abstraction }) => abstraction),
    ['Pillar', 'Class', 'Base', 'Variant', 'Compound'],
  )
})

states('18.13', 'the status in the catalog', () => {
  expectField(rows, 'status', string)
  expectEach('status', (element) => attribute(element, 'Status'))
  expectSeen(
    rows.map(({ status }) => status),
    ['Stable', 'Draft', 'Incomplete', 'Deprecated'],
  )
})

states('18.14', 'how likely an exploit is', () => {
  expectNullable(rows, 'likelihood', oneOf('High', 'Medium', 'Low'))
  expectEach('likelihood', (element) => textOf(element, 'Likelihood_Of_Exploit'))
  expectValues(
    rows.map(({ likelihood }) => likelihood),
    ['High', 'Medium', 'Low', null],
  )
})

/** CVEs by the weaknesses that any source maps them to, as the feeds state it. */
const mapped = new Map<string, Set<string>>()
for (const { cve_id: id } of await allDetails(service)) {
  const record = feeds.records.find(({ cveMetadata }) => cveMetadata.cveId === id)!
  const advised = advisoriesOf(id, feeds).flatMap(({ database_specific: specific }) => specific?.cwe_ids ?? [])
  const all = [
    ...containerWeaknesses(record.containers.cna),
    ...containerWeaknesses(cisaOf(record)),
    ...nvdWeaknesses(feeds.nvd.get(id)),
    ...advised.map((cwe) => cwe.toLowerCase()),
  ]
  for (const slug of all) mapped.set(slug, (mapped.get(slug) ?? new Set()).add(id))
}

states('18.15', 'CVEs of any mapping', () => {
  expectField(rows, 'cve_count', integer)
  for (const { slug, cve_count: count } of rows) assert.is(count, mapped.get(slug)?.size ?? 0, slug)
  assert.ok(rows.some(({ cve_count: count }) => count > 5) && rows.some(({ cve_count: count }) => count === 0))
})

states('18.16', 'KEV-listed CVEs of any mapping', () => {
  expectField(rows, 'kev_count', integer)
  for (const { slug, kev_count: count } of rows) {
    assert.is(count, [...(mapped.get(slug) ?? [])].filter((id) => feeds.kev.has(id)).length, slug)
  }
  assert.ok(rows.some(({ kev_count: count }) => count > 0))
})

after(() => service.remove())
run()
