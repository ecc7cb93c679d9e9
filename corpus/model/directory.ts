/** The rows of CNAs, vendors and products (gateway/API.md, sections 23 and 24; rules 25 and 27). */

import { nameKey } from './affected/products.ts'
import type { CveId } from './ids/cve-id.ts'
import type { CveCore, KevCatalogEntry } from './record.ts'
import { type Grade, gradeOf } from './scores/completeness.ts'
import { compareText } from './sources.ts'
import { DAY_MS } from './values/date.ts'

/** A row of `/kev`: the entry of one catalog, and the summary record of its CVE. */
export interface KevRow extends KevCatalogEntry {
  cve_id: CveId
  cve: CveCore & { epss: object }
}

/** A row of `/rejected`. */
export interface RejectedRow {
  cve_id: CveId
  /** ISO 8601 in UTC. */
  date_rejected: string | null
  reason: string | null
  /** CVEs that replace it. */
  replaced_by: CveId[]
}

export interface VendorRow {
  slug: string
  display: string
  product_count: number
  cve_count: number
  /** Each spelling of the records, ascending. */
  spellings: string[]
}

export interface ProductRow {
  slug: string
  display: string
  /** Key of the vendor. */
  vendor: string
  vendor_display: string
  cve_count: number
  /** As in `VendorRow`. */
  spellings: string[]
}

export interface CnaRow {
  slug: string
  cna_name: string
  /** Null without records. */
  grade: Grade | null
  activity_status: 'Active' | 'Inactive'
  total_cves: number
  recent_cves: number
  years_active: number
  overall_completeness: number | null
  avg_cvss_score: number | null
  vendor_diversity: number
  latest_cve_date: string | null
}

export interface ImprovedCna {
  slug: string
  cna_name: string
  older_grade: Grade
  recent_grade: Grade
  older_score: number
  recent_score: number
  delta: number
}

export interface CnaStats {
  summary: { total_cnas: number; active_cnas: number; total_cves: number; avg_completeness: number | null }
  grade_distribution: Record<Grade, number>
  leaderboard: { best: CnaRow[]; worst: CnaRow[]; most_active: CnaRow[]; most_improved: ImprovedCna[] }
}

/** The data of a CNA's records. Times are ms since the epoch, completeness is 0 to 100, scores are 0 to 10. */
export interface CnaRecords {
  published: (number | null)[]
  completeness: number[]
  scores: (number | null)[]
  vendors: number
}

const YEAR_DAYS = 365
const DAYS_PER_YEAR = 365.25
/** Minimum records for a trend of a CNA (rule 25, `most_improved`). */
const MIN_RECORDS = 10
const LEADERS = 10

/**
 * Returns the row of a CNA. "The last year" ends at `corpusDate`, in ms since the epoch. Without records, grade, score,
 * means and dates are null (rule 27).
 */
export function cnaRow(slug: string, name: string, records: CnaRecords, corpusDate: number): CnaRow {
  const dates = records.published.filter((date) => date !== null)
  const [first, latest] = [least(dates), most(dates)]
  const recent = dates.filter((date) => isWithin(date, corpusDate, 0, 1)).length
  const score = mean(ofTwoYears(records, corpusDate))
  const cvss = mean(records.scores.filter((one) => one !== null))
  return {
    slug,
    cna_name: name,
    grade: score === null ? null : gradeOf(score),
    activity_status: recent > 0 ? 'Active' : 'Inactive',
    total_cves: records.published.length,
    recent_cves: recent,
    years_active: first === null ? 0 : rounded(Math.max(0, corpusDate - first) / DAY_MS / DAYS_PER_YEAR, 1),
    overall_completeness: score === null ? null : rounded(score, 1),
    avg_cvss_score: cvss === null ? null : rounded(cvss, 2),
    vendor_diversity: records.vendors,
    latest_cve_date: latest === null ? null : new Date(latest).toISOString(),
  }
}

/**
 * Returns the CNAs that assigned records but are not in the list. Each has the name that most of its records use (rule
 * 27). `listed` contains the keys of the list. `assigners` contains each short name with its number of records.
 */
export function unlistedCnas(
  listed: ReadonlySet<string>,
  assigners: Iterable<readonly [shortName: string, records: number]>,
): Pick<CnaRow, 'slug' | 'cna_name'>[] {
  const names = new Map<string, string>()
  const byUse = [...assigners].sort(([a, x], [b, y]) => y - x || compareText(a, b))
  for (const [name] of byUse) {
    const slug = nameKey(name)
    if (slug !== null && !listed.has(slug) && !names.has(slug)) names.set(slug, name)
  }
  return Array.from(names, ([slug, cna_name]) => ({ slug, cna_name }))
}

/** Compares the newest year with the year before. Null if one of them has fewer than ten records (rule 25). */
export function improvementOf(
  { slug, cna_name }: Pick<CnaRow, 'slug' | 'cna_name'>,
  records: CnaRecords,
  corpusDate: number,
): ImprovedCna | null {
  const year = (ago: number) =>
    records.completeness.filter((_, i) => isWithin(records.published[i] ?? null, corpusDate, ago, ago + 1))
  const [recent, older] = [year(0), year(1)]
  if (recent.length < MIN_RECORDS || older.length < MIN_RECORDS) return null
  const [recentScore, olderScore] = [rounded(mean(recent)!, 1), rounded(mean(older)!, 1)]
  return {
    slug,
    cna_name,
    older_grade: gradeOf(olderScore),
    recent_grade: gradeOf(recentScore),
    older_score: olderScore,
    recent_score: recentScore,
    delta: rounded(recentScore - olderScore, 1),
  }
}

/**
 * Returns the statistics of all CNAs. Best and worst have at least ten records; ties prefer more records, then the
 * slug. Only positive `improvements` count. A CNA without records has no grade.
 */
export function cnaStats(rows: readonly CnaRow[], improvements: readonly ImprovedCna[]): CnaStats {
  const grades: Record<Grade, number> = { A: 0, B: 0, C: 0, D: 0, F: 0 }
  for (const { grade } of rows) if (grade !== null) grades[grade]++
  const scores = rows.flatMap(({ overall_completeness: score }) => (score === null ? [] : [score]))
  const ranked = rows.filter(({ total_cves: total }) => total >= MIN_RECORDS)
  const by = (value: (row: CnaRow) => number) => (a: CnaRow, b: CnaRow) =>
    value(b) - value(a) || b.total_cves - a.total_cves || compareText(a.slug, b.slug)
  const completeness = (row: CnaRow) => row.overall_completeness ?? 0
  const average = mean(scores)
  return {
    summary: {
      total_cnas: rows.length,
      active_cnas: rows.filter(({ activity_status: status }) => status === 'Active').length,
      total_cves: rows.reduce((sum, row) => sum + row.total_cves, 0),
      avg_completeness: average === null ? null : rounded(average, 1),
    },
    grade_distribution: grades,
    leaderboard: {
      best: ranked.toSorted(by(completeness)).slice(0, LEADERS),
      worst: ranked.toSorted(by((row) => -completeness(row))).slice(0, LEADERS),
      most_active: rows
        .filter(({ recent_cves: recent }) => recent > 0)
        .sort(by((row) => row.recent_cves))
        .slice(0, LEADERS),
      most_improved: improvements
        .filter(({ delta }) => delta > 0)
        .sort((a, b) => b.delta - a.delta || compareText(a.slug, b.slug))
        .slice(0, LEADERS),
    },
  }
}

/** Returns the completeness of the records of the last two years, or of all if these years have none (rule 25). */
function ofTwoYears({ completeness, published }: CnaRecords, corpusDate: number): number[] {
  const lately = completeness.filter((_, i) => isWithin(published[i] ?? null, corpusDate, 0, 2))
  return lately.length > 0 ? lately : completeness
}

/** Returns whether `date` is between `from` and `to` years of 365 days before the corpus date. */
function isWithin(date: number | null, corpusDate: number, from: number, to: number): boolean {
  if (date === null) return false
  const days = (corpusDate - date) / DAY_MS
  return days < to * YEAR_DAYS && (from === 0 || days >= from * YEAR_DAYS)
}

function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

const least = (values: readonly number[]) => values.reduce<number | null>((a, b) => (a === null || b < a ? b : a), null)
const most = (values: readonly number[]) => values.reduce<number | null>((a, b) => (a === null || b > a ? b : a), null)

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
