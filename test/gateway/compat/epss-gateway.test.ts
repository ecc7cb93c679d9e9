/** FIRST's EPSS interface of a gateway, compared with its API. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Summary } from '../../contract/support/rows.ts'
import { openService } from '../../contract/support/service.ts'

interface Row {
  cve: string
  epss: string
  percentile?: string
  date: string
  'time-series'?: Omit<Row, 'cve'>[]
}

interface Point {
  date: string
  score: number
  percentile: number | null
}

const RESTRICTED = 'CVE-2025-22302'
const service = await openService({
  ...{ compat: ['epss'], compatPort: 0, compatAuth: 'none' },
  policy: { rules: [{ id: RESTRICTED, tier: 2 }] },
})
test.after(() => service.remove())

async function rowsOf(query: string): Promise<Row[]> {
  const answer = await fetch(`${service.compatUrl}/data/v1/epss?${query}`)
  assert.is(answer.status, 200, `${query}: ${await answer.clone().text()}`)
  return ((await answer.json()) as { data: Row[] }).data
}

/** Its id, score, percentile and date. */
const numbersOf = ({ cve, epss, percentile, date }: Row) => [cve, Number(epss), Number(percentile), date]

const scored = (await service.all<Summary & { epss: Point }>('/cves?sort=-epss')).filter(
  ({ epss }) => epss.score !== null,
)
const inApi = scored.map(({ cve_id: id, epss }) => [id, epss.score, epss.percentile, epss.date])

test('the current scores are those of the API, in its order', async () => {
  assert.ok(scored.length > 100)
  assert.equal((await rowsOf('order=!epss&limit=10000')).map(numbersOf), inApi)
  assert.equal((await rowsOf('order=!epss&limit=7&offset=20')).map(numbersOf), inApi.slice(20, 27))
  const ids = scored.slice(0, 50).map(({ cve_id: id }) => id)
  assert.equal((await rowsOf(`order=!epss&cve=${ids}`)).map(numbersOf), inApi.slice(0, 50))
})

test('earlier scores and time series are those of the history', async () => {
  const some = scored.filter(({ cve_id: id }) => id !== RESTRICTED).slice(0, 40)
  const ids = some.map(({ cve_id: id }) => id)
  const histories = new Map<string, Point[]>()
  for (const id of ids) {
    const { points } = await service.json<{ points: Point[] }>(`/cves/${id}/epss/history`)
    histories.set(id, points)
  }
  const editions = [...new Set([...histories.values()].flat().map(({ date }) => date))].sort()
  assert.ok(editions.length > 4, `${editions}`)
  const at = (id: string, edition: string) => histories.get(id)!.findLast(({ date }) => date <= edition)
  for (const edition of editions.slice(0, -1)) {
    const found = new Map((await rowsOf(`cve=${ids}&date=${edition}`)).map((row) => [row.cve, row]))
    for (const id of ids) {
      const point = at(id, edition)
      const row = found.get(id)
      assert.equal([row?.epss, row?.date], point ? [point.score.toFixed(9), edition] : [undefined, undefined], id)
      const isOwn = point?.date === edition && point.percentile !== null
      assert.is(row?.percentile, isOwn ? point.percentile!.toFixed(9) : undefined, id)
    }
  }
  let compared = 0
  for (const { cve, date, 'time-series': series } of await rowsOf(`cve=${ids}&scope=time-series`)) {
    const since = new Date(Date.parse(date) - 30 * 86_400_000).toISOString().slice(0, 10)
    const dates = editions.filter((one) => one >= since && one < date && at(cve, one)).toReversed()
    assert.equal(
      series!.map((one) => [one.date, one.epss]),
      dates.map((one) => [one, at(cve, one)!.score.toFixed(9)]),
      cve,
    )
    compared += dates.length
  }
  assert.ok(compared > 40, `${compared}`)
})

test('the history of a CVE above the tier is refused; its current score is in lists, as in the API', async () => {
  const ask = (query: string) => fetch(`${service.compatUrl}/data/v1/epss?cve=${RESTRICTED}${query}`)
  assert.equal([(await ask('')).status, (await ask('&scope=time-series')).status], [200, 403])
})

test.run()
