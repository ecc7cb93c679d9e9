/** gateway/API.md, sections 30 and 31: packages, and advisories in the OSV schema, on hand-written advisories. */
import * as assert from 'uvu/assert'
import { ADVISORY_FIELDS } from '../../../corpus/answers/parameters/fields.ts'
import type { AdvisoryRow } from '../../../corpus/model/packages/advisory-row.ts'
import { schemaFaults } from '../../support/osv-schema.ts'
import { openRefusing, refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { DEBIAN, GO, NPM, openPackageWorld, PYPI } from '../support/package-world.ts'

const { states, after, run } = contractSuite('packages and advisories')
const world = await openPackageWorld()
const refusing = await openRefusing(world, 'CVE-2024-0001')

interface PackageRow {
  ecosystem: string
  name: string
  purl: string | null
  advisory_count: number
}

/** Most advisories first, then by ecosystem and name. The ids of one set count once. */
const ALL: PackageRow[] = [
  { ecosystem: 'npm', name: '@acme/widget', purl: 'pkg:npm/%40acme/widget', advisory_count: 7 },
  { ecosystem: 'PyPI', name: 'zope-interface', purl: 'pkg:pypi/zope-interface', advisory_count: 3 },
  { ecosystem: 'Debian', name: 'widget', purl: 'pkg:deb/debian/widget', advisory_count: 1 },
  {
    ecosystem: 'Go',
    name: 'example.com/acme/widget/v2',
    purl: 'pkg:golang/example.com/acme/widget/v2',
    advisory_count: 1,
  },
  { ecosystem: 'Hex', name: 'acme_widget', purl: 'pkg:hex/acme_widget', advisory_count: 1 },
  { ecosystem: 'npm', name: 'doubled', purl: 'pkg:npm/doubled', advisory_count: 1 },
  { ecosystem: 'npm', name: 'plain', purl: 'pkg:npm/plain', advisory_count: 1 },
]
const list = (query = '') => world.all<PackageRow>(`/packages${query}`)

states('30.4, 30.7', 'every package that an advisory names, in the fields of a row', async () => {
  assert.equal(await list(), ALL)
  assert.equal(await list('?q=%40acme%2F'), ALL.slice(0, 1))
  for (const row of await list()) assert.equal(Object.keys(row), ['ecosystem', 'name', 'purl', 'advisory_count'])
  for (const wrong of ['nmp', 'Debian:12']) await refuses(world, `/packages?ecosystem=${wrong}`, 'ecosystem')
})

states('30.8', 'the row with its spellings and the newest publication', async () => {
  const detail = async (path: string) => world.json<object>(`/packages/${path}`)
  assert.equal(await detail('PyPI/zope-interface'), {
    ...ALL[1],
    spellings: ['zope-interface', 'zope_interface'],
    latest_advisory_at: '2024-05-09T10:00:00.000Z',
  })
  assert.equal(await detail('npm/@acme/widget'), {
    ...ALL[0],
    spellings: ['@Acme/Widget', '@acme/widget'],
    latest_advisory_at: '2024-05-05T10:00:00.000Z',
  })
})

states('30.9', 'slashes in the name, and its spellings', async () => {
  const nameAt = async (path: string) => (await world.json<PackageRow>(`/packages/${path}`)).name
  for (const path of ['npm/@acme/widget', 'NPM/%40acme%2Fwidget', 'npm/@acme%2fWIDGET', 'npm/@acme/widget/']) {
    assert.is(await nameAt(path), '@acme/widget', path)
  }
  const module = 'example.com/acme/widget/v2'
  for (const path of [module, encodeURIComponent(module)]) assert.is(await nameAt(`Go/${path}`), module, path)
  for (const name of ['Zope.Interface', 'zope__interface']) assert.is(await nameAt(`PyPI/${name}`), 'zope-interface')
  for (const { ecosystem, name } of await list()) assert.is(await nameAt(`${ecosystem}/${name}`), name)
})

states('30.10', 'an unknown ecosystem, an unknown package', async () => {
  for (const ecosystem of ['nmp', 'Debian:12']) await refuses(world, `/packages/${ecosystem}/widget`, 'ecosystem')
  await refuses(world, '/packages/npm/a%20b', 'name')
  const { status, body } = await world.ask('/packages/npm/@acme/no-such')
  const { error, message } = body as { error: string; message: string }
  assert.equal([status, error], [404, 'not_found'])
  assert.ok(message.includes("'@acme/no-such'") && message.includes('/packages?ecosystem=npm&q='), message)
  assert.is((await world.ask('/packages/npm')).status, 404)
})

states('31.1', 'the record as its publisher states it', async () => {
  for (const entry of [...NPM, ...PYPI, ...GO, ...DEBIAN]) {
    const response = await world.get(`/advisories/${entry.id}`, { 'accept-encoding': 'identity' })
    assert.equal([response.status, await response.text()], [200, JSON.stringify(entry)], entry.id)
    assert.is(response.headers.get('served-from'), 'shard')
    const etag = response.headers.get('etag')!
    assert.is((await world.get(`/advisories/${entry.id}`, { 'if-none-match': etag })).status, 304)
  }
})

states('31.1', 'what a CVE record states about packages, as a record in the OSV schema', async () => {
  const record = await world.json<{ affected: object[]; database_specific: object }>('/advisories/CVE-2024-0005')
  assert.equal(schemaFaults(record), [])
  assert.equal(record.affected[0], {
    package: { ecosystem: 'Hex', name: 'acme_widget', purl: 'pkg:hex/acme_widget' },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0.1.0' }, { fixed: '0.12.1' }] }],
    versions: [],
  })
  assert.equal(record.database_specific, { derived_from: 'cve_record', cwe_ids: [] })
})

states('31.2', 'ids in any case', async () => {
  for (const { id } of [NPM[0]!, NPM[1]!, PYPI[0]!, GO[0]!]) {
    for (const spelling of [id.toLowerCase(), id.toUpperCase()]) {
      assert.is((await world.json<{ id: string }>(`/advisories/${spelling}`)).id, id)
    }
  }
})

states('31.3', 'an unknown id', async () => {
  const message = async (id: string) => {
    const { status, body } = await world.ask(`/advisories/${id}`)
    assert.equal([status, (body as { error: string }).error], [404, 'not_found'], id)
    return (body as { message: string }).message
  }
  assert.match(await message('CVE-2024-0001'), /'CVE-2024-0001'; it is an alias of GHSA-kkkk-kkkk-kkkk, OSV-2024-9$/)
  assert.match(await message('cve-2024-0002'), /'cve-2024-0002'; it is an alias of GHSA-eeee-eeee-eeee$/)
  assert.match(await message('GHSA-none'), /'GHSA-none'$/)
  await refuses(world, '/advisories/%ff', 'advisoryId')
})

states('31.4', 'an advisory of which every CVE is above the tier is 403', async () => {
  const path = '/advisories/GHSA-kkkk-kkkk-kkkk'
  const { status, body } = await refusing.asReader(path, 0)
  assert.equal([status, (body as { error: string }).error], [403, 'tier_restricted'])
  assert.equal((await refusing.asReader(path, 9)).body, await world.json(path))
})

states('31.11, 31.12, 31.13, 31.14, 31.15, 31.16', 'rows of the list: every advisory in short', async () => {
  const rows = await world.all<AdvisoryRow>('/advisories')
  const entries = [...NPM, ...PYPI, ...GO, ...DEBIAN]
  const ids = rows.map(({ advisory_id }) => advisory_id)
  assert.equal(ids.toSorted(), [...entries.map(({ id }) => id), 'GHSA-dddd-dddd-dddd'].toSorted(), 'no CVE record')
  const rowOf = new Map(rows.map((row) => [row.advisory_id, row]))
  for (const entry of entries) {
    const row = rowOf.get(entry.id)!
    assert.equal(Object.keys(row), ADVISORY_FIELDS)
    const record = await world.json<Record<string, unknown>>(`/advisories/${entry.id}`)
    assert.is(row.is_withdrawn, record.withdrawn !== undefined, entry.id)
    assert.is(row.is_malware, entry.id.startsWith('MAL-'), entry.id)
    if (row.is_malware) assert.is(row.severity, 'critical')
    const times = [row.published_at, row.modified_at, row.withdrawn_at].map((time) => time && Date.parse(time))
    const stated = [record.published, record.modified, record.withdrawn].map((time) => time && Date.parse(String(time)))
    assert.equal(
      times,
      stated.map((time) => time ?? null),
      entry.id,
    )
    const named = [entry.id, ...((record.aliases ?? []) as string[])].filter((id) => id.startsWith('CVE-'))
    assert.equal([row.cve_ids, row.cve_count], [named.toSorted(), named.length], entry.id)
  }
  assert.equal(rowOf.get('DSA-1-1')!.ecosystems, ['Debian'])
  assert.ok(rows.some((row) => row.is_withdrawn) && rows.some((row) => row.is_malware))
})

states('31.17', 'an account of no tier sees the list', async () => {
  const { status, body } = await refusing.asReader('/advisories', 0)
  assert.equal([status, body], [200, await world.json('/advisories')])
})

after(async () => {
  await refusing.close()
  await world.remove()
})
run()
