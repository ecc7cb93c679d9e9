/** gateway/API.md, sections 18 and 19: the catalog of weaknesses against the feed's entries. */
import * as assert from 'uvu/assert'
import type { CweEntry } from '../../../corpus/model/catalog.ts'
import type { CweListEntry } from '../../../corpus/model/catalog-names.ts'
import { cwesCase } from '../../support/list-cases.ts'
import { lower } from '../../support/plain.ts'
import { expectPaging, openRefusing, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { catalogsOf, expectListSorts, inListOrder, recordsOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cwes')
const service = await sharedService()
const { cwes: entries } = catalogsOf(service.corpus)
const records = [...recordsOf(service.corpus).values()]
const refusing = await openRefusing(service, records[0]!.core.cve_id)

type Row = CweListEntry

const rows: Row[] = entries.map(({ cwe_id, slug, numeric_id, name, abstraction, status, likelihood }) => {
  const mapped = records.filter(({ facets }) => facets.weaknesses.includes(slug))
  const cve_count = mapped.length
  const kev_count = mapped.filter(({ core }) => core.kev.listed).length
  return { cwe_id, slug, numeric_id, name, abstraction, status, likelihood, cve_count, kev_count }
})
const { orders } = cwesCase(rows)
const hold = async (query: string, passes: (row: Row) => boolean) => {
  const expected = inListOrder(rows.filter(passes), orders, '-cves')
  assert.equal(await service.all<Row>(`/cwes?${query}`), expected, query)
  return expected.length
}

states('18.1', 'text in id or name', async () => {
  const { name } = rows.find((row) => row.name.length > 20)!
  const queries = [
    ...['cwe', 'CWE-', 'cwe-7', 'CWE-79', 'e-79', '79', '7', '-', 'a', 'SQL', 'sql', 'of', 'no such', '%', '_', '"'],
    ...[name, name.toUpperCase(), name.slice(4, 11), `${name}.`, '(', ' ', 'weakness of class 1'],
  ]
  let found = 0
  for (const q of queries) {
    const passes = ({ cwe_id, name }: Row) => [cwe_id, name].some((text) => lower(text).includes(lower(q)))
    if ((await hold(`q=${encodeURIComponent(q)}`, passes)) > 0) found++
  }
  assert.ok(found >= 14, String(found))
  await refusesValues(service, '/cwes', 'q', ['', 'x'.repeat(201)])
})

states('18.2', 'one level of abstraction', async () => {
  for (const one of ['Pillar', 'Class', 'Base', 'Variant', 'Compound']) {
    assert.ok((await hold(`abstraction=${one}`, (row) => row.abstraction === one)) > 0, one)
  }
  await refusesValues(service, '/cwes', 'abstraction', ['', 'Category', 'Base,Class'])
})

states('18.3', 'one status', async () => {
  for (const one of ['Stable', 'Draft', 'Incomplete', 'Deprecated']) {
    assert.ok((await hold(`status=${one}`, (row) => row.status === one)) > 0, one)
  }
  for (const unknown of ['Usable', 'Stabl', 'Stable2', 'x']) await hold(`status=${unknown}`, () => false)
  await refusesValues(service, '/cwes', 'status', [''])
})

states('18.4', 'one likelihood', async () => {
  for (const one of ['High', 'Medium', 'Low']) {
    assert.ok((await hold(`likelihood=${one}`, (row) => row.likelihood === one)) > 0, one)
    await hold(`likelihood=${one}&abstraction=Base&q=a`, (row) => {
      return row.likelihood === one && row.abstraction === 'Base' && lower(row.name).includes('a')
    })
  }
  await refusesValues(service, '/cwes', 'likelihood', ['', 'Very High', 'null', 'Unknown'])
})

states('18.5', 'three keys, both ways', async () => {
  assert.ok(new Set(rows.map((row) => row.cve_count)).size < rows.length, 'ties')
  await expectListSorts(service, '/cwes', rows, orders, '-cves')
  await refusesValues(service, '/cwes', 'sort', ['', 'cve_count', '-', '--id', 'kev'])
})

states('18.6', 'pages', async () => {
  for (const path of ['/cwes', '/cwes?q=a&sort=name', '/cwes?abstraction=Base']) await expectPaging(service, path)
})

states('18.7', 'rows in the list envelope', async () => {
  const page = await service.json<{ data: Row[]; pagination: object }>('/cwes?limit=100')
  assert.equal(Object.keys(page).sort(), ['data', 'pagination'])
  assert.equal(page.data, inListOrder(rows, orders, '-cves').slice(0, 100))
  assert.ok(page.data.some((row) => row.kev_count > 0 && row.kev_count < row.cve_count))
})

states('19.1', 'three forms of the id', async () => {
  for (const { numeric_id: number, cwe_id: upper, slug: lower } of entries) {
    const answers = await Promise.all([number, upper, lower].map((form) => service.body(`/cwes/${form}`)))
    assert.is(JSON.parse(answers[0]!).cwe_id, `CWE-${number}`)
    assert.equal(answers[1], answers[0])
    assert.equal(answers[2], answers[0])
  }
  for (const wrong of ['CWE79', 'CAPEC-79', 'CWE-079', '079', 'x', '7.9', '-79', 'CWE-']) {
    await refuses(service, `/cwes/${wrong}`, 'cweId')
  }
})

states('19.2', 'exactly the named fields', async () => {
  const entry = fullest()
  const names = Object.keys(entry) as (keyof CweEntry)[]
  const path = `/cwes/${entry.numeric_id}?fields=`
  for (const [i, one] of names.entries()) {
    assert.equal(await service.json(path + one), { [one]: entry[one] })
    const other = names[(i + 7) % names.length]!
    assert.equal(await service.json(`${path}${other},%20${one},${one}`), { [one]: entry[one], [other]: entry[other] })
  }
  assert.equal(await service.json(path + names.join(',')), entry)
  await refusesValues(service, path.split('?')[0]!, 'fields', ['', 'name,colour', 'id', 'consequences.note'])
})

/** The entry with most in it. */
function fullest(): CweEntry {
  const size = (entry: CweEntry) => JSON.stringify(entry).length
  return entries.toSorted((a, b) => size(b) - size(a))[0]!
}

states('19.3', 'the full entry', async () => {
  const keys = [
    ...['cwe_id', 'slug', 'numeric_id', 'name', 'abstraction', 'structure', 'status', 'likelihood', 'description'],
    ...['extended_description', 'background', 'catalog_version', 'updated_at', 'alternate_terms', 'consequences'],
    ...['mitigations', 'detection_methods', 'demonstrative_examples', 'observed_examples', 'modes_of_introduction'],
    ...['platforms', 'taxonomy_mappings', 'attack_patterns', 'attack_patterns_detailed', 'relationships'],
  ].sort()
  assert.ok(entries.length > 200)
  for (const entry of entries) {
    const answer = await service.json<Record<string, unknown>>(`/cwes/${entry.numeric_id}`)
    assert.equal(Object.keys(answer).sort(), keys, entry.cwe_id)
    assert.equal(answer, entry)
  }
})

states('19.4', 'all its statuses; tiers do not apply', async () => {
  await refusing.expectAlways('/cwes/79')
  await refusing.expectAlways('/cwes/CWE-79?fields=name')
  await refuses(service, '/cwes/CWE-', 'cweId')
  await refuses(service, '/cwes/79?field=name', 'field')
  assert.is((await refusing.asReader('/cwes/79', 0)).status, 200, 'tiers are of CVEs alone')
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
