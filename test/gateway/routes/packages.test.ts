/** `/affected`, a package and an advisory, on hand-made packages: how they are asked for, and which errors they give. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { PackageAdvisory } from '../../../corpus/model/packages/package-advisory.ts'
import { type PackageEntry, packageEntry } from '../../../corpus/model/packages/package-entry.ts'
import { decodeMemberHead, encodeEntries, HASHED_KINDS, type ReadMember } from '../../../corpus/snapshot/index.ts'
import type { Answer } from '../../../gateway/http/answer.ts'
import { ApiError } from '../../../gateway/http/errors.ts'
import type { Route } from '../../../gateway/http/route.ts'
import { getOsvRecord } from '../../../gateway/routes/advisories.ts'
import type { Context } from '../../../gateway/routes/context.ts'
import { getPackage, listAffecting } from '../../../gateway/routes/packages.ts'
import type { OpenPackages } from '../../../gateway/snapshots/open-packages.ts'
import type { ServedSnapshot } from '../../../gateway/snapshots/registry.ts'
import { advisory, rangeOf } from '../../corpus/model/packages/package-entries.ts'

function member(id: string, record: object): ReadMember {
  const entry = { key: id, source: new Uint8Array(16), text: () => JSON.stringify(record) }
  const { bytes } = encodeEntries(HASHED_KINDS.advisories, [entry])
  return { ...decodeMemberHead(bytes), bytes }
}

const record = (id: string, more: object = {}) => [id, { schema_version: '1.6.0', id, ...more }] as const
const RECORDS = new Map([record('GHSA-abcd-0123-efgh', { details: 'é' }), record('PYSEC-2024-1'), record('openSUSE-1')])
const SET = ['CVE-2024-0001', 'GHSA-abcd-0123-efgh', 'GHSA-none-none-none', 'PYSEC-2024-1']

function snapshotOf(prefix: string, createdAt: number, entries: readonly PackageEntry[]): ServedSnapshot {
  const packages: OpenPackages = {
    ecosystems: ['npm', 'Debian', 'NewOS'],
    package: (ecosystem, name) =>
      entries.find((entry) => entry.ecosystem === ecosystem.split(':')[0] && entry.name === name) ?? null,
    advisory: (id) => (RECORDS.has(id) ? member(id, RECORDS.get(id)!) : null),
    aliasesOf: (id) => (SET.includes(id) ? SET : null),
  }
  const index = { count: 0, year: new Uint16Array(), numberHigh: new Uint32Array(), numberLow: new Uint32Array() }
  return { id: prefix.repeat(4), prefix, createdAt, packages, index } as unknown as ServedSnapshot
}

const widget = (advisories: PackageAdvisory[]) =>
  packageEntry('npm/@scope/widget', 'pkg:npm/%40scope/widget', advisories)
const several = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'].map((id) => advisory(id, { name: '@scope/widget' }))
const curl = packageEntry('Debian/curl', null, [
  advisory('DSA-1', { name: 'curl' }, [{ ...rangeOf({ introduced: '0' }, { fixed: '8' }), ecosystem: 'Debian:12' }]),
])
const OLD = snapshotOf('0123456789abcdef', 1000, [widget(several), curl])
const NEW = snapshotOf('fedcba9876543210', 2000, [widget([advisory('A-0'), ...several.slice(2)])])

function contextOf(current: ServedSnapshot, ...older: ServedSnapshot[]): Context {
  const retained = (prefix: string) => [current, ...older].find((one) => one.prefix === prefix) ?? null
  return { registry: { current, retained } } as unknown as Context
}

interface Page {
  query: object
  data: { advisory_id: string; verdict: string }[]
  pagination: { limit: number; next_cursor: string | null }
}

async function ask<T>(
  route: Route<Context>,
  path: Record<string, string>,
  query: string,
  context: Context,
): Promise<T> {
  const answer: Answer = await route.read(path, query)(context)
  return JSON.parse(answer.identity().toString()) as T
}
const affecting = (query: string, context = contextOf(OLD)) => ask<Page>(listAffecting, {}, query, context)

async function refusal(
  work: Promise<unknown>,
): Promise<{ code: string; parameter: string | undefined; message: string }> {
  const error: unknown = await work.then(
    () => null,
    (thrown) => thrown,
  )
  assert.instance(error, ApiError)
  const { code, parameter, message } = error as ApiError
  return { code, parameter, message }
}

const list = suite('/affected')

list('a package is named by a purl, or by ecosystem and name', async () => {
  const purl = 'pkg:npm/@scope/widget@1.0.0'
  const byPurl = await affecting(`purl=${purl}`)
  assert.equal(byPurl.query, { purl, ecosystem: 'npm', name: '@scope/widget', version: '1.0.0', indexed: true })
  const byName = await affecting('ecosystem=NPM&name=%40scope%2Fwidget&version=1.0.0')
  assert.equal(byName.query, { ...byPurl.query, purl: null })
  assert.equal(byName.data, byPurl.data)
  assert.is(byPurl.data.length, 5)
  const unversioned = await affecting('purl=pkg:npm/%2540scope/widget'.replace('%2540', '%40'))
  assert.equal(new Set(unversioned.data.map(({ verdict }) => verdict)), new Set(['undecided']))
})

list('a release decides for a distribution', async () => {
  const verdicts = async (query: string) => (await affecting(query)).data.map(({ verdict }) => verdict)
  assert.equal(await verdicts('purl=pkg:deb/debian/curl@7.1?distro%3Dbookworm'), ['affected'])
  assert.equal(await verdicts('purl=pkg:deb/debian/curl@7.1'), ['undecided'])
  assert.equal(await verdicts('ecosystem=debian:12&name=curl&version=7.1'), ['affected'])
  assert.equal(await verdicts('ecosystem=Debian:11&name=curl&version=7.1'), [])
  assert.equal(await verdicts('ecosystem=Debian:12&name=curl&version=8'), [])
})

list('what is not indexed is empty, and says so', async () => {
  const { query, data } = await affecting('purl=pkg:docker/cassandra@1')
  assert.equal(query, {
    purl: 'pkg:docker/cassandra@1',
    ecosystem: null,
    name: 'cassandra',
    version: '1',
    indexed: false,
  })
  assert.equal(data, [])
  const indexed = async (query: string) => ((await affecting(query)).query as { indexed: boolean }).indexed
  assert.is(await indexed('purl=pkg:pypi/django'), false)
  assert.is(await indexed('purl=pkg:npm/unknown'), true)
  assert.is(await indexed('ecosystem=newos:3&name=a'), true)
})

list('a package that is named in no way, or in two, is refused', async () => {
  const cases: [query: string, parameter: string, message: RegExp][] = [
    ['', 'purl', /'purl' is required, or 'ecosystem' and 'name'/],
    ['version=1', 'purl', /'purl' is required/],
    ['ecosystem=npm', 'name', /'name' is required with 'ecosystem'/],
    ['name=a', 'ecosystem', /'ecosystem' is required with 'name'/],
    ['purl=pkg:npm/a&ecosystem=npm', 'ecosystem', /cannot be combined with 'purl'/],
    ['purl=pkg:npm/a&name=a', 'name', /cannot be combined with 'purl'/],
    ['purl=pkg:npm/a&version=1', 'version', /cannot be combined with 'purl'/],
    ['purl=pkg:npm', 'purl', /it has no name/],
    ['purl=pkg:npm/a@1.0+build', 'purl', /write '\+' as %2B/],
    ['ecosystem=npm&name=a&version=1.0+build', 'version', /write '\+' as %2B/],
    ['ecosystem=nmp&name=a', 'ecosystem', /did you mean 'npm'/],
    ['purl=pkg:npm/a&limit=0', 'limit', /1 to 100/],
    ['purl=', 'purl', /is empty/],
  ]
  for (const [query, parameter, message] of cases) {
    const refused = await refusal(Promise.resolve().then(() => affecting(query)))
    assert.equal([refused.code, refused.parameter], ['invalid_parameter', parameter], query)
    assert.match(refused.message, message)
  }
})

list('a walk stays in its snapshot, and continues by key once that is gone', async () => {
  const query = 'purl=pkg:npm/@scope/widget@1.0.0&limit=2'
  const first = await affecting(query)
  const cursor = first.pagination.next_cursor!
  const idsOf = ({ data }: Page) => data.map(({ advisory_id }) => advisory_id)
  assert.equal(idsOf(first), ['A-1', 'A-2'])
  const retained = await affecting(`${query}&cursor=${cursor}`, contextOf(NEW, OLD))
  assert.equal(idsOf(retained), ['A-3', 'A-4'])
  const last = await affecting(`${query}&cursor=${retained.pagination.next_cursor}`, contextOf(NEW, OLD))
  assert.equal([idsOf(last), last.pagination.next_cursor], [['A-5'], null])
  assert.equal(idsOf(await affecting(`${query}&cursor=${cursor}`, contextOf(NEW))), ['A-3', 'A-4'])
})

list('a cursor that was changed, or belongs to another request, is refused', async () => {
  const { pagination } = await affecting('purl=pkg:npm/@scope/widget@1.0.0&limit=2')
  const cursor = pagination.next_cursor!
  const others = [
    `purl=pkg:npm/@scope/widget@1.0.1&cursor=${cursor}`,
    `purl=pkg:npm/@scope/widget&cursor=${cursor}`,
    `purl=pkg:npm/widget@1.0.0&cursor=${cursor}`,
    `purl=pkg:npm/@scope/widget@1.0.0&cursor=${cursor}x`,
    `purl=pkg:npm/@scope/widget@1.0.0&cursor=${'a'.repeat(600)}`,
  ]
  for (const query of others) {
    assert.is((await refusal(Promise.resolve().then(() => affecting(query)))).code, 'invalid_cursor', query)
  }
  const same = await affecting(`ecosystem=npm&name=@scope/widget&version=1.0.0&limit=1&cursor=${cursor}`)
  assert.is(same.data[0]!.advisory_id, 'A-3', 'the same package in the other way')
})

list.run()

const one = suite('/packages/{ecosystem}/{name}')

const asked = (ecosystem: string, name: string) =>
  Promise.resolve().then(() => ask<object>(getPackage, { ecosystem, name }, '', contextOf(OLD_SETS)))
const OLD_SETS = snapshotOf('0123456789abcdef', 1000, [
  widget([
    advisory('GHSA-abcd-0123-efgh', { name: '@scope/widget', published: '2024-05-03T00:00:00.000Z' }),
    advisory('MAL-2024-1', { name: '@Scope/widget', published: null }),
    advisory('PYSEC-2024-1', { name: '@scope/widget', published: '2024-05-02T00:00:00.000Z' }),
  ]),
])

one('a package has its spellings, its newest advisory, and one count for each set of aliases', async () => {
  assert.equal(await asked('NPM', '%40scope%2Fwidget'), {
    ecosystem: 'npm',
    name: '@scope/widget',
    purl: 'pkg:npm/%40scope/widget',
    advisory_count: 2,
    spellings: ['@Scope/widget', '@scope/widget'],
    latest_advisory_at: '2024-05-03T00:00:00.000Z',
  })
})

one('an unknown package is 404 with a remedy; an unknown ecosystem is 400', async () => {
  const { code, message } = await refusal(asked('npm', 'unknown'))
  assert.is(code, 'not_found')
  assert.match(message, /the package 'unknown' of npm; search for .*\/packages\?ecosystem=npm&q=/)
  for (const ecosystem of ['nmp', 'Debian:12']) {
    const { code, parameter } = await refusal(asked(ecosystem, 'curl'))
    assert.equal([code, parameter], ['invalid_parameter', 'ecosystem'], ecosystem)
  }
})

one.run()

const raw = suite('/advisories/{advisoryId}')

const answered = (advisoryId: string) =>
  Promise.resolve().then(() => getOsvRecord.read({ advisoryId }, '')(contextOf(OLD)))

raw('the record is answered as it is stored, whatever the case of its id', async () => {
  for (const [id, stated] of RECORDS) {
    const spellings = id.startsWith('openSUSE') ? [id] : [id, id.toLowerCase(), id.toUpperCase()]
    for (const spelling of spellings) {
      const answer = await answered(spelling)
      assert.is(answer.identity().toString(), JSON.stringify(stated))
      assert.is(answer.servedFrom, 'shard')
    }
  }
})

raw('a 404 names the records that have the id as an alias', async () => {
  const { code, message } = await refusal(answered('cve-2024-0001'))
  assert.is(code, 'not_found')
  assert.match(message, /'cve-2024-0001'; it is an alias of GHSA-abcd-0123-efgh, PYSEC-2024-1$/)
  assert.match((await refusal(answered('CVE-2024-9999'))).message, /'CVE-2024-9999'$/)
})

raw.run()
