/** FIRST's EPSS interface: parameters, pages, earlier editions and time series. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { tierRestricted } from '../../../corpus/answers/errors.ts'
import type { EpssPoint } from '../../../corpus/model/epss/history.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { NO_EPSS, toBillionths } from '../../../corpus/snapshot/index.ts'
import type { ScoreIndex } from '../../../gateway/compat/epss-scores.ts'
import { serveCompat } from '../../support/compat.ts'

/** In id order. */
const CVES: [id: CveId, score: number | null, percentile: number][] = [
  ['CVE-2019-0001', 0.5, 0.9],
  ['CVE-2020-0001', 0.00043, 0.1],
  ['CVE-2020-0002', null, 0],
  ['CVE-2024-0001', 0.97, 0.99999],
  ['CVE-2024-10001', 0.5, 0.9],
  ['CVE-2024-10002', 0.000000001, 0.01],
]
const EDITIONS = ['2024-01-01', '2024-03-01', '2024-03-15', '2024-03-30', '2024-03-31']

const point = (date: string, score: number, percentile: number | null): EpssPoint => ({
  ...{ date, score, percentile },
  modelVersion: 'v1',
})
const HISTORIES: Record<string, EpssPoint[]> = {
  'CVE-2019-0001': [point('2024-01-01', 0.1, 0.4), point('2024-03-15', 0.4, 0.8), point('2024-03-31', 0.5, 0.9)],
  'CVE-2020-0001': [point('2024-01-01', 0.00043, null)],
  'CVE-2024-0001': [point('2024-03-30', 0.97, 0.99999)],
  'CVE-2024-10001': [point('2024-03-31', 0.5, 0.9)],
}
const RESTRICTED = 'CVE-2024-10002'

function scoresOf(cves: typeof CVES): ScoreIndex {
  const rows = cves.map((_, row) => row)
  const descending = rows.toSorted((a, b) => (cves[b]![1] ?? -1) - (cves[a]![1] ?? -1) || b - a)
  return {
    date: '2024-03-31',
    editions: EDITIONS,
    count: cves.length,
    idAt: (row) => cves[row]![0],
    rowOf: (id) => cves.findIndex(([one]) => one === id),
    scores: Uint32Array.from(cves, ([, score]) => (score === null ? NO_EPSS : toBillionths(score))),
    percentiles: Uint32Array.from(cves, ([, score, percentile]) =>
      score === null ? NO_EPSS : toBillionths(percentile),
    ),
    byScore: (position) => descending[position]!,
    history(row) {
      const [id] = cves[row]!
      if (id === RESTRICTED) throw tierRestricted(id)
      return HISTORIES[id] ?? []
    },
  }
}

const PATH = '/data/v1/epss'
const limits = { rateLimit: 1e9 }
const server = await serveCompat({ limits, auth: 'none', interfaces: { compat: ['epss'] }, scores: scoresOf(CVES) })
test.after(() => server.close())

interface Row {
  cve: string
  epss: string
  percentile?: string
  date: string
  'time-series'?: Omit<Row, 'cve'>[]
}

interface Envelope {
  status: string
  'status-code': number
  total: number
  offset: number
  limit: number
  data: Row[]
}

const ask = (query: string) => fetch(`${server.url}${PATH}${query}`)
async function envelope(query: string): Promise<Envelope> {
  const answer = await ask(query)
  assert.is(answer.status, 200, `${query}: ${await answer.clone().text()}`)
  return (await answer.json()) as Envelope
}
/** Returns the end of each id: `2024-0001` for CVE-2024-0001. */
const idsOf = async (query: string) => (await envelope(query)).data.map(({ cve }) => cve.slice(4))

test('the envelope: newest ids first, numbers as texts with nine decimals, CVEs without a score absent', async () => {
  const date = '2024-03-31'
  assert.equal(await envelope(''), {
    status: 'OK',
    'status-code': 200,
    version: '1.0',
    access: 'public',
    total: 5,
    offset: 0,
    limit: 100,
    data: [
      { cve: 'CVE-2024-10002', epss: '0.000000001', percentile: '0.010000000', date },
      { cve: 'CVE-2024-10001', epss: '0.500000000', percentile: '0.900000000', date },
      { cve: 'CVE-2024-0001', epss: '0.970000000', percentile: '0.999990000', date },
      { cve: 'CVE-2020-0001', epss: '0.000430000', percentile: '0.100000000', date },
      { cve: 'CVE-2019-0001', epss: '0.500000000', percentile: '0.900000000', date },
    ],
  } as object)
})

test('envelope=false answers the list alone, with the total in a header; pretty indents', async () => {
  const answer = await ask('?envelope=false&limit=1&pretty=1')
  assert.equal(
    ['x-version', 'x-total-count'].map((name) => answer.headers.get(name)),
    ['1.0', '5'],
  )
  const text = await answer.text()
  assert.match(text, /^\[\n {4}\{\n {8}"cve": "CVE-2024-10002"/)
  assert.is((JSON.parse(text) as Row[]).length, 1)
  assert.not.match(await (await ask('')).text(), '\n')
})

const SELECTIONS: [query: string, ids: string[]][] = [
  ['?cve=CVE-2020-0001', ['2020-0001']],
  ['?cve=CVE-2019-0001,cve-2024-0001,CVE-2019-0001,CVE-2020-0002,CVE-1999-0001', ['2024-0001', '2019-0001']],
  ['?cve=CVE-2019-0001, GHSA-1,,CVE-2024-ABC', ['2019-0001']],
  ['?cve=', ['2024-10002', '2024-10001', '2024-0001', '2020-0001', '2019-0001']],
  ['?epss-gt=0.5', ['2024-10001', '2024-0001', '2019-0001']],
  ['?epss-gt=.5&epss-lt=0.96', ['2024-10001', '2019-0001']],
  ['?epss-lt=0.00043', ['2024-10002', '2020-0001']],
  ['?percentile-gt=0.9&percentile-lt=0.95', ['2024-10001', '2019-0001']],
  ['?cve=CVE-2019-0001,CVE-2024-0001&percentile-gt=0.95', ['2024-0001']],
  ['?q=2024-1000', ['2024-10002', '2024-10001']],
  ['?q=cve-2020', ['2020-0001']],
  ['?cve=CVE-2019-0001,CVE-2024-0001&q=2019', ['2019-0001']],
  ['?order=!epss', ['2024-0001', '2024-10001', '2019-0001', '2020-0001', '2024-10002']],
  ['?order=%21epss&limit=2&offset=1', ['2024-10001', '2019-0001']],
  ['?sort=-epss&limit=1', ['2024-0001']],
  ['?order=epss', ['2024-10002', '2020-0001', '2019-0001', '2024-10001', '2024-0001']],
  ['?order=percentile&limit=1', ['2024-10002']],
  ['?order=cve&limit=1', ['2019-0001']],
  ['?cve=CVE-2024-10001,CVE-2020-0001,CVE-2019-0001&order=!percentile', ['2024-10001', '2019-0001', '2020-0001']],
  ['?cve=CVE-2024-10001,CVE-2020-0001,CVE-2019-0001&order=epss&offset=1&limit=1', ['2019-0001']],
  ['?limit=0', []],
  ['?offset=5', []],
  ['?no-such=1&scope=public&limit=1', ['2024-10002']],
  // The first score of the two is of the last days.
  ['?cve=CVE-2024-10001,CVE-2024-0001,CVE-2019-0001&days=1', ['2024-10001']],
  ['?cve=CVE-2024-10001,CVE-2024-0001,CVE-2019-0001&days=2', ['2024-10001', '2024-0001']],
]
for (const [query, ids] of SELECTIONS) {
  test(`${query} selects ${ids.join(', ') || 'nothing'}`, async () => assert.equal(await idsOf(query), ids))
}

test('the total counts all pages', async () => {
  const { total, offset, limit, data } = await envelope('?epss-gt=0.5&limit=1&offset=1')
  assert.equal([total, offset, limit, data.length], [3, 1, 1, 1])
  assert.is((await envelope('?cve=CVE-2019-0001,CVE-2024-0001&limit=0')).total, 2)
})

test('pages are the parts of the whole list, in each order', async () => {
  for (const order of ['cve', '!cve', 'epss', '!epss', 'percentile', '!percentile']) {
    const whole = await idsOf(`?order=${order}`)
    const pages = await Promise.all([0, 2, 4].map((offset) => idsOf(`?order=${order}&limit=2&offset=${offset}`)))
    assert.equal(pages.flat(), whole, order)
  }
})

test('date selects the newest edition up to that day; a percentile that is not known is absent', async () => {
  const ids = 'CVE-2019-0001,CVE-2020-0001,CVE-2024-0001'
  const on = async (date: string) => (await envelope(`?cve=${ids}&date=${date}&order=cve`)).data
  const row = (cve: string, epss: string, date: string, percentile?: string) => ({
    ...{ cve, epss },
    ...(percentile === undefined ? {} : { percentile }),
    date,
  })
  assert.equal(await on('2024-03-15'), [
    row('CVE-2019-0001', '0.400000000', '2024-03-15', '0.800000000'),
    row('CVE-2020-0001', '0.000430000', '2024-03-15'),
  ])
  assert.equal(await on('2024-03-14'), [
    row('CVE-2019-0001', '0.100000000', '2024-03-01'),
    row('CVE-2020-0001', '0.000430000', '2024-03-01'),
  ])
  const current = await on('2024-03-31')
  assert.equal(current, [
    row('CVE-2019-0001', '0.500000000', '2024-03-31', '0.900000000'),
    row('CVE-2020-0001', '0.000430000', '2024-03-31', '0.100000000'),
    row('CVE-2024-0001', '0.970000000', '2024-03-31', '0.999990000'),
  ])
  assert.equal(await on('2030-01-01'), current)
  assert.equal(await idsOf(`?cve=${ids}&date=2024-03-15&epss-gt=0.2`), ['2019-0001'])
  assert.equal(await idsOf(`?cve=${ids}&date=2024-03-15&order=epss`), ['2020-0001', '2019-0001'])
  // Also without ids, if the date selects the current edition.
  assert.is((await envelope('?date=2024-03-31')).total, 5)
})

test('time-series has the editions of the 30 days before, newest first', async () => {
  const [row, other] = (await envelope('?cve=CVE-2019-0001,CVE-2024-10001&scope=time-series&order=cve')).data
  assert.equal(row, {
    cve: 'CVE-2019-0001',
    epss: '0.500000000',
    percentile: '0.900000000',
    date: '2024-03-31',
    'time-series': [
      { epss: '0.400000000', date: '2024-03-30' },
      { epss: '0.400000000', percentile: '0.800000000', date: '2024-03-15' },
      { epss: '0.100000000', date: '2024-03-01' },
    ],
  })
  assert.equal(other!['time-series'], [])
  const [past] = (await envelope('?cve=CVE-2019-0001&scope=time-series&date=2024-03-15')).data
  assert.equal(past!['time-series'], [{ epss: '0.100000000', date: '2024-03-01' }])
  const first = await envelope('?scope=time-series&order=!epss&limit=1')
  assert.equal(first.data[0]!['time-series'], [{ epss: '0.970000000', percentile: '0.999990000', date: '2024-03-30' }])
})

const REFUSED: [query: string, status: number, message: RegExp][] = [
  ['?cve=GHSA-1', 400, /^parameter 'cve' must be CVE ids, separated by commas, not 'GHSA-1'$/],
  ['?date=2024-13-01&cve=CVE-2019-0001', 400, /^parameter 'date' must be a date such as/],
  ['?date=yesterday', 400, /^parameter 'date' must be/],
  ['?date=2023-12-31&cve=CVE-2019-0001', 400, /begins on 2024-01-01; use a date from then on, or ingest/],
  ['?date=2024-03-15', 400, /^'date' of an earlier edition requires 'cve'; .*csv\.gz$/],
  ['?date=2024-03-15&cve=CVE-2019-0001&percentile-gt=0.5', 400, /not all known; use epss-gt/],
  ['?date=2024-03-15&cve=CVE-2019-0001&order=!percentile', 400, /not all known/],
  ['?days=1', 400, /^'days' requires 'cve'; .*\/api\/v1\/cves/],
  ['?days=0&cve=CVE-2019-0001', 400, /^parameter 'days' must be a whole number from 1/],
  ['?days=91&cve=CVE-2019-0001', 400, /begins on 2024-01-01; use fewer days/],
  ['?epss-gt=2', 400, /^parameter 'epss-gt' must be a number from 0 to 1, not '2'$/],
  ['?epss-lt=1e-3', 400, /'epss-lt'/],
  ['?percentile-gt=-1', 400, /'percentile-gt'/],
  ['?percentile-lt=x', 400, /'percentile-lt'/],
  ['?order=severity', 400, /^parameter 'order' must be cve, epss or percentile, after ! for/],
  ['?sort=!', 400, /^parameter 'sort'/],
  ['?order=epss&sort=epss', 400, /^'order' and 'sort' are two names/],
  ['?scope=all', 400, /^parameter 'scope' must be public or time-series/],
  ['?offset=-1', 400, /'offset'/],
  ['?limit=10001', 400, /^parameter 'limit' must be a whole number from 0 to 10000, not '10001'$/],
  ['?envelope=no', 400, /^parameter 'envelope' must be true, false, 1 or 0/],
  ['?q=%ff', 400, /percent-encoded/],
  ['?cve=CVE-2024-10002&scope=time-series', 403, /^CVE-2024-10002 is outside the access tier/],
]
for (const [query, status, message] of REFUSED) {
  test(`${query} is answered with ${status}`, async () => {
    const answer = await ask(query)
    const { message: text, ...rest } = (await answer.json()) as { message: string }
    assert.match(text, message)
    assert.equal(
      [answer.status, rest],
      [status, { status: 'ERROR', 'status-code': status, version: '1.0', access: 'public' }],
    )
  })
}

test('other paths and methods, and the format in the path', async () => {
  const status = async (path: string, method = 'GET') => (await fetch(server.url + path, { method })).status
  assert.equal(
    await Promise.all([`${PATH}.json`, `${PATH}/`, '/data/v1/epss.csv', '/data/v1/teams'].map((path) => status(path))),
    [200, 200, 404, 404],
  )
  assert.equal([await status(PATH, 'HEAD'), await status(PATH, 'POST')], [200, 405])
})

test('random parameters get an answer or a documented error', async () => {
  const random = new Random(1)
  const names =
    'cve date days epss-gt epss-lt percentile-gt percentile-lt q order sort scope offset limit envelope pretty x'
  const values = `CVE-2019-0001 CVE-2024-0001,CVE-2020-0001 2024-03-15 2024-03-31 0001-01-01 9999-12-31 1 0 -1 5 0.5 1e999
    !epss -percentile cve time-series public true false % %00 %zz %F0%9F%92%A5 __proto__ ${'x'.repeat(300)} , !`
  const pick = (list: string) => random.pick(list.trim().split(/\s+/))
  const seen = new Set<number>()
  for (let i = 0; i < 500; i++) {
    const fields = Array.from({ length: random.between(0, 4) }, () => `${pick(names)}=${pick(values)}`)
    const answer = await ask(`?${fields.join('&')}`)
    const text = await answer.text()
    seen.add(answer.status)
    if (answer.status === 200) assert.ok(Array.isArray(text.startsWith('[') ? JSON.parse(text) : JSON.parse(text).data))
    else
      assert.equal(
        [answer.status === 400 || answer.status === 403, JSON.parse(text)['status-code']],
        [true, answer.status],
      )
  }
  assert.equal([...seen].sort(), [200, 400, 403])
  assert.equal(
    server.log.filter(({ level }) => level !== 'info'),
    [],
  )
})

test('a request reads at most 200 histories, and says how to ask for more', async () => {
  const many: typeof CVES = Array.from({ length: 201 }, (_, i) => [`CVE-2024-${1000 + i}` as CveId, 0.5, 0.5])
  const options = { auth: 'none', interfaces: { compat: ['epss'] }, scores: scoresOf(many) } as const
  const { url, close } = await serveCompat(options)
  const answer = await fetch(`${url}${PATH}?scope=time-series&limit=201`)
  assert.is(answer.status, 413)
  assert.match(((await answer.json()) as { message: string }).message, /more than 200 CVEs; split/)
  assert.is((await fetch(`${url}${PATH}?scope=time-series&limit=200`)).status, 200)
  await close()
})

test('a snapshot without EPSS is answered with 503; with a bearer, a request without a token with 401', async () => {
  const none = await serveCompat({ interfaces: { compat: ['epss'] } })
  const answer = await fetch(none.url + PATH, { headers: none.bearer })
  assert.is(answer.status, 503)
  assert.match(((await answer.json()) as { message: string }).message, /no EPSS scores; ingest the feed EPSS/)
  assert.is((await fetch(none.url + PATH)).status, 401)
  await none.close()
})

test.run()
