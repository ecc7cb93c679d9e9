/** gateway/API.md, section 29: `/affected`, on hand-written advisories. */
import * as assert from 'uvu/assert'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import { expectPaging, openRefusing, refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { NPM, openPackageWorld } from '../support/package-world.ts'
import { osvZip } from '../support/upstream.ts'

const { states, rule, after, run } = contractSuite('GET /affected')
const world = await openPackageWorld()
const refusing = await openRefusing(world, 'CVE-2024-0001')

interface Page {
  query: {
    purl: string | null
    ecosystem: string | null
    name: string
    version: string | null
    matched_source: string | null
    indexed: boolean
  }
  data: AffectedRow[]
  pagination: { limit: number; next_cursor: string | null }
}

const WIDGET = 'pkg:npm/%40acme/widget'
const pathOf = (parameters: Record<string, string>) => `/affected?${new URLSearchParams(parameters)}`
const page = (parameters: Record<string, string>) => world.json<Page>(pathOf(parameters))
const idsOf = (rows: readonly AffectedRow[]) => rows.map(({ advisory_id }) => advisory_id)
const found = async (parameters: Record<string, string>) => idsOf((await page(parameters)).data)

const ORDER = NPM.slice(0, 6).map(({ id }) => id)
const rows = new Map((await page({ purl: `${WIDGET}@1.5.0` })).data.map((row) => [row.advisory_id, row]))
const row = (id: string) => rows.get(id)!

states('1.14', 'advisories of a package and version, packages, and advisories', async () => {
  for (const path of [pathOf({ purl: `${WIDGET}@1.5.0` }), '/packages', '/advisories/MAL-2024-1']) {
    await refusing.expectAlways(path)
  }
})

states('29.1', 'a purl, encoded or not', async () => {
  assert.equal(await found({ purl: `${WIDGET}@1.5.0` }), ORDER)
  assert.equal(await found({ purl: 'pkg:npm/@acme/widget@1.5.0?vcs_url=x#lib' }), ORDER)
  const raw = await world.json<Page>('/affected?purl=pkg:npm/@acme/widget@1.5.0')
  assert.equal(idsOf(raw.data), ORDER)
})

states('29.2', 'ecosystem and name', async () => {
  assert.equal(await found({ ecosystem: 'npm', name: '@acme/widget', version: '1.5.0' }), ORDER)
  assert.equal(await found({ ecosystem: 'NPM', name: '@acme/widget', version: '1.5.0' }), ORDER)
})

states('29.3', 'the version', async () => {
  const of = (version: string) => found({ ecosystem: 'npm', name: '@acme/widget', version })
  assert.equal(await of('1.6.5'), ['OSV-2024-9', 'GHSA-ffff-ffff-ffff', 'GHSA-uuuu-uuuu-uuuu'])
  assert.equal(await of('9.9.9'), ['MAL-2024-1', 'GHSA-uuuu-uuuu-uuuu'])
})

states('29.4', 'pages', async () => {
  await expectPaging(world, pathOf({ purl: `${WIDGET}@1.5.0` }))
  await expectPaging(world, pathOf({ ecosystem: 'npm', name: '@acme/widget' }))
  const { pagination } = await page({ purl: `${WIDGET}@1.5.0`, limit: '1' })
  const cursor = pagination.next_cursor!
  for (const purl of [`${WIDGET}@1.5.1`, WIDGET, 'pkg:npm/plain@1.5.0']) {
    const other = await world.ask(pathOf({ purl, cursor }))
    assert.equal([other.status, (other.body as { error: string }).error], [400, 'invalid_cursor'], purl)
  }
  const same = await page({ ecosystem: 'npm', name: '@acme/widget', version: '1.5.0', limit: '1', cursor })
  assert.equal(idsOf(same.data), ORDER.slice(1, 2), 'the same package in the other way')
})

states('29.42', 'several purls give a group for each', async () => {
  const purls = [`${WIDGET}@1.5.0`, 'pkg:npm/no-such@1', 'pkg:unknown/a@1', 'pkg:npm/plain@0.9.0', `${WIDGET}@1.5.0`]
  const query = purls.map((purl) => `purl=${encodeURIComponent(purl)}`).join('&')
  const { groups } = await world.json<{ groups: Page[] }>(`/affected?${query}&limit=2&count=true`)
  const alone = await Promise.all(purls.slice(0, 4).map((purl) => page({ purl, limit: '2', count: 'true' })))
  assert.equal(groups, alone)
  const twice = `purl=${encodeURIComponent(purls[0]!)}`
  assert.equal(await world.json(`/affected?${twice}&${twice}`), await page({ purl: purls[0]! }))
  const many = Array.from({ length: 101 }, (_, i) => `purl=pkg:npm/p${i}`)
  assert.is((await world.json<{ groups: Page[] }>(`/affected?${many.slice(1).join('&')}`)).groups.length, 100)
  await refuses(world, `/affected?${many.join('&')}`, 'purl')
  await refuses(world, `/affected?${query}&purl=npm`, 'purl')
  await refuses(world, `/affected?${query}&name=x`, 'name')
})

states('29.43', 'the cursor of a group, and the bound of rows', async () => {
  const purls = [`${WIDGET}@1.5.0`, 'pkg:npm/plain@0.9.0']
  const query = purls.map((purl) => `purl=${encodeURIComponent(purl)}`).join('&')
  const { groups } = await world.json<{ groups: Page[] }>(`/affected?${query}&limit=1`)
  const cursor = groups[0]!.pagination.next_cursor!
  assert.equal(idsOf((await page({ purl: purls[0]!, limit: '1', cursor })).data), ORDER.slice(1, 2))
  await refuses(world, `/affected?${query}&cursor=${cursor}`, 'cursor')
  const many = Array.from({ length: 50 }, (_, i) => `purl=pkg:npm/p${i}`).join('&')
  assert.is((await world.ask(`/affected?${many}&limit=50`)).status, 200)
  await refuses(world, `/affected?${many}&limit=51`, 'limit')
})

states('29.44', 'several purls use the quota of as many requests', async () => {
  const leftAfter = async (purls: number) => {
    const query = Array.from({ length: purls }, (_, i) => `purl=pkg:npm/p${i}`).join('&')
    const { headers } = await world.ask(`/affected?${query}`)
    return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1])
  }
  const left = await leftAfter(1)
  assert.is(await leftAfter(1), left - 1)
  assert.is(await leftAfter(5), left - 6)
})

states('29.5', 'advisories that affect the version or may affect it', async () => {
  assert.equal(await found({ purl: `${WIDGET}@1.5.0` }), ORDER)
  assert.equal(await found({ purl: 'pkg:npm/plain@0.9.0' }), ['GHSA-oooo-oooo-oooo'])
  assert.equal(await found({ purl: 'pkg:npm/plain@1.0.0' }), [])
  assert.equal(await found({ purl: 'pkg:deb/debian/widget@1.2-3?distro=debian-12' }), ['DSA-1-1'])
  assert.equal(await found({ purl: 'pkg:deb/debian/widget@1.2-3?distro=debian-11' }), [])
})

states('29.6', 'without a version, every advisory, undecided', async () => {
  const { data } = await page({ purl: WIDGET })
  assert.equal(idsOf(data).sort(), [...ORDER, 'GHSA-oooo-oooo-oooo'].sort())
  for (const { verdict, matched_by } of data) assert.equal([verdict, matched_by], ['undecided', null])
})

states('29.7', 'exactly one way to name the package', async () => {
  const cases: [query: string, parameter: string, message: RegExp][] = [
    ['', 'purl', /'purl' is required, or 'ecosystem' and 'name'/],
    ['version=1', 'purl', /'purl' is required/],
    ['ecosystem=npm', 'name', /'name' is required with 'ecosystem'/],
    ['name=a', 'ecosystem', /'ecosystem' is required with 'name'/],
    [`purl=${WIDGET}&ecosystem=npm`, 'ecosystem', /cannot be combined with 'purl'/],
    [`purl=${WIDGET}&name=a`, 'name', /cannot be combined with 'purl'/],
    [`purl=${WIDGET}&version=1`, 'version', /cannot be combined with 'purl'/],
    [`purl=${WIDGET}&source=a`, 'source', /cannot be combined with 'purl'/],
    ['ecosystem=npm&name=a&source=b', 'source', /npm has no source packages/],
    ['ecosystem=nmp&name=a', 'ecosystem', /did you mean 'npm'/],
  ]
  for (const [query, parameter, message] of cases) {
    await refuses(world, `/affected?${query}`, parameter)
    assert.match(((await world.ask(`/affected?${query}`)).body as { message: string }).message, message)
  }
})

states('29.8', 'a malformed purl, and a plus sign that was not encoded', async () => {
  const malformed = ['', 'npm/a', 'pkg:', 'pkg:npm', 'pkg:npm/%25zz%', 'pkg:maven/a@1', 'pkg:npm/a b', 'pkg:npm/a?b']
  await refusesValues(world, '/affected', 'purl', malformed)
  const { body } = await world.ask('/affected?purl=pkg:npm/a@1.0.0+build')
  const { message } = body as { message: string }
  assert.ok(message.includes('such as pkg:npm/%40angular/core@17.0.0') && message.includes('%2B'), message)
  await refuses(world, '/affected?ecosystem=npm&name=a&version=1.0.0+build', 'version')
  await refuses(world, '/affected?ecosystem=npm&name=c++&version=1', 'name')
  assert.is((await page({ purl: 'pkg:npm/a@1.0.0+build' })).query.version, '1.0.0+build')
})

states('29.9', 'an unknown ecosystem, and the suffix of a distribution', async () => {
  for (const ecosystem of ['nmp', 'cobol', ':12']) {
    const path = pathOf({ ecosystem, name: 'a' })
    await refuses(world, path, 'ecosystem')
    const { message } = (await world.ask(path)).body as { message: string }
    for (const known of ['npm', 'PyPI', 'Debian']) assert.ok(message.includes(known), message)
  }
  const of = (ecosystem: string) => page({ ecosystem, name: 'widget', version: '1.2-1' })
  assert.equal(
    [(await of('debian:12')).query.ecosystem, idsOf((await of('debian:12')).data)],
    ['Debian:12', ['DSA-1-1']],
  )
  assert.equal((await of('Debian:11')).data, [])
  assert.equal((await of('Debian')).data[0]!.verdict, 'undecided')
})

states('29.10', 'query, data and pagination', async () => {
  const answer = await page({ purl: `${WIDGET}@1.5.0` })
  assert.equal(Object.keys(answer), ['query', 'data', 'pagination'])
})

states('29.11', 'the request is repeated', async () => {
  const purl = 'pkg:npm/@acme/widget@1.5.0'
  const stated = { ecosystem: 'npm', name: '@acme/widget', version: '1.5.0' }
  const query = { purl, ...stated, matched_source: null, indexed: true }
  assert.equal((await page({ purl })).query, query)
  assert.equal((await page({ ecosystem: 'NPM', name: '@acme/widget' })).query, { ...query, purl: null, version: null })
})

states('29.36', 'the source package of a package of a distribution', async () => {
  const debian = { ecosystem: 'Debian:12', name: 'libwidget1', version: '1.2-1' }
  assert.equal(await found(debian), [])
  assert.equal(await found({ ...debian, source: 'widget' }), ['DSA-1-1'])
  assert.equal(await found({ ...debian, version: '9', source: 'widget@1.2-1' }), ['DSA-1-1'])
  assert.equal(await found({ ...debian, source: 'other' }), [])
})

states('29.37', 'the source package that matched', async () => {
  const binary = 'pkg:deb/debian/libwidget1@1.2-1?distro=debian-12'
  for (const [purl, source] of [
    [`${binary}&upstream=widget`, 'widget'],
    [`${binary}&source=widget%401.2-1`, 'widget'],
    [binary, null],
  ] as const) {
    const { query, data } = await page({ purl })
    assert.equal([query.name, query.matched_source], ['libwidget1', source], purl)
    assert.equal(idsOf(data), source === null ? [] : ['DSA-1-1'], purl)
  }
})

states('29.12', 'whether the ecosystem is indexed', async () => {
  const indexed = async (parameters: Record<string, string>) => (await page(parameters)).query.indexed
  assert.is(await indexed({ purl: 'pkg:npm/no-such' }), true)
  const release = (distro: string) => indexed({ purl: `pkg:deb/debian/no-such?distro=${distro}` })
  assert.equal([await release('debian-12'), await release('debian-9')], [true, false])
  assert.is(await indexed({ purl: 'pkg:cargo/time' }), false)
  assert.is(await indexed({ ecosystem: 'Alpine:v3.20', name: 'curl' }), false)
})

states('29.41', 'a CVE record that states a package URL, unless an advisory on the CVE names the package', async () => {
  const { query, data } = await page({ purl: 'pkg:hex/acme_widget@0.11.0' })
  assert.equal([query.ecosystem, query.indexed], ['Hex', false])
  const [row, ...others] = data
  assert.equal(others, [])
  assert.equal(
    [row!.advisory_id, row!.cve_ids, row!.summary, row!.severity, row!.verdict, row!.fixed_versions],
    ['CVE-2024-0005', ['CVE-2024-0005'], 'Widgets overflow', 'high', 'affected', ['0.12.1']],
  )
  assert.equal(row!.matched_by, {
    kind: 'range',
    introduced: '0.1.0',
    fixed: '0.12.1',
    last_affected: null,
    source: 'CVE-2024-0005',
  })
  assert.equal(await found({ purl: 'pkg:hex/acme_widget@0.12.1' }), [])
  assert.equal(await found({ purl: 'pkg:npm/doubled@1.5.0' }), ['GHSA-dddd-dddd-dddd'])
  assert.equal(await found({ purl: 'pkg:npm/doubled@2.5.0' }), [])
  assert.equal(await found({ purl: 'pkg:npm/doubled' }), ['GHSA-dddd-dddd-dddd'])
})

states('29.13', 'a purl of a type without an ecosystem', async () => {
  const purl = 'pkg:docker/library/cassandra@5'
  const { query, data } = await page({ purl })
  const stated = { ecosystem: null, name: 'library/cassandra', version: '5' }
  assert.equal(query, { purl, ...stated, matched_source: null, indexed: false })
  assert.equal(data, [])
})

states('29.14', 'an unknown package', async () => {
  assert.equal(await found({ purl: 'pkg:npm/no-such@1' }), [])
})

states('29.15', 'spellings of one name', async () => {
  assert.equal(await found({ ecosystem: 'npm', name: '@ACME/Widget', version: '1.5.0' }), ORDER)
  for (const name of ['Zope_Interface', 'zope.interface']) {
    assert.equal(await found({ ecosystem: 'PyPI', name, version: '4.5' }), ['PYSEC-2024-1'], name)
  }
  assert.equal(await found({ ecosystem: 'Go', name: 'example.com/Acme/widget/v2', version: '2.0.0' }), ['GO-2024-1'])
  assert.equal(await found({ ecosystem: 'Debian:12', name: 'Widget', version: '1.2-1' }), [])
})

states('29.16', 'one row for a set of aliases; withdrawn advisories are in none', async () => {
  const all = (await page({ purl: WIDGET })).data.flatMap(({ advisory_id, aliases }) => [advisory_id, ...aliases])
  assert.is(new Set(all).size, all.length, 'an id occurs twice')
  assert.not.ok(all.includes('GHSA-wwww-wwww-wwww'))
  assert.equal(row('GHSA-kkkk-kkkk-kkkk').aliases, ['CVE-2024-0001', 'OSV-2024-9'])
})

states('29.17', 'severity, KEV, EPSS, id', async () => {
  assert.equal([...rows.keys()], ORDER)
})

states('29.18', 'every tier gets the same rows', async () => {
  const path = pathOf({ purl: `${WIDGET}@1.5.0` })
  assert.equal((await refusing.asReader(path, 0)).body, await world.json(path))
})

states('29.19', 'the id of the advisory', async () => {
  for (const id of ORDER) assert.is((await world.ask(`/advisories/${id}`)).status, 200, id)
})

states('29.20', 'the other ids', async () => {
  assert.equal(row('GHSA-eeee-eeee-eeee').aliases, ['CVE-2024-0002'])
  assert.equal(row('MAL-2024-1').aliases, [])
})

states('29.21', 'the CVEs', async () => {
  assert.equal(row('GHSA-kkkk-kkkk-kkkk').cve_ids, ['CVE-2024-0001'])
  assert.equal(row('GHSA-gggg-gggg-gggg').cve_ids, [])
  const { data } = await page({ purl: `${WIDGET}@1.6.5` })
  assert.equal([data[0]!.advisory_id, data[0]!.cve_ids], ['OSV-2024-9', ['CVE-2024-0001']], 'by the set of aliases')
})

states('29.22', 'the summary', async () => {
  for (const [id, { summary }] of rows) assert.is(summary, `Summary of ${id}`)
})

states('29.23', 'severity and score of the CVE, else of the advisory', async () => {
  const of = (id: string) => [row(id).severity, row(id).cvss_score]
  assert.equal(of('GHSA-eeee-eeee-eeee'), ['high', 7.5])
  assert.equal(of('GHSA-gggg-gggg-gggg'), ['low', null])
  assert.equal(of('GHSA-uuuu-uuuu-uuuu'), [null, null])
  assert.equal(of('MAL-2024-1'), ['critical', null])
})

states('29.24', 'KEV and exploits', async () => {
  for (const [id, { kev, has_exploit, cve_ids }] of rows) {
    const records = await Promise.all(
      cve_ids.map((cve) => world.json<{ kev: { listed: boolean }; has_exploit: boolean }>(`/cves/${cve}`)),
    )
    assert.is(
      kev,
      records.some((one) => one.kev.listed),
      id,
    )
    assert.is(
      has_exploit,
      records.some((one) => one.has_exploit),
      id,
    )
  }
  assert.ok(row('GHSA-kkkk-kkkk-kkkk').kev)
})

states('29.25', 'the highest EPSS score', async () => {
  assert.equal(
    ORDER.map((id) => row(id).epss),
    [null, null, 0.5, 0.25, null, null],
  )
})

states('29.26', 'the verdict', async () => {
  for (const [id, { verdict }] of rows) assert.is(verdict, id.startsWith('GHSA-u') ? 'undecided' : 'affected', id)
})

states('29.27', 'what the version matches', async () => {
  const range = { kind: 'range', introduced: '0', fixed: null, last_affected: null }
  const source = (id: string) => ({ source: id })
  const expected: Record<string, object | null> = {
    'MAL-2024-1': { ...range, kind: 'version', introduced: null },
    'GHSA-kkkk-kkkk-kkkk': { ...range, fixed: '1.6.0' },
    'GHSA-eeee-eeee-eeee': { ...range, introduced: '1.0.0', last_affected: '1.5.0' },
    'GHSA-ffff-ffff-ffff': { ...range, fixed: '2.0.0' },
    'GHSA-gggg-gggg-gggg': { ...range, kind: 'version', introduced: null },
  }
  for (const id of ORDER) {
    const matched = expected[id]
    assert.equal(row(id).matched_by, matched ? { ...matched, ...source(id) } : null, id)
  }
})

states('29.28', 'fixed versions above the version', async () => {
  assert.equal(row('GHSA-kkkk-kkkk-kkkk').fixed_versions, ['1.7.0'], '1.6.0 is affected by an alias')
  assert.equal(row('GHSA-eeee-eeee-eeee').fixed_versions, [])
  const { data } = await page({ purl: 'pkg:deb/debian/widget@1.0?distro=bookworm' })
  assert.equal(data[0]!.fixed_versions, ['1.2-3+deb12u1'])
})

states('29.38', 'the rating that the advisories state, if it differs', async () => {
  for (const [id, { severity, stated_severity }] of rows) {
    assert.ok(stated_severity === null || stated_severity !== severity, id)
  }
  const ratings = ['GHSA-gggg-gggg-gggg', 'GHSA-ffff-ffff-ffff'].map((id) => row(id).stated_severity)
  assert.equal(ratings, [null, 'critical'])
})

states('29.39', 'what Debian calls unimportant', async () => {
  const { data } = await page({ purl: 'pkg:deb/debian/widget@1.0?distro=bookworm' })
  assert.equal([data[0]!.urgency, row('MAL-2024-1').urgency], ['unimportant', null])
})

states('29.40', 'why there is no verdict', async () => {
  for (const [id, { verdict, undecided_reason }] of rows) {
    assert.is(undecided_reason, verdict === 'affected' ? null : 'event', id)
  }
  const { data } = await page({ purl: WIDGET })
  assert.equal(new Set(data.map(({ undecided_reason }) => undecided_reason)), new Set(['no_version']))
})

states('29.29', 'the dates of the advisory', async () => {
  for (const { published_at, modified_at } of rows.values()) {
    assert.equal([published_at, modified_at], ['2024-05-05T10:00:00.000Z', '2024-05-06T10:00:00.000Z'])
  }
})

rule(7, 'a walk through the advisories of a package stays in its snapshot', async () => {
  const path = pathOf({ purl: `${WIDGET}@1.5.0`, limit: '2' })
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const { data, pagination }: Page = await world.json(cursor ? `${path}&cursor=${cursor}` : path)
    seen.push(...idsOf(data))
    cursor = pagination.next_cursor
    if (seen.length === 2) await world.night(osvZip(NPM.slice(1), 'npm'))
  } while (cursor)
  assert.equal(seen, ORDER)
  assert.equal(await found({ purl: `${WIDGET}@1.5.0` }), ORDER.slice(1), 'the new snapshot has one less')
})

after(async () => {
  await refusing.close()
  await world.remove()
})
run()
