/** The figures of a snapshot: SPEC.md, "Stats". */
import { nameKey } from '../../model/affected/products.ts'
import type { LastUpdate } from '../../model/last-update.ts'
import { compareText } from '../../model/sources.ts'
import type { RecentFigures, SeverityCounts, Stats, TopEntries, TopEntry } from '../../model/stats.ts'
import { DAY_MS } from '../../model/values/date.ts'
import { fold } from '../codec/fold.ts'
import { type EpssColumns, fromBillionths, NO_EPSS, toBillionths } from '../record/epss.ts'
import { FLAGS, SEVERITIES } from './facts.ts'
import type { ListedCves } from './list-postings.ts'
import type { ListRows } from './list-rows.ts'
import { assignerOf, type Rows, weaknessesOf } from './rows.ts'

/** EPSS is skewed: half of all scores are below 0.001. Each bound is about three times the one before. */
const EPSS_FROM = [0, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3]
const CVSS_FROM = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
/** CVSS scores of `highest`: critical. */
const HIGH_CVSS = 9
const HIGHEST = 10
const TOP = 20
const YEAR_DAYS = 365
/** The periods of `recent`: a day, a week, a month. */
const RECENT_DAYS = [1, 7, 30]
/** Records that a CNA must have for a share. */
const MIN_RECORDS = 20
/** Bounds the file in a hostile corpus. In 2024, 412 CNAs existed. */
const MAX_CNAS = 1000

export interface StatsInput {
  rows: Rows
  epss: EpssColumns
  corpusDate: string | null
  lastUpdate: LastUpdate | null
}

export interface StatsLists {
  cwes: ListRows['cwes']
  cnas: ListRows['cnas']
  vendors: ListRows['vendors']
  exploits: ListRows['exploits']
  /** The rows of the CVEs of each vendor. */
  cvesOfVendor: ListedCves['vendor']
}

export function statsOf({ rows, epss, corpusDate, lastUpdate }: StatsInput, lists: StatsLists): Stats {
  // Strictly less than 365 days before the corpus date, as `recent_cves` (rule 27).
  const since = corpusDate === null ? Number.POSITIVE_INFINITY : Date.parse(corpusDate) - YEAR_DAYS * DAY_MS + 1
  const isRecent = (row: number) => rows.published[row]! >= since
  const counted = countCnas(rows, isRecent)
  const cnas = lists.cnas.flatMap(({ slug, cna_name: name }) => {
    const counts = counted.get(slug)
    return counts ? [[slug, { name, ...counts }] as const] : []
  })
  return {
    corpus_date: corpusDate,
    epss_date: epss.date,
    last_update: lastUpdate,
    recent: corpusDate === null ? [] : RECENT_DAYS.map((days) => recentFigures(days, corpusDate, rows, lists.exploits)),
    totals: totalsOf(rows),
    published_by_month: publishedByMonth(rows),
    kev_by_month: kevByMonth(rows),
    epss_by_cvss: epssByCvss(rows, epss),
    last_year_since: corpusDate === null ? null : new Date(since).toISOString(),
    weaknesses: topWeaknesses(rows, lists.cwes, isRecent),
    vendors: topVendors(rows, lists, isRecent),
    cnas: {
      all_time: top(cnas, (id, { name, all }) => ({ id, name, ...all })),
      last_year: top(cnas, (id, { name, recent }) => ({ id, name, ...recent })),
    },
    cna_scores: cnas
      .map(([slug, { name, all, recent, unscored, recentUnscored }]) => ({
        slug,
        cna_name: name,
        total_cves: all.cve_count,
        without_cna_cvss: unscored,
        recent_cves: recent.cve_count,
        recent_without_cna_cvss: recentUnscored,
      }))
      .filter(({ total_cves }) => total_cves >= MIN_RECORDS)
      .sort((a, b) => b.total_cves - a.total_cves || compareText(a.slug, b.slug))
      .slice(0, MAX_CNAS),
  }
}

const noCounts = (): SeverityCounts => ({ critical: 0, high: 0, medium: 0, low: 0, none: 0, unscored: 0 })

const severityOf = ({ severity }: Rows, row: number) => SEVERITIES[severity[row]!] ?? 'unscored'

function totalsOf(rows: Rows): Stats['totals'] {
  const totals = { cves: rows.count, kev: 0, has_exploit: 0, has_patch: 0, severity: noCounts() }
  for (let row = 0; row < rows.count; row++) {
    const flags = rows.flags[row]!
    if (flags & FLAGS.kev) totals.kev++
    if (flags & FLAGS.has_exploit) totals.has_exploit++
    if (flags & FLAGS.has_patch) totals.has_patch++
    totals.severity[severityOf(rows, row)]++
  }
  return totals
}

function recentFigures(days: number, corpusDate: string, rows: Rows, exploits: StatsLists['exploits']): RecentFigures {
  const until = corpusDate.slice(0, 10)
  const end = Date.parse(until) + DAY_MS
  const begin = end - days * DAY_MS
  const isWithin = (time: number) => time >= begin && time < end
  const published = noCounts()
  let kevAdded = 0
  for (let row = 0; row < rows.count; row++) {
    if (isWithin(rows.published[row]!)) published[severityOf(rows, row)]++
    if (isWithin(rows.kevAdded[row]!)) kevAdded++
  }
  return {
    days,
    since: new Date(begin).toISOString().slice(0, 10),
    until,
    published,
    kev_added: kevAdded,
    exploits: exploits.filter(({ date_published: date }) => date !== null && isWithin(Date.parse(date))).length,
  }
}

/** The months since year 0; a number is a faster key than its text. */
function monthOf(time: number): number {
  const date = new Date(time)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

const monthText = (month: number) =>
  `${String(Math.floor(month / 12)).padStart(4, '0')}-${String((month % 12) + 1).padStart(2, '0')}`

const ascending = <V>(months: Map<number, V>) => [...months].sort(([a], [b]) => a - b)

function publishedByMonth(rows: Rows): Stats['published_by_month'] {
  const months = new Map<number, SeverityCounts>()
  for (let row = 0; row < rows.count; row++) {
    if (Number.isNaN(rows.published[row]!)) continue
    const month = monthOf(rows.published[row]!)
    let counts = months.get(month)
    if (!counts) {
      counts = noCounts()
      months.set(month, counts)
    }
    counts[severityOf(rows, row)]++
  }
  return ascending(months).map(([month, counts]) => ({ month: monthText(month), ...counts }))
}

function kevByMonth(rows: Rows): Stats['kev_by_month'] {
  const months = new Map<number, number>()
  for (const time of rows.kevAdded) {
    if (!Number.isNaN(time)) months.set(monthOf(time), (months.get(monthOf(time)) ?? 0) + 1)
  }
  return ascending(months).map(([month, cves]) => ({ month: monthText(month), cves }))
}

function epssByCvss({ count, ids, score }: Rows, { scores }: EpssColumns): Stats['epss_by_cvss'] {
  const bounds = EPSS_FROM.map(toBillionths)
  const counts = EPSS_FROM.map(() => CVSS_FROM.map(() => 0))
  const high: number[] = []
  let without = 0
  for (let row = 0; row < count; row++) {
    const [cvss, epss] = [score[row]!, scores[row]!]
    if (Number.isNaN(cvss) || epss === NO_EPSS) {
      without++
      continue
    }
    const band = bounds.findLastIndex((from) => epss >= from)
    counts[band]![Math.min(Math.floor(cvss), CVSS_FROM.length - 1)]!++
    if (cvss >= HIGH_CVSS) high.push(row)
  }
  // Rows are in id order, and the sort is stable.
  const highest = high.sort((a, b) => scores[b]! - scores[a]!).slice(0, HIGHEST)
  return {
    epss_from: EPSS_FROM,
    cvss_from: CVSS_FROM,
    counts,
    without_scores: without,
    highest: highest.map((row) => ({
      cve_id: ids[row]!,
      cvss_score: score[row]!,
      epss: fromBillionths(scores[row]!),
    })),
  }
}

type Counts = Pick<TopEntry, 'cve_count' | 'kev_count'>
const none = (): Counts => ({ cve_count: 0, kev_count: 0 })

function count(counts: Counts, { flags }: Rows, row: number): void {
  counts.cve_count++
  if (flags[row]! & FLAGS.kev) counts.kev_count++
}

/** Returns the first `TOP` entries with CVEs. Ties go to the first id. */
function top<V>(all: Iterable<readonly [string, V]>, entry: (id: string, value: V) => TopEntry): TopEntry[] {
  return Array.from(all, ([id, value]) => entry(id, value))
    .filter(({ cve_count }) => cve_count > 0)
    .sort((a, b) => b.cve_count - a.cve_count || compareText(a.id, b.id))
    .slice(0, TOP)
}

/** Mappings of any source, as `cve_count` of the list (rule 27). */
function topWeaknesses(rows: Rows, cwes: StatsLists['cwes'], isRecent: (row: number) => boolean): TopEntries {
  const recent = new Map(cwes.map(({ numeric_id }) => [numeric_id, none()]))
  for (let row = 0; row < rows.count; row++) {
    if (!isRecent(row)) continue
    for (const number of weaknessesOf(rows, row)) {
      const counts = recent.get(number)
      if (counts) count(counts, rows, row)
    }
  }
  const entries = cwes.map((cwe) => [cwe.slug, cwe] as const)
  return {
    all_time: top(entries, (id, { name, cve_count, kev_count }) => ({ id, name, cve_count, kev_count })),
    last_year: top(entries, (id, { name, numeric_id }) => ({ id, name, ...recent.get(numeric_id)! })),
  }
}

function topVendors(rows: Rows, { vendors, cvesOfVendor }: StatsLists, isRecent: (row: number) => boolean): TopEntries {
  const countsOf = (cves: readonly number[], passes: (row: number) => boolean) => {
    const counts = none()
    for (const row of cves) if (passes(row)) count(counts, rows, row)
    return counts
  }
  const entries = vendors.map(({ slug, display }, i) => [slug, { name: display, cves: cvesOfVendor[i]! }] as const)
  return {
    all_time: top(entries, (id, { name, cves }) => ({ id, name, ...countsOf(cves, () => true) })),
    last_year: top(entries, (id, { name, cves }) => ({ id, name, ...countsOf(cves, isRecent) })),
  }
}

interface CnaCounts {
  all: Counts
  recent: Counts
  unscored: number
  recentUnscored: number
}

/** By slug. Names are joined by folding (rule 27). */
function countCnas(rows: Rows, isRecent: (row: number) => boolean): Map<string, CnaCounts> {
  const bySlug = new Map<string, CnaCounts>()
  const byName = new Map<string, CnaCounts | null>()
  const countsOf = (name: string): CnaCounts | null => {
    const slug = nameKey(fold(name))
    if (slug === null) return null
    const known = bySlug.get(slug)
    if (known) return known
    const counts = { all: none(), recent: none(), unscored: 0, recentUnscored: 0 }
    bySlug.set(slug, counts)
    return counts
  }
  for (let row = 0; row < rows.count; row++) {
    const assigner = assignerOf(rows, row)
    if (assigner === null) continue
    if (!byName.has(assigner)) byName.set(assigner, countsOf(assigner))
    const counts = byName.get(assigner)
    if (!counts) continue
    const isUnscored = rows.cnaCvss[row] === 0
    count(counts.all, rows, row)
    if (isUnscored) counts.unscored++
    if (!isRecent(row)) continue
    count(counts.recent, rows, row)
    if (isUnscored) counts.recentUnscored++
  }
  return bySlug
}
