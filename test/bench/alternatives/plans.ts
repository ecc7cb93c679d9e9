/** How fast pages of filtered lists are planned and put together, next to SQLite with fitting indexes, in one process. */
import type { BenchContext, BenchCorpus, BenchGroup, BenchLine } from '../report/line.ts'
import { isWanted } from '../report/line.ts'
import { median, ratioOf, spreadOf } from '../report/spread.ts'
import { type Both, byPlan, bySqlite, compare, type DrawnQuery, drawn, openBoth } from './both.ts'
import { databaseOf } from './database.ts'
import { type ListQuery, listQueriesToPlan } from './queries.ts'

/** Speed relative to SQLite (README.md, "Budgets"). */
const BUDGET = 5
/** Of each query in a round. */
const DRAWS = 3
/** The combinations that are named among the details. */
const WORST = 5

/** What a query took in a round, in µs. */
export interface Timing {
  ours: number
  /** Statement and JSON, before anything is compressed. */
  plain: number
  gzip6: number
  gzip1: number
}

/**
 * Runs each query with some draws of parameters and takes what was in the middle: a single page takes so little that being
 * put aside once by the system would be all that is seen. Which of the two comes first changes from query to query.
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

/** Pages/s of all queries together, round by round. */
const rates = ({ rounds }: Measured, of: (timing: Timing) => number) =>
  rounds.map((timings) => (timings.length / total(timings, of)) * 1e6)

/** How many times as fast as `of` a query is, in the median over its rounds. */
const timesOf = ({ rounds }: Measured, query: number, of: (timing: Timing) => number) =>
  median(rounds.map((timings) => of(timings[query]!) / timings[query]!.ours))

const REFERENCE = 'SQLite with fitting indexes, stored JSON, gzip -6'
const UNIT = 'pages/s'

/** All pages together: the long ones weigh most. */
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

/** Each page by itself: the one in the middle, and the one that gains least. */
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
      // It is another query on each corpus.
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
  const opened = context.corpora.map((corpus) => openCorpus(corpus, context))
  try {
    context.say(`planning ${queries.length} filtered pages, next to SQLite`)
    // The first round is for the compilers and caches of both.
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

function openCorpus({ cves, dist }: BenchCorpus, { say }: BenchContext): { both: Both; measured: Measured } {
  return { both: openBoth(dist, databaseOf(dist, say)), measured: { cves, rounds: [] } }
}
