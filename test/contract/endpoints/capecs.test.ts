/** gateway/API.md, sections 21 and 22: the catalog of attack patterns against the feed's entries. */
import * as assert from 'uvu/assert'
import type { CapecEntry } from '../../../corpus/model/catalog.ts'
import type { CapecListEntry } from '../../../corpus/model/catalog-names.ts'
import { capecsCase } from '../../support/list-cases.ts'
import { lower } from '../../support/plain.ts'
import { expectPaging, openRefusing, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { catalogsOf, expectListSorts, inListOrder } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /capecs')
const service = await sharedService()
const { capecs: entries } = catalogsOf(service.corpus)
const refusing = await openRefusing(service, 'CVE-1999-0041')

type Row = CapecListEntry

const rows: Row[] = entries.map((entry) => ({
  capec_id: entry.numeric_id,
  capec_id_string: entry.display,
  name: entry.name,
  description: entry.description,
  abstraction: entry.abstraction,
  status: entry.status,
  likelihood_of_attack: entry.likelihood,
  typical_severity: entry.severity,
  prerequisites: entry.prerequisites,
  skills_required: entry.skills,
  resources_required: entry.resources,
  mitigations: entry.mitigations,
  consequences: entry.consequences,
  execution_flow: entry.execution_flow,
  related_weaknesses: entry.related_weaknesses,
  related_attack_patterns: entry.related_attack_patterns,
}))
const SEVERITIES = ['Very Low', 'Low', 'Medium', 'High', 'Very High']
const { orders } = capecsCase(rows)
const hold = async (query: string, passes: (row: Row) => boolean) => {
  const expected = inListOrder(rows.filter(passes), orders, 'id')
  assert.equal(await service.all<Row>(`/capecs?${query}`), expected, query)
  return expected.length
}

states('21.1', 'text in name or description', async () => {
  const { name, description } = rows.find((row) => row.name!.length > 20 && row.description.length > 60)!
  const queries = [
    ...['a', 'an', 'THE', 'attacker', 'ATTACKER', 'replaying', 'web console', 'no such', '%', '_', '"', '(', ' ', '“'],
    ...[name!, name!.toUpperCase(), name!.slice(3, 12), description.slice(20, 55), description.slice(-12), '’', '😀'],
    // The id is not looked at.
    ...['capec-66', 'CAPEC', '66'],
  ]
  let found = 0
  for (const q of queries) {
    const passes = (row: Row) => [row.name ?? '', row.description].some((text) => lower(text).includes(lower(q)))
    if ((await hold(`q=${encodeURIComponent(q)}`, passes)) > 0) found++
  }
  assert.ok(found >= 11, String(found))
  await refusesValues(service, '/capecs', 'q', ['', 'x'.repeat(201)])
})

states('21.2', 'one status', async () => {
  for (const one of ['Draft', 'Stable', 'Usable', 'Obsolete', 'Deprecated']) {
    assert.ok((await hold(`status=${one}`, (row) => row.status === one)) > 0, one)
  }
  for (const unknown of ['Incomplete', 'Dra', 'Drafts', 'x']) await hold(`status=${unknown}`, () => false)
  await refusesValues(service, '/capecs', 'status', [''])
})

states('21.3', 'one severity', async () => {
  for (const one of SEVERITIES) {
    const query = `severity=${encodeURIComponent(one)}`
    assert.ok((await hold(query, (row) => row.typical_severity === one)) > 0, one)
    await hold(`${query}&status=Draft`, (row) => row.typical_severity === one && row.status === 'Draft')
  }
  await hold('severity=Very+High', (row) => row.typical_severity === 'Very High')
  await refusesValues(service, '/capecs', 'severity', ['', 'VeryHigh', 'Critical', 'High,Low'])
})

states('21.4', 'three keys, both ways', async () => {
  const severities = rows.map((row) => row.typical_severity)
  assert.ok(severities.includes(null) && new Set(severities).size === 6, 'ties, and some have none')
  await expectListSorts(service, '/capecs', rows, orders, 'id')
  await refusesValues(service, '/capecs', 'sort', ['', 'capec_id', '-', '--id', 'likelihood'])
})

states('21.5', 'pages', async () => {
  for (const path of ['/capecs', '/capecs?q=a&sort=-severity', '/capecs?status=Draft'])
    await expectPaging(service, path)
})

states('21.6', 'rows in the list envelope', async () => {
  const page = await service.json<{ data: Row[]; pagination: object }>('/capecs?limit=100')
  assert.equal(Object.keys(page).sort(), ['data', 'pagination'])
  assert.equal(page.data, inListOrder(rows, orders, 'id'))
})

states('22.1', 'three forms of the id', async () => {
  for (const { numeric_id: number, display: upper, id: lower } of entries) {
    const answers = await Promise.all([number, upper, lower].map((form) => service.body(`/capecs/${form}`)))
    assert.is(JSON.parse(answers[0]!).display, `CAPEC-${number}`)
    assert.equal(answers[1], answers[0])
    assert.equal(answers[2], answers[0])
  }
  for (const wrong of ['CAPEC66', 'CWE-66', 'CAPEC-066', '066', 'x', '6.6', '-66', 'CAPEC-']) {
    await refuses(service, `/capecs/${wrong}`, 'capecId')
  }
})

states('22.2', 'exactly the named fields', async () => {
  const entry = fullest()
  const names = Object.keys(entry) as (keyof CapecEntry)[]
  const path = `/capecs/${entry.numeric_id}?fields=`
  for (const [i, one] of names.entries()) {
    assert.equal(await service.json(path + one), { [one]: entry[one] })
    const other = names[(i + 7) % names.length]!
    assert.equal(await service.json(`${path}${other},%20${one},${one}`), { [one]: entry[one], [other]: entry[other] })
  }
  assert.equal(await service.json(path + names.join(',')), entry)
  await refusesValues(service, path.split('?')[0]!, 'fields', ['', 'name,colour', 'capec_id', 'skills.level'])
})

/** The entry with most in it. */
function fullest(): CapecEntry {
  const size = (entry: CapecEntry) => JSON.stringify(entry).length
  return entries.toSorted((a, b) => size(b) - size(a))[0]!
}

states('22.3', 'the full entry', async () => {
  const keys = [
    ...['id', 'display', 'numeric_id', 'name', 'abstraction', 'status', 'severity', 'likelihood', 'description'],
    ...['extended_description', 'execution_flow', 'prerequisites', 'skills', 'resources', 'indicators', 'mitigations'],
    ...['examples', 'alternate_terms', 'consequences', 'taxonomy_mappings', 'related_weaknesses'],
    ...['related_attack_patterns', 'catalog_version', 'updated_at'],
  ].sort()
  assert.ok(entries.length > 60)
  for (const entry of entries) {
    const answer = await service.json<Record<string, unknown>>(`/capecs/${entry.numeric_id}`)
    assert.equal(Object.keys(answer).sort(), keys, entry.display)
    assert.equal(answer, entry)
  }
})

states('22.4', 'all its statuses; tiers do not apply', async () => {
  await refusing.expectAlways('/capecs/66')
  await refusing.expectAlways('/capecs/CAPEC-66?fields=name')
  await refuses(service, '/capecs/CAPEC-', 'capecId')
  await refuses(service, '/capecs/66?field=name', 'field')
  assert.is((await refusing.asReader('/capecs/66', 0)).status, 200, 'tiers are of CVEs alone')
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
