/** A line of the table: one measurement and its reference, in the same run. */

/** Spread of values over the rounds. */
export interface Spread {
  median: number
  min: number
  max: number
}

export interface BenchLine {
  /** Group and name: `http/page25`. */
  name: string
  title: string
  /** CVEs of the measured corpus. */
  cves: number
  /** Unit of `figure` and of the reference: `requests/s`, `ms`, `s`, `MB`, `bytes`, `µs`. */
  unit: string
  /** The median over the rounds. */
  figure: number
  reference: { title: string; figure: number } | null
  /** Ratio of `figure` to the reference, by round; null without a reference. */
  ratio: Spread | null
  /**
   * Ratio of `figure` to the same line on the smallest corpus of the run, by round. Null on that corpus, and for lines
   * that did not take turns.
   */
  growth: Spread | null
  /** The budget of the ratio or of the figure itself (README.md, "Budgets"); null without a budget. */
  budget: Budget | null
  /** Other measurements, by name with unit: `p99 ms`, `CPU µs/request`, `bytes read/request`. */
  details: Record<string, number>
}

export interface Budget {
  of: 'ratio' | 'figure'
  least?: number
  most?: number
}

/** A corpus and its snapshots. Its two nights are the last two of the feeds. */
export interface BenchCorpus {
  cves: number
  feeds: string
  /** Dates of the two nights, `YYYY-MM-DD`. */
  nights: [first: string, second: string]
  /** corpus.db as of the second night. */
  corpus: string
  /** The `dist` with the snapshot of the second night, and that of the first as its parent. */
  dist: string
  /** The `dist` that the other programs (`--against`) built from the same feeds, because formats may differ. */
  otherDist?: string
}

export interface BenchContext {
  /** Ascending by size. Lines of servers measure all of them in the same rounds. */
  corpora: readonly BenchCorpus[]
  /** For temporary files of a group; the caller empties it. */
  folder: string
  rounds: number
  /** Length of a round of requests. */
  seconds: number
  say(line: string): void
  /** The folder of the measured programs. */
  root: string
  /** The folder of other programs, to alternate with. The details of a group have the ratio of our figure to theirs. */
  against?: string
  /** Folder for CPU profiles of the measured programs. */
  profile?: string
  /** The requested lines (`--only`); default: all. Groups call `isWanted`. */
  only?: readonly string[]
  /** Rounds of a full ingest and build, which take minutes. By default, larger corpora get fewer. */
  longRounds?: number
}

/** A part of the bench: measures its lines one after the other. */
export type BenchGroup = (context: BenchContext) => AsyncGenerator<BenchLine>

/** Returns a line. Omitted optional parts are null, and the details are empty. */
export const lineOf = (given: Pick<BenchLine, 'name' | 'title' | 'cves' | 'unit' | 'figure'> & Partial<BenchLine>) =>
  ({ reference: null, ratio: null, growth: null, budget: null, details: {}, ...given }) satisfies BenchLine

/**
 * Returns the figures of a line from its rounds.
 * @param smallest the same figures on the smallest corpus; null on that corpus
 */
export function comparedTo(
  title: string,
  ours: readonly number[],
  theirs: readonly number[],
  smallest: readonly number[] | null = null,
): Pick<BenchLine, 'figure' | 'reference' | 'ratio' | 'growth'> {
  return {
    figure: median(ours),
    reference: { title, figure: median(theirs) },
    ratio: ratioOf(ours, theirs),
    growth: smallest && ratioOf(ours, smallest),
  }
}

/** Returns the lower median for an even number of values, so that the result is a measured value. */
export function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? Number.NaN
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/**
 * Returns the ratio of two figures by round.
 * @throws RangeError if they did not take turns
 */
export function ratioOf(of: readonly number[], to: readonly number[]): Spread {
  if (of.length !== to.length || of.length === 0) throw new RangeError(`${of.length} rounds against ${to.length}`)
  return spreadOf(of.map((value, round) => value / to[round]!))
}

/**
 * Returns whether a line (`http/page25`), or any line of a group (`http`), is requested. Groups skip the work for other
 * lines; other lines that they yield are dropped.
 */
export function isWanted({ only }: Pick<BenchContext, 'only'>, name: string): boolean {
  if (only === undefined) return true
  const [group] = name.split('/')
  return only.some((one) => one === name || one === group || one.startsWith(`${name}/`))
}

/** Returns whether a line meets its budget; null without a budget. */
export function isMet({ budget, figure, ratio }: BenchLine): boolean | null {
  if (budget === null) return null
  const value = budget.of === 'figure' ? figure : ratio?.median
  if (value === undefined) return null
  return value >= (budget.least ?? Number.NEGATIVE_INFINITY) && value <= (budget.most ?? Number.POSITIVE_INFINITY)
}
