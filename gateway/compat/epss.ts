/** FIRST's EPSS interface, for its clients (`--compat epss`): the scores of CVEs, also of earlier editions. */
import { invalidParameter } from '../../corpus/answers/errors.ts'
import { compareCveIds } from '../../corpus/model/ids/cve-id.ts'
import { DAY_MS } from '../../corpus/model/values/date.ts'
import { NO_EPSS, toBillionths } from '../../corpus/snapshot/index.ts'
import { contentTooLarge } from '../http/errors.ts'
import { type EpssQuery, epssQuery, type Range } from './epss-query.ts'
import type { ScoreIndex } from './epss-scores.ts'
import type { CompatAnswer, CompatInterface, CompatRequest } from './interface.ts'

/** CVEs of a request whose histories are read. */
const MOST_HISTORIES = 200
/** Days before the date of a row. */
const SERIES_DAYS = 30

/** Rows between two turns of the event loop. */
const ROWS_IN_A_TURN = 8192
/** Reading a history takes about a millisecond. In comparisons, see `WORK`. */
const WORK_OF_A_HISTORY = 1000
/** Building the ids of the rows of a turn takes about two milliseconds. */
const WORK_OF_IDS = 1000
const WORK_OF_SCORES = 100
/** Rows of an answer between two turns. */
const ANSWER_ROWS_IN_A_TURN = 500
const WORK_OF_ANSWER_ROWS = 1000

const VERSION = '1.0'

export function epssInterface(): CompatInterface {
  return {
    routes: [
      { name: '/data/v1/epss', path: /^\/data\/v1\/epss(?:\.json|\/)?$/, methods: ['GET', 'HEAD'], handle: answer },
    ],
    // No `data`: a client that ignores the status must not read an empty list.
    errorBody: ({ status, message }) => ({
      status: 'ERROR',
      'status-code': status,
      version: VERSION,
      access: 'public',
      message,
    }),
  }
}

/** The score of a CVE in an edition, in billionths. */
interface Scored {
  row: number
  score: number
  /** Null if the history does not have it. */
  percentile: number | null
}

interface Page {
  total: number
  rows: Scored[]
}

async function answer({ search, scores, work }: CompatRequest): Promise<CompatAnswer> {
  const query = epssQuery(search)
  const index = scores()
  const edition = editionOf(query, index)
  const histories = historiesOf(index, work)
  const isCurrent = edition === index.date
  if (!isCurrent) assertScoresAlone(query)
  const { total, rows } =
    query.ids === null
      ? await pageOfAll(query, index, work)
      : await pageOfNamed(query, index, isCurrent ? null : edition, histories)
  const data: object[] = []
  for (const row of rows) {
    if (data.length % ANSWER_ROWS_IN_A_TURN === ANSWER_ROWS_IN_A_TURN - 1) await work(WORK_OF_ANSWER_ROWS)
    const series = query.hasSeries ? { 'time-series': await seriesOf(row, edition, index, histories) } : {}
    data.push({ cve: index.idAt(row.row), ...figures(row), date: edition, ...series })
  }
  return reply(query, total, data)
}

/** Returns the date of the newest edition on or before the date of the request. @throws ApiError 400 without one */
function editionOf({ date }: EpssQuery, { date: current, editions }: ScoreIndex): string {
  if (date === null || date >= current) return current
  const edition = editions.findLast((one) => one <= date)
  if (edition !== undefined) return edition
  throw invalidParameter(
    'date',
    `the history of this server begins on ${editions[0] ?? current}; use a date from then on, or ingest earlier editions`,
  )
}

/** The percentiles of an earlier edition are known only where a score changed. @throws ApiError 400 */
function assertScoresAlone({ ids, percentile, order }: EpssQuery): void {
  if (ids === null) {
    throw invalidParameter(
      'cve',
      "'date' of an earlier edition requires 'cve'; FIRST publishes whole editions as epss_scores-YYYY-MM-DD.csv.gz",
    )
  }
  if (order.by !== 'percentile' && percentile.least === 0 && percentile.most === toBillionths(1)) return
  throw invalidParameter(
    undefined,
    "the percentiles of an earlier edition are not all known; use epss-gt, epss-lt and order=epss with this 'date'",
  )
}

type Histories = (row: number) => Promise<ReturnType<ScoreIndex['history']>>

/** Reads each history once. @throws ApiError 413 beyond the bound */
function historiesOf(index: ScoreIndex, work: CompatRequest['work']): Histories {
  const known = new Map<number, ReturnType<ScoreIndex['history']>>()
  return async (row) => {
    let history = known.get(row)
    if (history === undefined) {
      if (known.size === MOST_HISTORIES) {
        throw contentTooLarge(
          `the request needs the histories of more than ${MOST_HISTORIES} CVEs; split the list of 'cve', or use a smaller 'limit'`,
        )
      }
      history = index.history(row)
      known.set(row, history)
      await work(WORK_OF_A_HISTORY)
    }
    return history
  }
}

const isIn = (value: number, { least, most }: Range) => value >= least && value <= most

/** Walks the rows in the order of the request. */
async function pageOfAll(query: EpssQuery, index: ScoreIndex, work: CompatRequest['work']): Promise<Page> {
  if (query.days !== null) {
    throw invalidParameter('days', "'days' requires 'cve'; the API lists new CVEs: /api/v1/cves?sort=-published")
  }
  const { order, q, offset, limit, score, percentile } = query
  const { count, scores, percentiles } = index
  // A percentile is the rank of a score, so that both have one order.
  const rowAt =
    order.by === 'cve' ? (position: number) => position : (position: number) => index.byScore(count - 1 - position)
  const rows: Scored[] = []
  let total = 0
  for (let from = 0; from < count; from += ROWS_IN_A_TURN) {
    for (let position = from; position < Math.min(count, from + ROWS_IN_A_TURN); position++) {
      const row = rowAt(order.descending ? count - 1 - position : position)
      const scored = { row, score: scores[row]!, percentile: percentiles[row]! }
      if (scored.score === NO_EPSS || !isIn(scored.score, score) || !isIn(scored.percentile, percentile)) continue
      if (q !== null && !index.idAt(row).includes(q)) continue
      if (total >= offset && rows.length < limit) rows.push(scored)
      total++
    }
    await work(q === null ? WORK_OF_SCORES : WORK_OF_IDS)
  }
  return { total, rows }
}

/** `edition` is null for the current one. */
async function pageOfNamed(
  query: EpssQuery,
  index: ScoreIndex,
  edition: string | null,
  histories: Histories,
): Promise<Page> {
  const { ids, q, days, score, percentile, order, offset, limit } = query
  const found: Scored[] = []
  for (const id of ids!) {
    const row = index.rowOf(id)
    if (row < 0 || (q !== null && !id.includes(q))) continue
    if (days !== null && !(await isAdded(row, days, index, histories))) continue
    const scored = edition === null ? currentScore(row, index) : scoreIn(await histories(row), row, edition)
    if (scored === null || !isIn(scored.score, score)) continue
    if (scored.percentile !== null && !isIn(scored.percentile, percentile)) continue
    found.push(scored)
  }
  const byId = (a: Scored, b: Scored) => compareCveIds(index.idAt(a.row), index.idAt(b.row))
  const sign = order.descending ? -1 : 1
  found.sort((a, b) => sign * ((order.by === 'cve' ? 0 : a.score - b.score) || byId(a, b)))
  return { total: found.length, rows: found.slice(offset, offset + limit) }
}

function currentScore(row: number, { scores, percentiles }: ScoreIndex): Scored | null {
  const score = scores[row]!
  return score === NO_EPSS ? null : { row, score, percentile: percentiles[row]! }
}

/** Returns the score that was valid in an edition; null if the CVE had none. */
function scoreIn(history: ReturnType<ScoreIndex['history']>, row: number, edition: string): Scored | null {
  const point = history.findLast(({ date }) => date <= edition)
  if (point === undefined) return null
  const isOwn = point.date === edition && point.percentile !== null
  return { row, score: toBillionths(point.score), percentile: isOwn ? toBillionths(point.percentile!) : null }
}

/** Whether the first score of a CVE is one of the last `days` days. @throws ApiError 400 if the history is too short */
async function isAdded(row: number, days: number, index: ScoreIndex, histories: Histories): Promise<boolean> {
  const { date, editions } = index
  const since = dayBefore(date, days)
  if ((editions[0] ?? date) > since) {
    throw invalidParameter(
      'days',
      `the history of this server begins on ${editions[0] ?? date}; use fewer days, or ingest earlier editions`,
    )
  }
  const first = (await histories(row))[0]
  return first !== undefined && first.date > since
}

/** Returns the editions of the days before that of the row, newest first. */
async function seriesOf({ row }: Scored, edition: string, index: ScoreIndex, histories: Histories): Promise<object[]> {
  const since = dayBefore(edition, SERIES_DAYS)
  const history = await histories(row)
  return index.editions
    .filter((date) => date >= since && date < edition)
    .toReversed()
    .flatMap((date) => {
      const scored = scoreIn(history, row, date)
      return scored === null ? [] : [{ ...figures(scored), date }]
    })
}

const dayBefore = (date: string, days: number): string =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10)

/** An unknown percentile is absent: clients that convert null get 0. */
const figures = ({ score, percentile }: Scored) => ({
  epss: decimal(score),
  ...(percentile === null ? {} : { percentile: decimal(percentile) }),
})

/** Returns a number with nine decimals. */
function decimal(billionths: number): string {
  const digits = String(billionths).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}

function reply({ hasEnvelope, isPretty, offset, limit }: EpssQuery, total: number, data: object[]): CompatAnswer {
  const envelope = { status: 'OK', 'status-code': 200, version: VERSION, access: 'public', total, offset, limit, data }
  return {
    status: 200,
    body: JSON.stringify(hasEnvelope ? envelope : data, null, isPretty ? 4 : 0),
    headers: ['X-Version', VERSION, 'X-Total-Count', String(total)],
    servedFrom: 'merge',
  }
}
