/** Rules of retention, compared with a brute-force reading: for each period the newest snapshot. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { KEEP_RULES, type KeepRule, type KeepRules, keptBy } from '../../../corpus/repository/retention.ts'

const DAY = 86_400_000
const at = (time: string) => Date.parse(time)
/** From a Monday. */
const WEEK_0 = at('1969-12-29')

/** Returns a number that two times share if they are in one period. */
const PERIOD: Record<KeepRule, (ms: number, i: number) => number> = {
  last: (_, i) => i,
  daily: (ms) => Math.floor(ms / DAY),
  weekly: (ms) => Math.floor((ms - WEEK_0) / (7 * DAY)),
  monthly: (ms) => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth(),
  yearly: (ms) => new Date(ms).getUTCFullYear(),
}

/** Whether a rule keeps a snapshot: none is newer in its period, and fewer than n periods with a snapshot are newer. */
function isKept(times: readonly number[], i: number, rule: KeepRule, n: number): boolean {
  const periods = times.map((ms, at) => PERIOD[rule](ms, at))
  const newer = periods.slice(0, i)
  return !newer.includes(periods[i]!) && new Set(newer).size < n
}

const count = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(Number.POSITIVE_INFINITY))
const rules: fc.Arbitrary<KeepRules> = fc.record(Object.fromEntries(KEEP_RULES.map((rule) => [rule, count])), {
  requiredKeys: [],
})
/** Around ends of years, and dense enough for several snapshots in one day. */
const time = fc.oneof(
  fc.integer({ min: at('2026-06-01'), max: at('2026-06-10') }),
  fc.integer({ min: at('2020-12-20'), max: at('2021-01-15') }),
  fc.integer({ min: at('1969-06-01'), max: at('2040-01-01') }),
)
const history = fc.array(time, { maxLength: 40 }).map((times) => times.sort((a, b) => b - a))

test('each rule keeps the newest snapshot of each of its newest periods', () => {
  fc.assert(
    fc.property(history, rules, (times, keep) => {
      const kept = keptBy(times, keep)
      for (const [i] of times.entries()) {
        const expected = KEEP_RULES.filter((rule) => keep[rule] !== undefined && isKept(times, i, rule, keep[rule]))
        assert.equal(
          kept[i]!.map((reason) => reason.split(' ')[0]),
          expected,
        )
      }
    }),
    { numRuns: 2000 },
  )
})

test('periods are in UTC, and weeks are those of ISO 8601', () => {
  const all = Object.fromEntries(KEEP_RULES.map((rule) => [rule, Number.POSITIVE_INFINITY]))
  const of = (time: string) => keptBy([at(time)], all)[0]
  assert.equal(of('2026-06-01T00:00:00.000Z'), [
    'last',
    'daily 2026-06-01',
    'weekly 2026-W23',
    'monthly 2026-06',
    'yearly 2026',
  ])
  assert.equal(of('2026-05-31T23:59:59.999Z'), [
    'last',
    'daily 2026-05-31',
    'weekly 2026-W22',
    'monthly 2026-05',
    'yearly 2026',
  ])
  for (const [day, week] of [
    ['2021-01-03', '2020-W53'],
    ['2021-01-04', '2021-W01'],
    ['2024-12-29', '2024-W52'],
    ['2024-12-30', '2025-W01'],
    ['2026-01-01', '2026-W01'],
    ['2027-01-01', '2026-W53'],
    ['2000-01-02', '1999-W52'],
    ['+012026-01-01', '+012026-W01'],
  ] as const)
    assert.equal(keptBy([at(`${day}T12:00:00Z`)], { weekly: 1 }), [[`weekly ${week}`]])
})

test('without rules nothing is kept, and one of several rules is enough', () => {
  const times = ['2026-06-02T03:00:00Z', '2026-06-02T02:00:00Z', '2026-06-01T02:00:00Z', '2026-05-31T02:00:00Z'].map(at)
  assert.equal(keptBy(times, {}), [[], [], [], []])
  assert.equal(keptBy(times, { last: 2, monthly: 2 }), [['last', 'monthly 2026-06'], ['last'], [], ['monthly 2026-05']])
})

test.run()
