/** gateway/API.md, sections 2 and 3: timestamps, dates, csv, envelopes and nulls, in every answer there is. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint, isPerCve } from '../support/endpoints.ts'
import { day, expectField, integer, listOf, nullable, object, string, timestamp } from '../support/field-types.ts'
import { aboutEach, allDetails, type Summary } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('conventions of fields')
const service = await sharedService()
const endpoints = await everyEndpoint(service)
const details = await allDetails(service)
const listed = endpoints.filter(({ template }) => !isPerCve(template) && template !== '/openapi.json')
/** Everything that there is to look at: details of all CVEs, an answer of each endpoint, all modules and CNAs. */
const answers: unknown[] = [
  ...details,
  ...(await aboutEach(
    endpoints.filter((one) => one.template !== '/openapi.json'),
    ({ path }) => service.json(path),
  )),
  ...(await service.all('/exploits')),
  ...(await service.all('/cnas')),
  ...(await aboutEach(
    details.slice(0, 100),
    async ({ cve_id: id }) => (await service.ask(`/cves/${id}/advisory`)).body,
  )),
]

/** Every field of every answer, with the object that it stands in. */
function* fieldsOf(value: unknown): Generator<{ name: string; value: unknown; parent: object }> {
  if (Array.isArray(value)) for (const one of value) yield* fieldsOf(one)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      yield { name, value: one, parent: value }
      yield* fieldsOf(one)
    }
  }
}
const fields = [...fieldsOf(answers)]

/** Modules are dated by the day. */
const isModule = (parent: object) => Object.hasOwn(parent, 'source_id')
const TIMESTAMPS = [
  'date_published',
  'date_updated',
  'captured_at',
  'rescore_timestamp',
  'changed_at',
  'created_at',
  'published_at',
  'updated_at',
  'reviewed_at',
  'withdrawn_at',
  'first_seen',
  'last_seen',
  'generated_at',
  'latest_cve_date',
]

states('2.1', 'timestamps end in Z', () => {
  for (const wanted of TIMESTAMPS) {
    const all = fields.filter(({ name, parent }) => name === wanted && !isModule(parent))
    assert.ok(
      all.some(({ value }) => value !== null),
      `${wanted} is never met`,
    )
    for (const { value, parent } of all) {
      assert.ok(nullable(timestamp)(value), `${wanted}: ${value} in ${JSON.stringify(parent).slice(0, 200)}`)
    }
  }
  // And no other field holds a moment in another form.
  for (const { name, value } of fields) {
    if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) assert.ok(timestamp(value), `${name}: ${value}`)
  }
})

states('2.2', 'dates have a year, a month and a day', () => {
  for (const wanted of ['date_added', 'date', 'epss_date']) {
    const all = fields.filter(({ name }) => name === wanted)
    assert.ok(
      all.some(({ value }) => value !== null),
      `${wanted} is never met`,
    )
    for (const { value } of all) assert.ok(nullable(day)(value), `${wanted}: ${value}`)
  }
  const modules = fields.filter(({ name, parent }) => name === 'date_published' && isModule(parent))
  assert.ok(modules.length > 100)
  for (const { value } of modules) assert.ok(nullable(day)(value), String(value))
})

states('3.2', 'members of a csv parameter', async () => {
  const idsFor = async (query: string) =>
    (await service.all<Summary>(`/cves?${query}`)).map(({ cve_id: id }) => id).sort()
  const [high, critical] = [await idsFor('severity=high'), await idsFor('severity=critical')]
  assert.ok(high.length > 0 && critical.length > 0)
  assert.equal(await idsFor('severity=high,critical'), [...high, ...critical].sort())
  const id = details[0]!.cve_id
  const detail = await service.json(`/cves/${id}?include=cvss,affected&fields=title,severity`)
  assert.equal(Object.keys(detail).sort(), ['affected', 'cve_id', 'cvss', 'severity', 'title'])
  const { counts } = await service.json<{ counts: Record<string, number> }>('/search?q=er&types=cwe,product')
  assert.equal(
    Object.keys(counts)
      .filter((type) => counts[type]! > 0)
      .sort(),
    ['cwe', 'product'],
  )
})

/** What lists have beside their envelope. */
const BESIDE: Record<string, string[]> = {
  '/cwes/:cweId/cves': ['cwe_id', 'scope'],
  '/cnas/:slug/cves': ['cna'],
  '/vendors/:vendorSlug/products': ['vendor'],
  '/changes': ['since', 'snapshot'],
}

states('2.4, 9.17, 18.7, 21.6, 24.15, 25.7, 30.6, 31.11, 33.21, 34.4', 'lists share one envelope', async () => {
  const lists = [
    '/cves',
    '/capecs',
    '/cwes',
    '/products',
    '/exploits',
    '/vendors',
    '/cnas',
    '/packages',
    '/kev',
    '/advisories',
    '/rejected',
  ].concat(Object.keys(BESIDE))
  for (const template of lists) {
    const { path } = listed.find((one) => one.template === template)!
    const body = await service.json<Record<string, unknown>>(path)
    const beside = BESIDE[template] ?? []
    assert.equal(Object.keys(body).sort(), ['data', 'pagination', ...beside].sort(), template)
    assert.ok(listOf((row) => typeof row === 'object' && row !== null)(body.data), template)
    assert.ok(object({ limit: integer, next_cursor: nullable(string) })(body.pagination), template)
  }
  const { pagination } = await service.json<{ pagination: { next_cursor: string | null } }>('/cves?limit=1')
  assert.type(pagination.next_cursor, 'string')
})

/** Fields of type `T | null` in gateway/API.md, by their object. */
const MAYBE_NULL: [string, (() => object[]) | (() => Promise<object[]>), string[]][] = [
  [
    'summary record',
    () => service.all('/cves'),
    'title description severity cvss_score cvss_score_source date_published date_updated assigner primary_cwe_id'.split(
      ' ',
    ),
  ],
  ['kev', () => details.map(({ kev }) => kev), ['date_added']],
  ['ssvc', () => details.map(({ ssvc }) => ssvc), ['exploitation', 'automatable', 'technical_impact', 'decision']],
  ['epss', () => details.map(({ epss }) => epss), ['score', 'percentile', 'date']],
  ['timeline', () => details.flatMap(({ timeline }) => timeline), ['category', 'changed_at']],
  [
    'messages',
    () => details.flatMap(({ timeline }) => timeline.flatMap(({ messages }) => messages)),
    ['old_value', 'new_value'],
  ],
  [
    'affected',
    () => details.flatMap(({ affected }) => affected),
    [
      ...'vendor product package_name ecosystem platforms default_status affected_versions affected_ranges'.split(' '),
      ...'patched_versions cpes repo_url collection_url package_url vulnerable_functions'.split(' '),
      ...'advisory_severity advisory_urgency advisory_description'.split(' '),
    ],
  ],
  [
    'evidence',
    () => details.flatMap(({ evidence }) => evidence),
    'confidence evidence_url maturity_rank fixed_version ecosystem product explanation first_seen last_seen'.split(' '),
  ],
  ['capecs', () => service.all('/capecs'), ['likelihood_of_attack', 'typical_severity']],
  ['cwes', () => service.all('/cwes'), ['likelihood']],
  [
    'exploits',
    () => service.all('/exploits'),
    [
      ...'name description authors platform date_published source_url'.split(' '),
      ...'module_type module_class verified exploit_rank'.split(' '),
    ],
  ],
]

states('2.3', 'nullable fields are never absent', async () => {
  let nulls = 0
  for (const [, itemsOf, names] of MAYBE_NULL) {
    const items = await itemsOf()
    for (const name of names) {
      expectField(items, name, (value) => value !== undefined)
      if (items.some((item) => (item as Record<string, unknown>)[name] === null)) nulls++
    }
  }
  assert.ok(nulls > 40, `${nulls} of the fields are null somewhere`)
  const advised = await aboutEach(details, async ({ cve_id: id }) => service.ask(`/cves/${id}/advisory`))
  const advisories = advised.flatMap(({ status, body }) => (status === 200 ? [body as object] : []))
  for (const name of ['withdrawn_at', 'reviewed_at']) expectField(advisories, name, nullable(timestamp))
})

after(() => service.remove())
run()
