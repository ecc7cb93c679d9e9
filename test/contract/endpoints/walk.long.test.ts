/**
 * Every sort, direction, filter and limit of `/cves` against plain JavaScript: all records sorted and filtered by
 * gateway/API.md, section 9, and rules 4 to 8, with nothing of the planner in it.
 */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CveId, compareCveIds } from '../../../corpus/model/ids/cve-id.ts'
import { planCvePage } from '../../../gateway/plan/cve-page.ts'
import { openQueries } from '../../../gateway/query/queries.ts'
import { listCves } from '../../../gateway/routes/cves.ts'
import { openRegistry } from '../../../gateway/snapshots/registry.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { asAdministrator } from '../../support/gateway.ts'
import { listLog } from '../../support/server.ts'
import { type Summary, walk } from '../../support/walk.ts'

const folder = temporaryFolder('walk')
const sample = await sampleDist(folder.path, 1200)
const registry = openRegistry(sample.dist, { log: listLog().log, pollMs: 0 })
const queries = openQueries()
const context = { registry, queries, ...asAdministrator }
const ask = async (query: string) => (await listCves.read({}, query)(context)).identity().toString()

/** All records, as the API gives them, in an order that owes nothing to any sort. */
const all = (await walk(ask, '', 100)).rows.sort((a, b) => (a.cve_id < b.cve_id ? -1 : 1))

type Key = (row: Summary) => number | null
const SORTS: Record<string, Key> = {
  published: ({ date_published }) => (date_published === null ? null : Date.parse(date_published)),
  updated: ({ date_updated }) => (date_updated === null ? null : Date.parse(date_updated)),
  cvss: ({ cvss_score }) => cvss_score,
  epss: ({ epss }) => epss.score,
}

/** rule 6, word by word: the key, then the id, both in the direction asked for; nulls last in both. */
function sorted(rows: Summary[], key: Key, descending: boolean): string[] {
  const sign = descending ? -1 : 1
  return rows
    .toSorted((a, b) => {
      const [x, y] = [key(a), key(b)]
      if (x === null || y === null) {
        if (x !== y) return x === null ? 1 : -1
      } else if (x !== y) {
        return sign * (x - y)
      }
      return sign * compareCveIds(a.cve_id as CveId, b.cve_id as CveId)
    })
    .map(({ cve_id }) => cve_id)
}

/** A value that occurs in the records: tests must not pass because nothing matches. */
const some = <T>(of: (row: Summary) => T | null): T => all.map(of).find((value) => value !== null) as T
const commonCwe = some(({ primary_cwe_id }) => primary_cwe_id)
const assigner = some((row) => row.assigner)
const word = some(({ title }) => title?.split(' ').find((one) => one.length > 4) ?? null)
const day = (row: Summary) => row.date_published?.slice(0, 10) ?? ''
const days = all.map(day).filter(Boolean).sort()
const since = days[Math.floor(days.length / 4)]!
const until = days[Math.floor((3 * days.length) / 4)]!
const score = some(({ epss }) => epss.score)
const ids = all.filter((_, i) => i % 40 === 0).map(({ cve_id }) => cve_id)
const matches = (row: Summary, q: string) =>
  row.cve_id.toLowerCase().includes(q.toLowerCase()) || (row.title ?? '').toLowerCase().includes(q.toLowerCase())

const FILTERS: [query: string, test: (row: Summary) => boolean][] = [
  ['', () => true],
  ['severity=critical,none', ({ severity }) => severity === 'critical' || severity === 'none'],
  ['kev=true', ({ kev }) => kev.listed],
  ['kev=false&severity=high', ({ kev, severity }) => !kev.listed && severity === 'high'],
  ['has_exploit=true', (row) => row.has_exploit],
  ['has_patch=false&has_exploit=false', (row) => !row.has_patch && !row.has_exploit],
  ['has_detection=true', (row) => row.has_detection],
  ['has_detection=false', (row) => !row.has_detection],
  [`assigner=${assigner.toUpperCase()}`, (row) => row.assigner?.toLowerCase() === assigner.toLowerCase()],
  [`cwe=${commonCwe.toUpperCase()}`, (row) => row.primary_cwe_id === commonCwe],
  [`cwe=${commonCwe.slice(4)}&has_patch=true`, (row) => row.primary_cwe_id === commonCwe && row.has_patch],
  ['epss_min=0.01', ({ epss }) => epss.score !== null && epss.score >= 0.01],
  [`epss_min=${score}`, ({ epss }) => epss.score !== null && epss.score >= score],
  // A bound finer than any published figure is not rounded to one.
  [`epss_min=${score}0000000001`, ({ epss }) => epss.score !== null && epss.score > score],
  ['epss_min=0', ({ epss }) => epss.score !== null],
  [`published_since=${since}`, (row) => day(row) >= since],
  [`published_until=${until}`, (row) => day(row) !== '' && day(row) <= until],
  [
    `published_since=${since}&published_until=${until}&severity=medium`,
    (row) => day(row) >= since && day(row) <= until && row.severity === 'medium',
  ],
  [`published_since=${until}&published_until=${since}`, (row) => day(row) >= until && day(row) <= since],
  [`updated_since=${until}`, (row) => row.date_updated !== null && row.date_updated.slice(0, 10) >= until],
  [`ids=${ids.join(',')},CVE-1999-99999`, ({ cve_id }) => ids.includes(cve_id)],
  [`q=${word}`, (row) => matches(row, word)],
  ['q=-0', (row) => matches(row, '-0')],
  ['q=e&kev=true', (row) => matches(row, 'e') && row.kev.listed],
  ['q=no such words anywhere', () => false],
  ['q=%25', (row) => matches(row, '%')],
  ['assigner=nobody', () => false],
]

for (const [query, passes] of FILTERS) {
  test(`rules 6 and 8: '${query}' is sorted and filtered as said, in every order, at every limit`, async () => {
    const rows = all.filter(passes)
    for (const [sort, key] of Object.entries(SORTS)) {
      for (const descending of [true, false]) {
        const expected = sorted(rows, key, descending)
        for (const limit of [1, 7, 25, 100]) {
          const asked = `${query}${query && '&'}sort=${descending ? '-' : ''}${sort}`
          const { rows: walked, pages } = await walk(ask, asked, limit)
          assert.equal(
            walked.map(({ cve_id }) => cve_id),
            expected,
            `${asked} limit ${limit}`,
          )
          assert.is(pages, Math.max(1, Math.ceil(expected.length / limit)), 'every page is full but the last')
        }
      }
    }
  })
}

test('the tests above see values: of every filter but those that must match nothing, something is left', () => {
  const empty = FILTERS.filter(([, passes]) => !all.some(passes)).map(([query]) => query.replace(/=.*/, ''))
  assert.equal(empty, ['published_since', 'q', 'assigner'])
})

test('the plan of a page says which way it goes: shard where segments lie ready, merge else, sqlite for text', () => {
  const { current } = registry
  const plan = (limit: number, more: object = {}, matches: Uint32Array | null = null) =>
    planCvePage(
      current,
      { list: 'cves', sort: { key: 'published', descending: true }, filters: {}, limit, after: null, ...more },
      matches,
    )
  const first = plan(100)
  assert.is(first.way, 'shard')
  assert.equal(
    first.way === 'shard' && first.segments,
    [0, 1, 2, 3].map((segment) => ({ page: 0, segment })),
  )
  assert.is(plan(25).way, 'shard')
  assert.is(plan(50).way, 'shard')
  assert.is(plan(7).way, 'merge')
  assert.is(plan(25, { list: 'cves', sort: { key: 'published', descending: false } }).way, 'merge')
  assert.is(plan(25, { filters: { kev: true } }).way, 'merge')
  assert.is(plan(25, { filters: { q: 'x' } }, new Uint32Array([3, 5])).way, 'sqlite')
})

test('rule 6: every page of the default order lies ready, to the last, short one', async () => {
  for (const limit of [25, 50, 100]) {
    const { servedFrom } = await walk(ask, '', limit, async (query) => {
      return (await listCves.read({}, query)(context)).servedFrom
    })
    assert.equal(new Set(servedFrom), new Set(['shard']), `limit ${limit}`)
  }
})

test.after(async () => {
  registry.close()
  await queries.close()
  folder.remove()
})

test.run()
