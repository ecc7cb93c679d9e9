/** The alternatives give the gateway's answers, SQLite is used in its fastest way, and a difference is noticed. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/dist.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { ownSample } from '../../support/samples.ts'
import { ROOT } from '../build/program.ts'
import { type Client, createClient } from '../http/client.ts'
import { type Measured, startServer } from '../http/processes.ts'
import type { BenchLine } from '../report/line.ts'
import { databaseOf, openDatabase } from './database.ts'
import { alternativeLines, expectEqual } from './lines.ts'
import { type SqlRequest, statementOf } from './list-query.ts'
import { type Both, byPlan, bySqlite, compare, drawn, openBoth, planLines } from './plans.ts'
import { EMPTY, FILTERS, listQueriesToPlan } from './queries.ts'

const { path, remove } = temporaryFolder('alternatives')
const CVES = 400
const queries = listQueriesToPlan()
let dist = ''
let both: Both
let database: Database
let gateway: TestGateway
let fastify: Measured
let client: Client

test.before(async () => {
  dist = (await ownSample('usual', path)).dist
  both = await openBoth(dist, () => {})
  const file = databaseOf(dist, () => {})
  database = openDatabase(file)
  gateway = await testGateway(path, dist)
  const [jwks, log] = [join(path, 'keys', 'jwks.json'), join(path, 'fastify.log')]
  fastify = await startServer(join(import.meta.dirname, 'fastify.ts'), [dist, file, jwks, log])
  client = createClient(gateway.port, gateway.token)
})

test.after(async () => {
  both.close()
  database.close()
  await client.close()
  await fastify.stop()
  await gateway.close()
  remove()
})

test('the database is stored next to the corpus and built once', () => {
  const said: string[] = []
  const file = databaseOf(dist, (line) => said.push(line))
  assert.is(dirname(file), dirname(dist))
  assert.equal(said, [])
  assert.not(existsSync(`${file}.new`))
})

/** Returns how SQLite finds the rows of a page. */
function wayOf(request: Partial<SqlRequest>): string {
  const sort = { key: 'cvss', descending: true } as const
  const { sql, values } = statementOf({ sort, filters: {}, after: null, ...request }, true)
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values, 26) as { detail: string }[]
  return steps.map(({ detail }) => detail).join('; ')
}

test('SQLite reads each page from the index of its filter in the order asked for, and sorts only batches of ids', () => {
  const after = [9.8, 100] as const
  const RANGE = /USING COVERING INDEX all_by_cvss \(.*\(cvss,n\)[<>]\(\?,\?\)\)/
  const ways: [Partial<SqlRequest>, RegExp][] = [
    [{ sort: { key: 'cvss', descending: true }, after }, RANGE],
    [{ sort: { key: 'cvss', descending: false }, after }, RANGE],
    [{ filters: { severity: ['critical'] } }, /COVERING INDEX severity_by_cvss \(severity=\?/],
    [{ filters: { assigner: 'nobody', has_patch: true } }, /COVERING INDEX assigner_by_cvss \(assigner=\?/],
    [{ filters: { kev: true, epss_min: 0.5 } }, /COVERING INDEX kev_by_/],
    [{ filters: { ids: ['CVE-2024-0001'] } }, /TEMP B-TREE/],
  ]
  for (const [request, expected] of ways) assert.match(wayOf(request), expected)
  const filters: SqlRequest['filters'][] = [
    {},
    { kev: true },
    { has_patch: false, updated_since: 0 },
    { severity: ['high', 'low'] },
  ]
  for (const one of filters) assert.not.match(wayOf({ filters: one }), /TEMP B-TREE/, JSON.stringify(one))
})

test('every filter is planned alone, and with every other one and every two others, in every order, with every limit', () => {
  const names = Object.keys(FILTERS)
  const parts = (text: string) => (text.split('+').every((one) => names.includes(one)) ? text.split('+').length : 0)
  const count = (of: number) =>
    new Set(queries.map(({ name }) => name.split(' ')[0]!).filter((some) => parts(some) === of)).size
  assert.equal([count(1), count(2), count(3)], [12, 66, 220])
  for (const name of names) {
    const alone = queries.filter((query) => query.name.startsWith(`${name} `))
    const different = (of: (query: (typeof alone)[number]) => unknown) => new Set(alone.map(of)).size
    assert.is(
      different(({ sort }) => `${sort.key} ${sort.descending}`),
      8,
      name,
    )
    assert.equal([different(({ limit }) => limit), different(({ start }) => start)], [3, 2], name)
  }
})

test('some pages are full, some short, some have a next one, and those of filters without matches are empty', () => {
  const pages = queries.map((query) => {
    const { data, pagination } = JSON.parse(bySqlite(both, drawn(both, query, 1)).json)
    return { query, rows: data.length, more: pagination.next_cursor !== null }
  })
  assert.ok(pages.some(({ query, rows }) => query.limit > 1 && rows === query.limit))
  assert.ok(pages.some(({ query, rows }) => rows > 0 && rows < query.limit))
  assert.ok(pages.some(({ more }) => more))
  const empty = pages.filter(({ query }) => Object.keys(EMPTY).some((title) => query.name.startsWith(`${title} `)))
  assert.is(empty.length, Object.keys(EMPTY).length * 8)
  assert.ok(empty.every(({ rows, more }) => rows === 0 && !more))
})

test('a page with a row less is noticed, and so is a missing next page', () => {
  const query = drawn(both, queries.find(({ name }) => name === 'everything -cvss limit=25 first')!, 1)
  const [ours, theirs] = [byPlan(both, query), bySqlite(both, query)]
  compare('a page', query, ours, theirs)
  for (const [part, changed] of [
    [/,\{"cve_id".*\]/, ']'],
    [/"next_cursor":".*"/, '"next_cursor":null'],
  ] as const) {
    assert.match(ours.json, part)
    const other = { ...ours, json: ours.json.replace(part, changed) }
    assert.throws(() => compare('a page', query, other, theirs), /^a page: plan and SQL differ/)
  }
})

const SORTS = ['published', 'updated', 'cvss', 'epss'].flatMap((key) => [key, `-${key}`])
const expectSame = async (targets: readonly string[]) => {
  for (let at = 0; at < targets.length; at += 50) {
    const requests = targets.slice(at, at + 50).map((target) => ({ target: `/api/v1/cves${target}` }))
    await expectEqual(client, fastify.port, gateway.token, requests)
  }
}

test('Fastify answers lists, walks and details as the gateway does', async () => {
  // `plans` compares every filter.
  const lists = ['', 'severity=critical,high&epss_min=0.1', 'published_since=2020-01-01', 'severity=none&kev=true']
  await expectSame(lists.flatMap((filter) => SORTS.map((sort) => `?${filter}&sort=${sort}&limit=100`)))
  const walks: string[] = []
  for (const sort of SORTS) {
    for (let cursor: string | null = ''; cursor !== null; ) {
      walks.push(`?sort=${sort}&limit=100${cursor && `&cursor=${cursor}`}`)
      cursor = (await client.body(`/api/v1/cves${walks.at(-1)}`)).pagination!.next_cursor
    }
  }
  assert.ok(walks.length >= 4 * SORTS.length)
  await expectSame(walks)
  const { data } = JSON.parse(await gateway.body('/cves?limit=60')) as { data: { cve_id: string }[] }
  const all = 'cvss,epss,affected,references,exploits,evidence,timeline,analysis,guidance'
  const includes = ['', '?include=', '?include=analysis,references', `?include=${all}`]
  await expectSame(data.flatMap(({ cve_id }) => includes.map((include) => `/${cve_id}${include}`)))
})

test('a different answer of Fastify fails the measurement', async () => {
  const requests = ['sort=cvss', 'sort=-cvss'].map((query) => ({ target: `/api/v1/cves?${query}` }))
  const [first, second] = requests
  const swapped: Client = { ...client, receive: (_, coding) => client.receive(second!, coding) }
  const failure = await expectEqual(swapped, fastify.port, gateway.token, [first!]).catch((error: Error) => error)
  assert.match(String(failure), /sort=cvss: the answer of Fastify differs/)
})

test('Fastify checks tokens and parameters, and answers with 304 to a known tag', async () => {
  const { token } = gateway
  const ask = (target: string, authorization: string, headers = {}) =>
    fetch(`http://127.0.0.1:${fastify.port}/api/v1${target}`, { headers: { authorization, ...headers } })
  const statuses: [target: string, token: string, status: number][] = [
    ['/cves', '', 401],
    ['/cves', `${token.slice(0, -6)}AAAAAA`, 401],
    ['/cves?limit=101', token, 400],
    ['/cves?severity=worst', token, 400],
    ['/cves/CVE-1999-99999', token, 404],
    ['/cves', token, 200],
  ]
  for (const [target, one, status] of statuses) assert.is((await ask(target, `Bearer ${one}`)).status, status, target)
  const first = await ask('/cves', `Bearer ${token}`)
  assert.is(first.headers.get('content-encoding'), 'gzip')
  const again = await ask('/cves', `Bearer ${token}`, { 'if-none-match': first.headers.get('etag') })
  assert.is(again.status, 304)
})

test('lines have the figures of both, and each page of plans equals that of SQLite', async () => {
  const corpora = [{ cves: CVES, feeds: '', nights: ['', ''] as [string, string], corpus: '', dist }]
  const context = { corpora, folder: path, root: ROOT, rounds: 1, seconds: 0.05, say: () => {} }
  const only = ['plans/all', 'plans/typical', 'plans/worst', 'alternatives/page25-fastify']
  const lines: BenchLine[] = []
  for (const group of [planLines, alternativeLines]) {
    for await (const line of group({ ...context, only })) lines.push(line)
  }
  assert.equal(
    lines.map(({ name }) => name),
    only,
  )
  for (const { figure, reference, ratio, budget, name } of lines) {
    assert.ok(figure > 0 && reference!.figure > 0 && ratio!.min > 0, name)
    assert.equal(budget, name.startsWith('plans') ? { of: 'ratio', least: 5 } : null, name)
  }
  const [all, typical, worst, page] = lines as [BenchLine, BenchLine, BenchLine, BenchLine]
  assert.is(all.details.queries, queries.length)
  assert.ok(worst.ratio!.median <= typical.ratio!.median)
  assert.ok(page.details['response bytes']! > 100 && page.details['its response bytes']! > 100)
})

test.run()
