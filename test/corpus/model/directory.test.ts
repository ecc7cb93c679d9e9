import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CnaRecords,
  type CnaRow,
  cnaRow,
  cnaStats,
  improvementOf,
  unlistedCnas,
} from '../../../corpus/model/directory.ts'

const CORPUS = Date.parse('2026-06-01T00:00:00Z')
const DAY = 86_400_000

/** Returns records published some days before the corpus date, each with its completeness and score. */
function records(...all: [daysAgo: number | null, completeness: number, score?: number | null][]): CnaRecords {
  return {
    published: all.map(([days]) => (days === null ? null : CORPUS - days * DAY)),
    completeness: all.map(([, completeness]) => completeness),
    scores: all.map(([, , score = null]) => score),
    vendors: 3,
  }
}

const times = (count: number, daysAgo: number, completeness: number) =>
  Array.from({ length: count }, (): [number, number] => [daysAgo, completeness])

const rowOf = (own: CnaRecords) => cnaRow('acme', 'Acme', own, CORPUS)

test('rule 25: the score is the mean of the last two years, of all records where these have none', () => {
  assert.is(rowOf(records([10, 100], [700, 50], [731, 0])).overall_completeness, 75)
  assert.is(rowOf(records([731, 40], [5000, 60])).overall_completeness, 50)
})

test('rule 27: without records grade, means and dates are null', () => {
  assert.equal(rowOf({ published: [], completeness: [], scores: [], vendors: 0 }), {
    slug: 'acme',
    cna_name: 'Acme',
    grade: null,
    activity_status: 'Inactive',
    total_cves: 0,
    recent_cves: 0,
    years_active: 0,
    overall_completeness: null,
    avg_cvss_score: null,
    vendor_diversity: 0,
    latest_cve_date: null,
  })
})

test('rule 27: a CNA without records is in no grade and in no ranking', () => {
  const silent = { ...rowOf(records()), slug: 'silent' }
  const poor = { ...rowOf(records(...times(10, 30, 0))), slug: 'poor' }
  const { summary, grade_distribution, leaderboard } = cnaStats([silent, poor], [])
  assert.equal(grade_distribution, { A: 0, B: 0, C: 0, D: 0, F: 1 })
  assert.equal([summary.total_cnas, leaderboard.worst.map(({ slug }) => slug)], [2, ['poor']])
})

test('rule 27: a CNA that is not in the list is named as most of its records name it', () => {
  const assigners = Object.entries({ Listed: 5, 'Big  Corp': 2, 'big corp': 2, 'BIG Corp': 1, alone: 1, 'N/A': 9 })
  assert.equal(unlistedCnas(new Set(['listed', 'other']), assigners), [
    { slug: 'big_corp', cna_name: 'Big  Corp' },
    { slug: 'alone', cna_name: 'alone' },
  ])
  assert.equal(unlistedCnas(new Set(), Object.entries({ Acme: 1, ACME: 3 })), [{ slug: 'acme', cna_name: 'ACME' }])
})

test('a record without a date counts, but neither as recent nor as the latest', () => {
  const row = rowOf(records([null, 80, 5], [400, 60, 8]))
  assert.is(row.total_cves, 2)
  assert.is(row.recent_cves, 0)
  assert.is(row.avg_cvss_score, 6.5)
  assert.is(row.latest_cve_date, new Date(CORPUS - 400 * DAY).toISOString())
})

test('rule 25: improvement is the newest year against the one before, ten records in each', () => {
  const name = { slug: 'acme', cna_name: 'Acme' }
  assert.equal(improvementOf(name, records(...times(10, 30, 90), ...times(10, 400, 50)), CORPUS), {
    ...name,
    older_grade: 'C',
    recent_grade: 'A',
    older_score: 50,
    recent_score: 90,
    delta: 40,
  })
  assert.is(improvementOf(name, records(...times(10, 30, 90), ...times(9, 400, 50)), CORPUS), null)
  assert.is(improvementOf(name, records(...times(9, 30, 90), ...times(10, 400, 50)), CORPUS), null)
})

test('rule 27: the leaderboard ranks CNAs of ten records; ties by more records, then by slug', () => {
  const row = (slug: string, total: number, completeness: number, recent = 0): CnaRow => ({
    ...rowOf(records([1, 0])),
    slug,
    total_cves: total,
    overall_completeness: completeness,
    recent_cves: recent,
    grade: 'B',
  })
  const rows = [row('b', 10, 90), row('a', 10, 90), row('c', 20, 90, 3), row('few', 9, 100, 4), row('d', 10, 10)]
  const { summary, leaderboard, grade_distribution: grades } = cnaStats(rows, [])
  const slugs = (all: CnaRow[]) => all.map(({ slug }) => slug)
  assert.equal(slugs(leaderboard.best), ['c', 'a', 'b', 'd'])
  assert.equal(slugs(leaderboard.worst), ['d', 'c', 'a', 'b'])
  assert.equal(slugs(leaderboard.most_active), ['few', 'c'])
  assert.equal(summary, { total_cnas: 5, active_cnas: 5, total_cves: 59, avg_completeness: 76 })
  assert.equal(grades, { A: 0, B: 5, C: 0, D: 0, F: 0 })
})

test.run()
