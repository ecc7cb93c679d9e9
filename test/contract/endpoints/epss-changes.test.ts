/** gateway/API.md, 9.36 to 9.40, and rule 34: EPSS scores and their changes, from the editions of a feed. */
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { idsOf, type Summary } from '../support/rows.ts'
import { openWorld } from '../support/service.ts'
import { cveList } from '../support/upstream.ts'

const { states, rule, after, run } = contractSuite('changes of EPSS scores')

const id = (n: number) => `CVE-2024-${String(n).padStart(4, '0')}` as const
const records = cveList([1, 2, 3, 4, 5, 6].map((n) => ({ id: id(n) })))

/** `scores` are those of the ids 1, 2, 3 …; null has none. */
const edition = (date: string, scores: readonly (number | null)[], model = 'v1') => {
  const rows = scores.flatMap((score, i) => (score === null ? [] : [`${id(i + 1)},${score},0.5\n`]))
  const csv = `#model_version:${model},score_date:${date}T00:00:00Z\ncve,epss,percentile\n${rows.join('')}`
  return { [`epss/epss_scores-${date}.csv.gz`]: gzipSync(csv) }
}

const world = await openWorld({
  ...records,
  ...edition('2024-04-30', [0.9, 0.9, 0.9, 0.9]),
  ...edition('2024-05-01', [0.1, 0.2, 0.3, 0.4, null]),
  ...edition('2024-05-24', [0.3, 0.2, 0.2, 0.4, 0.5]),
  ...edition('2024-05-30', [0.9, 0.1, 0.9, 0.9, 0.9]),
  ...edition('2024-06-01', [0.35, 0.2, 0.05, 0.40001, 0.5]),
})
type Changed = Pick<Summary, 'cve_id'> & { epss_change: number | null }
const changes = async (days: string) => {
  const rows = await world.all<Changed>(`/cves?fields=epss_change&sort=published&epss_change_days=${days}`)
  return new Map(rows.map(({ cve_id, epss_change }) => [cve_id, epss_change]))
}
const sorted = async (query: string) => idsOf(await world.all<Summary>(`/cves?${query}`))

rule(34, 'the newest edition that is at least as many days older, in its decimals', async () => {
  const month = await changes('30')
  assert.equal(
    [1, 2, 3, 4, 5, 6].map((n) => month.get(id(n))),
    [0.25, 0, -0.25, 0.00001, null, null],
  )
  const week = await changes('7')
  assert.equal(
    [1, 2, 3, 4, 5, 6].map((n) => week.get(id(n))),
    [0.05, 0, -0.15, 0.00001, 0, null],
  )
})

rule(34, 'no older edition, and none of another model', async () => {
  const old = await openWorld({ ...records, ...edition('2024-04-24', [0.1]), ...edition('2024-06-01', [0.2]) })
  const other = await openWorld({ ...records, ...edition('2024-05-20', [0.1], 'v0'), ...edition('2024-06-01', [0.2]) })
  const late = await openWorld({ ...records, ...edition('2024-04-25', [0.1]), ...edition('2024-06-01', [0.2]) })
  try {
    for (const [one, days, change] of [
      [old, 30, null],
      [other, 7, null],
      [late, 30, 0.1],
      [late, 7, null],
    ] as const) {
      const rows = await one.all<Changed>(`/cves?ids=${id(1)}&fields=epss_change&epss_change_days=${days}`)
      assert.equal(rows, [{ cve_id: id(1), epss_change: change }])
    }
  } finally {
    for (const one of [old, other, late]) one.close()
  }
})

states('9.40', 'scores below the bound, without unknown ones; with epss_min, a band', async () => {
  const [one, two, three, four, five] = [1, 2, 3, 4, 5].map(id)
  const below = async (query: string) => (await sorted(query)).sort()
  assert.equal(await below('epss_below=0.35'), [two, three])
  assert.equal(await below('epss_below=0.350001'), [one, two, three])
  assert.equal(await below('epss_below=1'), [one, two, three, four, five])
  assert.equal(await below('epss_below=0'), [])
  assert.equal(await below('epss_min=0.2&epss_below=0.40001'), [one, two])
  assert.equal(await below('epss_min=0.4&epss_below=0.2'), [])
  await refusesValues(world, '/cves', 'epss_below', ['-0.1', '1.1', 'low'])
})

states('9.38, 9.37', 'the sort key orders by the change, without a known one last', async () => {
  const [one, two, three, four, five, six] = [1, 2, 3, 4, 5, 6].map(id)
  assert.equal(await sorted('sort=-epss_change'), [one, four, two, three, six, five])
  assert.equal(await sorted('sort=epss_change'), [three, two, four, one, five, six])
  assert.equal(await sorted('sort=-epss_change&epss_change_days=7'), [one, four, five, two, three, six])
  assert.equal(await sorted(`sort=-epss_change&ids=${[six, three, one]}`), [one, three, six])
})

states('9.36, 9.38', 'the filter keeps CVEs whose score rose enough', async () => {
  assert.equal(await sorted('epss_change_min=0.00001&sort=-epss_change'), [id(1), id(4)])
  assert.equal(await sorted('epss_change_min=-1&sort=-epss_change'), [1, 4, 2, 3].map(id))
  assert.equal(await sorted('epss_change_min=0&epss_change_days=7&sort=epss_change'), [2, 5, 4, 1].map(id))
  assert.equal(await sorted('epss_change_min=0.25'), [id(1)])
  assert.equal(await sorted('epss_change_min=0.250001'), [])
})

states('9.36', 'a value outside of -1 to 1 is refused', () =>
  refusesValues(world, '/cves', 'epss_change_min', ['1.1', '-1.1', 'x']),
)
states('9.37', 'other days are refused', () => refusesValues(world, '/cves', 'epss_change_days', ['14', '0', 'week']))

states('9.39', 'rows have the change only if it is asked for', async () => {
  const [row] = (await world.json<{ data: object[] }>('/cves?limit=1')).data
  assert.not.ok('epss_change' in row!)
  const fields = (await world.json<{ data: object[] }>(`/cves?ids=${id(1)}&fields=severity,epss_change`)).data
  assert.equal(fields, [{ cve_id: id(1), severity: null, epss_change: 0.25 }])
})

after(() => world.close())
run()
