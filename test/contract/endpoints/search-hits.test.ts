/** `/search` and `/search/suggest` over HTTP: groups, counts, ranks, links, and every string an ordinary one. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { fold } from '../../../corpus/snapshot/codec/fold.ts'
import { ROUTES } from '../../../gateway/routes/table.ts'
import { sampleDist, temporaryFolder } from '../../support/dist.ts'
import { testGateway } from '../../support/gateway.ts'
import { walk } from '../../support/walk.ts'

const folder = temporaryFolder('search')
const sample = await sampleDist(folder.path, 600)
const gateway = await testGateway(folder.path, sample.dist)
const { rows } = await walk((query) => gateway.body(`/cves?${query}`), '', 100)

interface Item {
  type: string
  id: string
  label: string
  subtitle: string
  href: string
  score: number
}
interface Found {
  results: Record<string, Item[]>
  counts: Record<string, number>
}

const TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve']
const schemaOf = (path: string) => ROUTES.find((route) => route.path === path)!.answer

async function search(q: string, more = ''): Promise<Found> {
  const body = JSON.parse(await gateway.body(`/search?q=${encodeURIComponent(q)}${more}`))
  schemaOf('/search').parse(body)
  return body as Found
}

async function suggest(q: string, more = ''): Promise<Item[]> {
  const body = JSON.parse(await gateway.body(`/search/suggest?q=${encodeURIComponent(q)}${more}`))
  schemaOf('/search/suggest').parse(body)
  return body.suggestions as Item[]
}

async function refused(path: string): Promise<{ status: number; error: string; parameter?: string }> {
  const response = await gateway.get(path)
  return { status: response.status, ...((await response.json()) as { error: string; parameter?: string }) }
}

test('API 26.4: results and counts have all six keys, in one order, for every request', async () => {
  for (const more of ['', '&types=cve', '&types=cna,vendor']) {
    const { results, counts } = await search('in', more)
    assert.equal(Object.keys(results), TYPES)
    assert.equal(Object.keys(counts).sort(), [...TYPES].sort())
  }
})

test('rule 28: types not asked for are empty and 0', async () => {
  const all = await search('in')
  const { results, counts } = await search('in', '&types=cve')
  assert.ok(all.counts.cve! > 0)
  assert.equal([results.cve, counts.cve], [all.results.cve, all.counts.cve])
  for (const type of TYPES.filter((one) => one !== 'cve')) assert.equal([results[type], counts[type]], [[], 0])
})

test('API 26.6: each list has at most limit results, 5 by default; counts may exceed it', async () => {
  const { results, counts } = await search('cve')
  assert.is(results.cve!.length, 5)
  assert.is(counts.cve, rows.length)
  assert.is((await search('cve', '&limit=25')).results.cve!.length, 25)
  assert.is((await search('cve', '&limit=1')).results.cve!.length, 1)
})

const QUERIES = [
  ...[
    'in',
    'of',
    'cve-20',
    'e-2',
    'injection',
    'vulnerability',
    '%',
    '100%',
    '_',
    'a_b',
    '%%',
    '__',
    "'",
    "''",
    '"',
    '""',
  ],
  ...[
    'OR',
    'a OR b',
    'NOT',
    'NEAR(a b)',
    'a*',
    '*',
    '-',
    '--',
    '(',
    ')',
    '{}',
    ':',
    '^a',
    ';DROP TABLE sets',
    '\\',
    '\\\\',
  ],
  ...[
    'é',
    'ΟΔΟΣ',
    'ß',
    'İi',
    '漏洞',
    '🦊',
    '🦊🦊',
    'e\u0301',
    '\u0000\u0000',
    '\u202e\u202d',
    '\ufffd\ufffd',
    'ab\u0000',
  ],
  ...['  ', 'a '.repeat(100), 'x'.repeat(200), '🦊'.repeat(200)],
].filter((q) => [...q].length >= 2)

test('rule 28: counts are those of a plain substring search, for any characters at all', async () => {
  const parts = rows
    .filter((_, i) => i % 12 === 0)
    .map(({ title, cve_id }, i) => (title ?? cve_id).slice(i % 9, (i % 9) + 2 + (i % 28)))
  for (const q of [...QUERIES, ...parts.filter((part) => part.length >= 2)]) {
    const wanted = fold(q)
    const plain = rows.filter((row) => fold(row.cve_id).includes(wanted) || fold(row.title ?? '').includes(wanted))
    assert.is((await search(q)).counts.cve, plain.length, JSON.stringify(q))
    const suggested = await suggest(q, '&types=cve&limit=15')
    assert.is(suggested.length, Math.min(15, plain.length), JSON.stringify(q))
  }
})

test('rule 28: an exact id wins, then prefix of id or label, then word start, then elsewhere', async () => {
  const { cve_id: id, title } = rows.find((row) => row.title?.includes(' '))!
  const [exact] = (await search(id.toLowerCase())).results.cve!
  assert.equal([exact!.id, exact!.score], [id, 1])
  const first = (await search(title!.slice(0, -1))).results.cve!.find((item) => item.id === id)!
  assert.is(first.score, 0.75)
  const rest = title!.slice(title!.indexOf(' ') + 1)
  if (rest.length >= 2) assert.ok((await search(rest, '&limit=25')).results.cve![0]!.score >= 0.5)
  for (const q of ['in', 'er', 'server', 'e-20']) {
    const scores = (await search(q, '&limit=25')).results.cve!.map(({ score }) => score)
    assert.equal(
      scores,
      scores.toSorted((a, b) => b - a),
    )
  }
})

test('rule 28: within a rank KEV-listed CVEs come first, then newer ones', async () => {
  const listed = new Map(rows.map(({ cve_id, kev }) => [cve_id as string, kev.listed]))
  const position = new Map(rows.map(({ cve_id }, i) => [cve_id as string, i]))
  const items = (await search('cve-20', '&limit=25&types=cve')).results.cve!
  const keys = items.map(({ id }) => (listed.get(id) ? 0 : rows.length) + position.get(id)!)
  assert.equal(
    keys,
    keys.toSorted((a, b) => a - b),
  )
  assert.ok(listed.get(items[0]!.id), 'the sample lists none: the test shows nothing')
})

test('rule 28: links lead to what was found, inside the app', async () => {
  const FORMS: Record<string, RegExp> = {
    vendor: /^\/vendors\/[^/]+$/,
    product: /^\/vendors\/[^/]+\/products\/[^/]+$/,
    cwe: /^\/cwes\/cwe-\d+$/,
    capec: /^\/capecs\/capec-\d+$/,
    cna: /^\/cnas\/[^/]+$/,
    cve: /^\/cves\/CVE-\d{4}-\d{4,}$/,
  }
  for (const q of ['in', 'an', '-1', 'cve']) {
    for (const [type, items] of Object.entries((await search(q, '&limit=25')).results)) {
      for (const item of items) {
        assert.is(item.type, type)
        assert.match(item.href, FORMS[type]!)
      }
    }
  }
})

test('API 26.15: suggestions are one list of all types, 8 by default, without counts or scores', async () => {
  const items = await suggest('in')
  assert.is(items.length, 8)
  for (const item of items) assert.equal(Object.keys(item), ['type', 'id', 'label', 'href'])
  assert.is((await suggest('in', '&limit=15')).length, 15)
  const { results } = await search('in', '&limit=15')
  for (const { type, id } of await suggest('in', '&limit=15')) assert.ok(results[type]!.some((item) => item.id === id))
})

test('rules 2 and 5: what q, types and limit may be', async () => {
  const cases: [path: string, parameter: string][] = [
    ['/search', 'q'],
    ['/search?q=', 'q'],
    ['/search?q=a', 'q'],
    ['/search?q=%F0%9F%A6%8A', 'q'],
    [`/search?q=${'x'.repeat(201)}`, 'q'],
    ['/search?q=ab&q=cd', 'q'],
    ['/search?q=%ff%ff', 'q'],
    ['/search?q=ab&types=', 'types'],
    ['/search?q=ab&types=cve,cvs', 'types'],
    ['/search?q=ab&limit=0', 'limit'],
    ['/search?q=ab&limit=26', 'limit'],
    ['/search?q=ab&cursor=x', 'cursor'],
    ['/search/suggest?q=a', 'q'],
    ['/search/suggest?q=ab&limit=16', 'limit'],
    ['/search/suggest?q=ab&types=x', 'types'],
  ]
  for (const [path, parameter] of cases) {
    const body = await refused(path)
    assert.equal([body.status, body.error, body.parameter], [400, 'invalid_parameter', parameter], path)
  }
})

test('rule 3: the order and repetition of types do not matter', async () => {
  assert.equal(await search('in', '&types=cve,%20cna,cve'), await search('in', '&types=cna,cve'))
})

test('rule 17: both are served from sqlite, with the snapshot and an ETag', async () => {
  for (const path of ['/search?q=in', '/search/suggest?q=in']) {
    const response = await gateway.get(path)
    assert.is(response.headers.get('served-from'), 'sqlite')
    assert.is(response.headers.get('snapshot-id'), gateway.registry.current.id)
    const etag = response.headers.get('etag')!
    assert.is((await gateway.get(path, { 'if-none-match': etag })).status, 304)
  }
})

test('what rots in query.db while it is served is a fault of ours, told in the log, and never an answer', async () => {
  const dist = join(folder.path, 'rotten')
  cpSync(sample.dist, dist, { recursive: true })
  const other = await testGateway(folder.path, dist)
  assert.is((await other.get('/search?q=cve-20')).status, 200)
  const database = new Database(other.registry.current.query.path)
  database.exec('UPDATE items SET bytes = zeroblob(length(bytes))')
  database.close()
  const response = await other.get('/search?q=CVE-2')
  assert.is(response.status, 500)
  assert.is(((await response.json()) as { error: string }).error, 'internal')
  assert.ok(other.log.some(({ level, err }) => level === 'error' && String(err).includes('of query.db is damaged')))
  await other.close()
})

test.after(async () => {
  await gateway.close()
  folder.remove()
})

test.run()
