/**
 * Pages of filtered lists in one process: by the gateway's planner, and by SQLite with suitable indexes. Both produce
 * the bytes of a gzip answer. They take turns, and their answers are compared.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { type CveListRequest, cvePageAnswer } from '../../../corpus/answers/plan/cve-page.ts'
import { finished } from '../../../corpus/runtime/steps.ts'
import { Random } from '../../../corpus/sample/random.ts'
import { cursorBinding } from '../../../corpus/snapshot/cursor/cursor.ts'
import { objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { fill, hold } from '../../../corpus/snapshot/memory/hold.ts'
import { type OpenSnapshot, openSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import { toBillionths } from '../../../corpus/snapshot/record/epss.ts'
import { encoded } from '../../../gateway/http/encoded-answer.ts'
import { type BenchGroup, type BenchLine, comparedTo, isWanted, lineOf, median, ratioOf } from '../report/line.ts'
import { databaseOf, openDatabase } from './database.ts'
import { listQueries } from './list-query.ts'
import { type ListQuery, listQueriesToPlan, type SampledCve } from './queries.ts'

/** Speed relative to SQLite (README.md, "Budgets"). */
const BUDGET = 5
/** Parameter sets per query and round. */
const DRAWS = 3
/** Number of slowest combinations in the details. */
const WORST = 5

/** A corpus, open for both. */
export interface Both {
  snapshot: OpenSnapshot
  list(request: CveListRequest): string
  /** Returns the CVE at a position in the order of ids. */
  cve(n: number): SampledCve
  close(): void
}

/** Reads the data of both into memory, as servers have it soon after their start. */
export async function openBoth(dist: string, say: (line: string) => void): Promise<Both> {
  const path = databaseOf(dist, say)
  const { manifest } = readCurrent(dist)
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  hold(snapshot, Number.POSITIVE_INFINITY)
  await fill(snapshot)
  const database = openDatabase(path)
  readThrough([path, ...manifest.files.map(({ sha256 }) => objectPath(dist, sha256))])
  const cve = database.prepare(
    `SELECT id, name AS assigner, cwe, epss, published, updated, cvss
     FROM cve LEFT JOIN assigner USING (assigner) WHERE n = ?`,
  )
  return {
    snapshot,
    list: listQueries(database, snapshot),
    cve: (n) => cve.get(n) as SampledCve,
    close() {
      snapshot.close()
      database.close()
    },
  }
}

/** Reads files once, so that neither of the two waits for the disk. */
function readThrough(paths: readonly string[]): void {
  const chunk = Buffer.allocUnsafe(1024 * 1024)
  for (const path of paths) {
    const file = openSync(path, 'r')
    while (readSync(file, chunk) > 0);
    closeSync(file)
  }
}

/** A request before its filters are hashed for the cursor, which is part of the measured work. */
export type DrawnQuery = Omit<CveListRequest, 'binding'>

/** Returns a query with drawn parameters. */
export function drawn({ snapshot, cve }: Both, query: ListQuery, round: number): DrawnQuery {
  const random = new Random('plans', round, query.name)
  const any = () => cve(random.int(snapshot.columns.count))
  const { sort, limit, start } = query
  const filters = query.filters({ random, cve: any })
  if (start === 'first') return { sort, limit, filters, after: null }
  const behind = any()
  const value = behind[sort.key as 'epss']
  // Cursors have EPSS in billionths.
  const key = sort.key === 'epss' && value !== null ? toBillionths(value) : value
  return { sort, limit, filters, after: { value: key, id: behind.id } }
}

interface Timed {
  json: string
  /** Planning or querying, and the answer, in µs: gzip from the gateway, which compresses nothing, and JSON from SQLite. */
  page: number
  /** Compression at zlib's default level, in µs. */
  gzip: number
}

const microseconds = (since: number) => (performance.now() - since) * 1000
const bound = (query: DrawnQuery): CveListRequest => ({
  ...query,
  binding: cursorBinding('cves', query.sort, query.filters),
})

export function byPlan({ snapshot }: Both, query: DrawnQuery): Timed {
  const began = performance.now()
  const gzip = encoded(finished(cvePageAnswer(snapshot, bound(query)))).gzip()
  const page = microseconds(began)
  return { json: gunzipSync(gzip).toString(), page, gzip: 0 }
}

export function bySqlite({ list }: Both, query: DrawnQuery): Timed {
  const began = performance.now()
  const json = list(bound(query))
  const page = microseconds(began)
  const from = performance.now()
  gzipSync(json, { level: 6 })
  return { json, page, gzip: microseconds(from) }
}

/** @throws Error if the rows differ, or only one of the two has a next page */
export function compare(name: string, query: DrawnQuery, ours: Timed, theirs: Timed): void {
  if (ours.json === theirs.json) return
  throw new Error(`${name}: plan and SQL differ for ${JSON.stringify(query)}`)
}

/** Times of a query in a round, in µs; of SQLite before compression and with it. */
interface Timing {
  ours: number
  plain: number
  theirs: number
}

/**
 * Runs each query with some parameter sets and takes the median: a single page takes so little time that one preemption
 * would dominate it. The two alternate in who runs first, from query to query.
 */
export function planRound(both: Both, queries: readonly ListQuery[], round: number): Timing[] {
  return queries.map((query, turn) => {
    const timings = Array.from({ length: DRAWS }, (_, draw): Timing => {
      const asked = drawn(both, query, round * DRAWS + draw)
      const early = turn % 2 === round % 2 ? byPlan(both, asked) : null
      const theirs = bySqlite(both, asked)
      const ours = early ?? byPlan(both, asked)
      compare(query.name, asked, ours, theirs)
      return { ours: ours.page, plain: theirs.page, theirs: theirs.page + theirs.gzip }
    })
    const middle = (of: keyof Timing) => median(timings.map((timing) => timing[of]))
    return { ours: middle('ours'), plain: middle('plain'), theirs: middle('theirs') }
  })
}

interface Measured {
  cves: number
  both: Both
  /** By round, then by query. */
  rounds: Timing[][]
}

/** Returns pages/s of all queries together, for each round: the slow ones weigh most. */
const ratesOf = ({ rounds }: Measured, of: keyof Timing) =>
  rounds.map((timings) => (timings.length / timings.reduce((sum, timing) => sum + timing[of], 0)) * 1e6)

const REFERENCE = 'SQLite with suitable indexes, stored JSON, gzip -6'

export const planLines: BenchGroup = async function* (context) {
  const { corpora, rounds, say } = context
  if (!isWanted(context, 'plans')) return
  const queries = listQueriesToPlan()
  const all: Measured[] = []
  try {
    for (const { cves, dist } of corpora) all.push({ cves, both: await openBoth(dist, say), rounds: [] })
    say(`planning ${queries.length} filtered pages, next to SQLite`)
    // The first round warms up compilers and caches of both.
    for (const { both } of all) planRound(both, queries, 0)
    for (let round = 1; round <= rounds; round++) {
      for (const measured of all) measured.rounds.push(planRound(measured.both, queries, round))
    }
    for (const measured of all) yield* linesOf(measured, all[0]!, queries)
  } finally {
    for (const { both } of all) both.close()
  }
}

function* linesOf(measured: Measured, smallest: Measured, queries: readonly ListQuery[]): Generator<BenchLine> {
  const { cves, rounds } = measured
  const common = { cves, unit: 'pages/s', budget: { of: 'ratio', least: BUDGET } } as const
  const ours = ratesOf(measured, 'ours')
  const growsFrom = measured === smallest ? null : ratesOf(smallest, 'ours')
  yield lineOf({
    ...common,
    name: 'plans/all',
    title: 'filtered pages in one process, all together',
    ...comparedTo(REFERENCE, ours, ratesOf(measured, 'theirs'), growsFrom),
    details: { queries: queries.length, 'ratio without gzip': ratioOf(ours, ratesOf(measured, 'plain')).median },
  })
  /** How many times faster than SQLite each query is: the median over its rounds. Ascending. */
  const times = queries
    .map(({ name }, at) => ({ name, at, times: median(rounds.map((some) => some[at]!.theirs / some[at]!.ours)) }))
    .sort((a, b) => a.times - b.times)
  const one = (name: string, title: string, { at }: { at: number }, details: Record<string, number>) => {
    const rate = (of: keyof Timing) => rounds.map((timings) => 1e6 / timings[at]![of])
    // It can be a different query on each corpus, so it has no growth.
    const figures = comparedTo(REFERENCE, rate('ours'), rate('theirs'))
    return lineOf({ ...common, name, title: `${title}: ${queries[at]!.name}`, ...figures, details })
  }
  yield one('plans/typical', 'the filtered page in the middle', times[times.length >> 1]!, {})
  yield one('plans/worst', 'the filtered page that gains least', times[0]!, {
    'below budget': times.filter(({ times }) => times < BUDGET).length,
    ...Object.fromEntries(times.slice(0, WORST).map(({ name, times }) => [`times ${name}`, times])),
  })
}
