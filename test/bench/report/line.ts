/** A line of the table: one thing measured next to what it is compared with, in the same run. */

/** Of values taken round by round. */
export interface Spread {
  median: number
  min: number
  max: number
}

export interface BenchLine {
  /** Its group and its own name: `http/page25`. */
  name: string
  title: string
  /** CVEs of the corpus it was measured on. */
  cves: number
  /** What `figure` and that of the reference are in: `requests/s`, `ms`, `s`, `MB`, `bytes`, `µs`. */
  unit: string
  /** The median over the rounds. */
  figure: number
  reference: { title: string; figure: number } | null
  /** `figure` to that of the reference, round by round; null without a reference. */
  ratio: Spread | null
  /** `figure` to that of the same line on the smallest corpus of the run, round by round; null on that one, and where they did not take turns. */
  growth: Spread | null
  /** The budget of the ratio or of the figure itself (README.md, "Budgets"); null for a line without one. */
  budget: Budget | null
  /** Whatever else was seen, by name with its unit: `p99 ms`, `CPU µs/request`, `bytes read/request`. */
  details: Record<string, number>
}

export interface Budget {
  of: 'ratio' | 'figure'
  least?: number
  most?: number
}

/** A synthetic corpus and what was made of it. Its two nights are the last two of the feeds. */
export interface BenchCorpus {
  cves: number
  feeds: string
  /** Dates of the two nights, `YYYY-MM-DD`. */
  nights: [first: string, second: string]
  /** corpus.db as of the second night. */
  corpus: string
  /** Holds the snapshot of the second night, and that of the first as its parent. */
  dist: string
}

export interface BenchContext {
  /** Ascending by size. What serves requests is measured on all of them in the same rounds. */
  corpora: readonly BenchCorpus[]
  /** For whatever a group writes; emptied by the caller. */
  folder: string
  rounds: number
  /** Length of a round of requests. */
  seconds: number
  say(line: string): void
  /** Another checkout, whose programs take turns with ours: a group shows our figure to theirs among its details. */
  against?: string
  /** Where CPU profiles of what is measured go. */
  profile?: string
  /** What is wanted of the lines (`--only`); without it everything is. Groups ask `isWanted`. */
  only?: readonly string[]
  /** Rounds of what takes minutes, a full ingest and build; without it fewer, the larger the corpus is. */
  longRounds?: number
}

/** A part of the bench: measures its lines one after the other. */
export type BenchGroup = (context: BenchContext) => AsyncGenerator<BenchLine>

/**
 * Whether a line is wanted, `http/page25`, or any of a group, `http`. Groups leave out the work for lines that are not;
 * a line that is yielded all the same is dropped.
 */
export function isWanted({ only }: Pick<BenchContext, 'only'>, name: string): boolean {
  if (only === undefined) return true
  const [group] = name.split('/')
  return only.some((one) => one === name || one === group || one.startsWith(`${name}/`))
}

/** Whether a line keeps its budget; null where it has none. */
export function isMet({ budget, figure, ratio }: BenchLine): boolean | null {
  if (budget === null) return null
  const value = budget.of === 'figure' ? figure : ratio?.median
  if (value === undefined) return null
  return value >= (budget.least ?? Number.NEGATIVE_INFINITY) && value <= (budget.most ?? Number.POSITIVE_INFINITY)
}
