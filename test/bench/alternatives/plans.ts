/** Speed of planning and assembling pages of filtered lists, relative to SQLite with suitable indexes, in-process. */
import type { BenchContext, BenchCorpus, BenchGroup, BenchLine } from '../report/line.ts'
import { isWanted } from '../report/line.ts'
import { median, ratioOf, spreadOf } from '../report/spread.ts'
import { type Both, byPlan, bySqlite, compare, type DrawnQuery, drawn, openBoth } from './both.ts'
import { databaseOf } from './database.ts'
import { type ListQuery, listQueriesToPlan } from './queries.ts'

/** Speed relative to SQLite (README.md, "Budgets"). */
const BUDGET = 5
/** Parameter sets per query and round. */
const DRAWS = 3
/** Number of slowest combinations in the details. */
const WORST = 5

/** Times of a query in a round, in µs. */
export interface Timing {
  ours: number
  /** Statement and JSON, before compression. */
  plain: number
  gzip6: number
  gzip1: number
}

/**
 * Runs each query with some parameter sets and takes the median: a single page takes so little time that one preemption
 * would dominate it. The two alternate in who runs first, from query to query.
 */
export function planRound(both: Both, queries: readonly ListQuery[], round: number): Timing[] {
  return queries.map((query, turn) => {
    const timings = Array.from({ length: DRAWS }, (_, draw) =>
      planOnce(both, drawn(both, query, round * DRAWS + draw), turn % 2 === round % 2),
    )
    const middle = (of: keyof Timing) => median(timings.map((timing) => timing[of]))
    return { ours: middle('ours'), plain: middle('plain'), gzip6: middle('gzip6'), gzip1: middle('gzip1') }
  })
}

function planOnce(both: Both, query: DrawnQuery, oursFirst: boolean): Timing {
  const early = oursFirst ? byPlan(both, query) : null
  const theirs = bySqlite(both, query)
  const ours = early ?? byPlan(both, query)
  compare(query, ours, theirs)
  return { ours: ours.page, plain: theirs.page, gzip6: theirs.gzip6, gzip1: theirs.gzip1 }
}

interface Measured {
  cves: number
  /** By round, then by query. */
  rounds: Timing[][]
}

const whole = ({ plain, gzip6 }: Timing) => plain + gzip6
const total = (timings: readonly Timing[], of: (timing: Timing) => number) =>
  timings.reduce((sum, timing) => sum + of(timing), 0)

/** Returns pages/s of all queries together, for each round. */
const rates = ({ rounds }: Measured, of: (timing: Timing) => number) =>
  rounds.map((timings) => (timings.length / total(timings, of)) * 1e6)

/** Returns how many times faster than `of` a query is: the median over its rounds. */
const timesOf = ({ rounds }: Measured, query: number, of: (timing: Timing) => number) =>
  median(rounds.map((timings) => of(timings[query]!) / timings[query]!.ours))

const REFERENCE = 'SQLite with fitting indexes, stored JSON, gzip -6'
const UNIT = 'pages/s'

/** All pages together: the slow ones weigh most. */
function allTogether(measured: Measured, smallest: Measured, queries: readonly ListQuery[]): BenchLine {
  const ours = rates(measured, ({ ours }) => ours)
  const theirs = rates(measured, whole)
  const against = (of: (timing: Timing) => number) => ratioOf(ours, rates(measured, of)).median
  return {
    name: 'plans/all',
    title: 'filtered pages in one process, all together',
    cves: measured.cves,
    unit: UNIT,
    figure: median(ours),
    reference: { title: REFERENCE, figure: median(theirs) },
    ratio: ratioOf(ours, theirs),
    growth:
      measured === smallest
        ? null
        : ratioOf(
            ours,
            rates(smallest, ({ ours }) => ours),
          ),
    budget: { of: 'ratio', least: BUDGET },
    details: {
      queries: queries.length,
      'times as fast as gzip -1': against(({ plain, gzip1 }) => plain + gzip1),
      'times as fast without gzip': against(({ plain }) => plain),
    },
  }
}

/** Each page by itself: the median, and the one with the least gain. */
function eachByItself(measured: Measured, queries: readonly ListQuery[]): BenchLine[] {
  const times = queries.map((query, at) => ({ at, name: query.name, times: timesOf(measured, at, whole) }))
  times.sort((a, b) => a.times - b.times)
  const line = (name: string, title: string, at: number, details: Record<string, number>): BenchLine => {
    const rate = (of: (timing: Timing) => number) => measured.rounds.map((timings) => 1e6 / of(timings[at]!))
    const [ours, theirs] = [rate(({ ours }) => ours), rate(whole)]
    return {
      name: `plans/${name}`,
      title: `${title}: ${queries[at]!.name}`,
      cves: measured.cves,
      unit: UNIT,
      figure: median(ours),
      reference: { title: REFERENCE, figure: median(theirs) },
      ratio: spreadOf(ours.map((one, round) => one / theirs[round]!)),
      // This can be a different query on each corpus.
      growth: null,
      budget: { of: 'ratio', least: BUDGET },
      details,
    }
  }
  const worst = Object.fromEntries(times.slice(0, WORST).map(({ name, times }) => [`times: ${name}`, times]))
  const below = times.filter(({ times }) => times < BUDGET).length
  return [
    line('typical', 'the filtered page in the middle', times[times.length >> 1]!.at, {}),
    line('worst', 'the filtered page that gains least', times[0]!.at, { 'below budget': below, ...worst }),
  ]
}

export const planLines: BenchGroup = async function* (context) {
  if (!isWanted(context, 'plans')) return
  const queries = listQueriesToPlan()
  const opened: OpenCorpus[] = []
  try {
    for (const corpus of context.corpora) opened.push(await openCorpus(corpus, context))
    context.say(`planning ${queries.length} filtered pages, next to SQLite`)
    // The first round warms up compilers and caches of both.
    for (const { both } of opened) planRound(both, queries, 0)
    for (let round = 1; round <= context.rounds; round++) {
      for (const { both, measured } of opened) measured.rounds.push(planRound(both, queries, round))
    }
    for (const { measured } of opened) {
      yield allTogether(measured, opened[0]!.measured, queries)
      yield* eachByItself(measured, queries)
    }
  } finally {
    for (const { both } of opened) both.close()
  }
}

interface OpenCorpus {
  both: Both
  measured: Measured
}

async function openCorpus({ cves, dist }: BenchCorpus, { say }: BenchContext): Promise<OpenCorpus> {
  return { both: await openBoth(dist, databaseOf(dist, say)), measured: { cves, rounds: [] } }
}
