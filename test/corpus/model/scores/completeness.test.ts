/** Completeness and grades, of records and of CNAs (rules 25, 27). */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CnaRecords, cnaRow, cnaStats } from '../../../../corpus/model/directory.ts'
import { completenessOf, gradeOf } from '../../../../corpus/model/scores/completeness.ts'
import { cveClaim } from '../properties/arbitrary.ts'
import { property } from '../properties/property.ts'

const CNA = cveClaim('cna')
const GRADES = ['F', 'D', 'C', 'B', 'A']

property('rule 25: a record scores 0 or 50 for its foundation, and 15, 15, 10, 10 for the rest', [CNA], (cna) => {
  const foundation = cna.description !== null && cna.affected.length > 0 && cna.references.length > 0
  const want =
    (foundation ? 50 : 0) +
    (cna.weaknesses.length > 0 ? 15 : 0) +
    (cna.metrics.some(({ version }) => version !== '2.0') ? 15 : 0) +
    (cna.affected.some(({ cpes }) => cpes !== null) ? 10 : 0) +
    (cna.references.some(({ tags }) => tags.some((tag) => tag.toLowerCase() === 'patch')) ? 10 : 0)
  assert.is(completenessOf(cna), want)
  assert.ok(want >= 0 && want <= 100 && want % 5 === 0)
})

property('rule 25: whatever a CNA adds, its record never scores less', [CNA, CNA], (cna, more) => {
  const added = {
    ...cna,
    description: cna.description ?? more.description,
    metrics: [...cna.metrics, ...more.metrics],
    weaknesses: [...cna.weaknesses, ...more.weaknesses],
    affected: [...cna.affected, ...more.affected],
    references: [...cna.references, ...more.references],
  }
  assert.ok(completenessOf(added) >= completenessOf(cna))
})

property(
  'rule 25: grades rise with the score, in steps at 20, 40, 60 and 80',
  [fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10)],
  (score) => {
    assert.is(gradeOf(score), GRADES[Math.min(4, Math.floor(score / 20))])
  },
)

const DATE = Date.parse('2024-10-24T00:00:00.000Z')
const DAY = 86_400_000
const RECORDS: fc.Arbitrary<CnaRecords> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.option(fc.integer({ min: 0, max: 2000 }).map((days) => DATE - days * DAY)),
        fc.integer({ min: 0, max: 20 }).map((steps) => steps * 5),
        fc.option(fc.integer({ min: 0, max: 100 }).map((tenths) => tenths / 10)),
      ),
      { maxLength: 30 },
    ),
    fc.nat(5),
  )
  .map(([records, vendors]) => ({
    published: records.map(([published]) => published),
    completeness: records.map(([, completeness]) => completeness),
    scores: records.map(([, , score]) => score),
    vendors,
  }))
const ROW = RECORDS.map((records) => cnaRow('acme', 'Acme', records, DATE))

property(
  'rule 25: the score is the mean over two years, else over all; it and the grade are null only without records',
  [RECORDS],
  (records) => {
    const row = cnaRow('acme', 'Acme', records, DATE)
    const { published, completeness } = records
    const lately = completeness.filter((_, i) => published[i] !== null && DATE - published[i]! < 730 * DAY)
    const counted = lately.length > 0 ? lately : completeness
    const sum = counted.reduce((total, one) => total + one, 0)
    assert.is(row.overall_completeness === null, published.length === 0)
    if (row.overall_completeness === null) assert.equal([row.grade, row.latest_cve_date], [null, null])
    else {
      assert.ok(Math.abs(row.overall_completeness - sum / counted.length) <= 0.05 + 1e-9)
      assert.is(row.grade, gradeOf(sum / counted.length))
    }
  },
)

property('rule 25: a CNA is active exactly by a record of the last 365 days', [RECORDS], (records) => {
  const row = cnaRow('acme', 'Acme', records, DATE)
  const recent = records.published.filter((date) => date !== null && DATE - date < 365 * DAY).length
  assert.equal([row.recent_cves, row.activity_status], [recent, recent > 0 ? 'Active' : 'Inactive'])
  assert.ok(row.recent_cves <= row.total_cves)
})

property(
  'rules 25, 27: the statistics count every CNA once, grade those with records, and rank the best first',
  [fc.array(ROW, { maxLength: 15 })],
  (rows) => {
    const { summary, grade_distribution: grades, leaderboard } = cnaStats(rows, [])
    assert.is(summary.total_cnas, rows.length)
    assert.is(
      Object.values(grades).reduce((sum, count) => sum + count, 0),
      rows.filter((row) => row.total_cves > 0).length,
    )
    const best = leaderboard.best.map((row) => row.overall_completeness ?? 0)
    assert.equal(
      best,
      best.toSorted((a, b) => b - a),
    )
    const worst = leaderboard.worst.map((row) => row.overall_completeness ?? 0)
    assert.equal(
      worst,
      worst.toSorted((a, b) => a - b),
    )
    for (const row of [...leaderboard.best, ...leaderboard.worst]) assert.ok(row.total_cves >= 10)
  },
)

test.run()
