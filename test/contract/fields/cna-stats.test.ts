/** gateway/API.md, section 23: every figure of the statistics, computed from the CVE list. */
import * as assert from 'uvu/assert'
import type { CnaRow, CnaStats, ImprovedCna } from '../../../corpus/model/directory.ts'
import { contractSuite } from '../support/contract.ts'
import { cnaReferences, containerWeaknesses, sameTag } from '../support/expected.ts'
import { expectValues, integer, matching, number, object, oneOf, string, timestamp } from '../support/field-types.ts'
import type { Summary } from '../support/rows.ts'
import { type CveJson, sampleFeeds } from '../support/sample-feeds.ts'
import { openService } from '../support/service.ts'

const { states, after, run } = contractSuite('CNA directory stats')
// Enough records that some CNA has ten in each of its last two years.
const service = await openService({ size: 'large' })
const feeds = sampleFeeds(service.made)
const stats = await service.json<CnaStats>('/cnas/stats')
const rows = await service.all<CnaRow>('/cnas')
const scores = new Map(
  (await service.all<Summary>('/cves')).map(({ cve_id, cvss_score }) => [String(cve_id), cvss_score]),
)

const GRADES = ['A', 'B', 'C', 'D', 'F'] as const
const gradeOf = (score: number) => GRADES[[80, 60, 40, 20, 0].findIndex((lowest) => score >= lowest)]

/** Description, affected and references together 50; CWE 15; CVSS 3 or 4 15; CPE 10; patch reference 10. */
function completeness(record: CveJson): number {
  const { cna } = record.containers
  const references = cnaReferences(record)
  const stated = [
    [50, (cna?.descriptions ?? []).length > 0 && (cna?.affected ?? []).length > 0 && references.length > 0],
    [15, containerWeaknesses(cna).length > 0],
    [15, /"cvssV[34]_/.test(JSON.stringify(cna?.metrics ?? []))],
    [10, (cna?.affected ?? []).some(({ cpes }) => Array.isArray(cpes) && cpes.length > 0)],
    [10, references.some(({ tags }) => sameTag(tags, 'patch'))],
  ] as const
  return stated.reduce((sum, [points, given]) => sum + (given ? points : 0), 0)
}

const DAY_MS = 86_400_000
const served = feeds.records.filter(({ cveMetadata }) => cveMetadata.state !== 'REJECTED')
/** The newest date that the CVE list states. */
const corpusDate = Math.max(
  ...feeds.records.flatMap(({ cveMetadata: { dateUpdated, datePublished } }) =>
    [dateUpdated, datePublished].flatMap((date) => (date ? Date.parse(date) : [])),
  ),
)
/** NaN for reserved records, which are of no year. */
const daysAgo = ({ cveMetadata }: CveJson) => (corpusDate - Date.parse(cveMetadata.datePublished ?? '')) / DAY_MS
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const near = (given: number | null, expected: number, within: number, what: string) =>
  assert.ok(given !== null && Math.abs(given - expected) <= within, `${what}: ${given} for ${expected}`)

const slugOf = (shortName: string) => shortName.trim().toLowerCase().replace(/\s+/g, '_')
const byCna = Map.groupBy(served, ({ cveMetadata }) => slugOf(cveMetadata.assignerShortName ?? ''))
/** Those of the list, with or without records, then those that only records name. */
const recordsOf = new Map([
  ...feeds.cnas.map(({ shortName }) => [slugOf(shortName), byCna.get(slugOf(shortName)) ?? []] as const),
  ...byCna,
])
const namesOf = new Map(feeds.cnas.map(({ shortName, organizationName }) => [slugOf(shortName), organizationName]))

/** Of the last two years, or of all where these have none. */
function scoreOf(records: readonly CveJson[]): number {
  const lately = records.filter((record) => daysAgo(record) < 730)
  return mean((lately.length > 0 ? lately : records).map(completeness))
}

states('23.13, 23.14', 'the parts, and the summary of all CNAs', () => {
  assert.equal(Object.keys(stats).sort(), ['grade_distribution', 'leaderboard', 'summary'])
  assert.equal(Object.keys(stats.leaderboard).sort(), ['best', 'most_active', 'most_improved', 'worst'])
  const { summary } = stats
  assert.ok(object({ total_cnas: number, active_cnas: number, total_cves: number, avg_completeness: number })(summary))
  assert.is(summary.total_cnas, recordsOf.size)
  const owned = [...recordsOf.values()]
  assert.is(summary.active_cnas, owned.filter((records) => records.some((one) => daysAgo(one) < 365)).length)
  assert.is(summary.total_cves, served.length)
  near(summary.avg_completeness, mean(owned.filter((records) => records.length > 0).map(scoreOf)), 0.1, 'average')
})

states('23.15', 'CNAs by grade', () => {
  const expected = Object.fromEntries(GRADES.map((grade) => [grade, 0]))
  for (const records of recordsOf.values()) if (records.length > 0) expected[gradeOf(scoreOf(records))!]!++
  assert.equal(stats.grade_distribution, expected)
})

const ROW = object({
  slug: string,
  cna_name: string,
  grade: matching(/^[ABCDF]$/),
  activity_status: oneOf('Active', 'Inactive'),
  total_cves: integer,
  recent_cves: integer,
  years_active: number,
  overall_completeness: number,
  avg_cvss_score: number,
  vendor_diversity: integer,
  latest_cve_date: timestamp,
})

states('23.16', 'the rows and their figures', () => {
  const { best, worst, most_active: active } = stats.leaderboard
  for (const list of [best, worst, active]) assert.ok(list.length > 3 && list.every(ROW), JSON.stringify(list))
  // They are rows of the directory, and these are what the records make them.
  for (const row of [...best, ...worst, ...active])
    assert.equal(
      row,
      rows.find(({ slug }) => slug === row.slug),
    )
  for (const row of rows) {
    const records = recordsOf.get(row.slug)!
    const recent = records.filter((record) => daysAgo(record) < 365).length
    assert.equal([row.cna_name, row.total_cves, row.recent_cves], [namesOf.get(row.slug), records.length, recent])
    if (records.length === 0) continue
    const score = scoreOf(records)
    near(row.overall_completeness, score, 0.05 + 1e-9, row.slug)
    assert.is(row.grade, gradeOf(score), row.slug)
    const scored = records.flatMap(({ cveMetadata: { cveId } }) => scores.get(cveId) ?? [])
    if (scored.length > 0) near(row.avg_cvss_score, mean(scored), 0.005 + 1e-9, row.slug)
    const dates = records.flatMap(({ cveMetadata: { datePublished } }) =>
      datePublished ? Date.parse(datePublished) : [],
    )
    if (dates.length === 0) continue
    assert.is(Date.parse(row.latest_cve_date!), Math.max(...dates), row.slug)
    near(row.years_active, (corpusDate - Math.min(...dates)) / DAY_MS / 365.25, 0.05 + 1e-9, row.slug)
    assert.ok(row.vendor_diversity >= 1, row.slug)
  }
  const falling = (list: readonly CnaRow[], value: (row: CnaRow) => number) =>
    list.every((row, i) => i === 0 || value(list[i - 1]!) >= value(row))
  assert.ok(falling(best, (row) => row.overall_completeness!))
  assert.ok(falling(worst, (row) => -row.overall_completeness!))
  assert.ok(falling(active, (row) => row.recent_cves))
  assert.is(active[0]!.recent_cves, Math.max(...rows.map((row) => row.recent_cves)))
})

states('23.18', 'active by recent records', () => {
  expectValues(
    rows.map((row) => row.activity_status),
    ['Active', 'Inactive'],
  )
  for (const row of rows) assert.is(row.activity_status, row.recent_cves > 0 ? 'Active' : 'Inactive', row.slug)
})

states('23.17', 'the CNAs that improved most', () => {
  const improved: readonly ImprovedCna[] = stats.leaderboard.most_improved
  const grade = oneOf(...GRADES)
  const text = { slug: string, cna_name: string, older_grade: grade, recent_grade: grade }
  const shape = object({ ...text, older_score: number, recent_score: number, delta: number })
  assert.ok(improved.length > 0 && improved.every(shape), JSON.stringify(improved))
  const expected = [...recordsOf].flatMap(([slug, records]) => {
    const recent = records.filter((record) => daysAgo(record) < 365).map(completeness)
    const older = records.filter((one) => daysAgo(one) >= 365 && daysAgo(one) < 730).map(completeness)
    if (recent.length < 10 || older.length < 10) return []
    return [{ slug, older: mean(older), recent: mean(recent) }]
  })
  const shown = (score: number) => Math.round(score * 10)
  const delta = (one: (typeof expected)[number]) => shown(one.recent) - shown(one.older)
  const byDelta = expected
    .filter((one) => delta(one) > 0)
    .sort((a, b) => delta(b) - delta(a) || (a.slug < b.slug ? -1 : 1))
  assert.equal(
    improved.map(({ slug }) => slug),
    byDelta.map(({ slug }) => slug),
  )
  for (const [i, row] of improved.entries()) {
    const { older, recent } = byDelta[i]!
    assert.equal(
      [row.cna_name, row.older_grade, row.recent_grade],
      [namesOf.get(row.slug), gradeOf(older), gradeOf(recent)],
    )
    near(row.older_score, older, 0.05 + 1e-9, row.slug)
    near(row.recent_score, recent, 0.05 + 1e-9, row.slug)
    near(row.delta, row.recent_score - row.older_score, 1e-9, row.slug)
    assert.is(row.delta, Number(row.delta.toFixed(1)))
  }
})

after(() => service.remove())
run()
