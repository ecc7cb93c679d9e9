/** Figures from rounds: pure arithmetic. */
import type { LoadResult } from './http/load.ts'

/** What one server did under a line, over all rounds. */
export interface ServerFigures {
  /** Median over the rounds. */
  requestsPerSecond: number
  /** Of all requests of all rounds, in ms. */
  p50: number
  p99: number
  /** Most that the load generator had to do in any round, as a share of the time. */
  loadBusy: number
}

/** Requests/s of one server divided by those of another, round by round. */
export interface Ratio {
  median: number
  min: number
  max: number
}

/** The value below which a share `q` of `sorted` lies: the nearest rank, so always one of the values. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!
}

/** Of an even number of values the lower one in the middle. */
export const median = (values: readonly number[]): number => quantile(Float64Array.from(values).sort(), 0.5)

const rate = ({ requests, seconds }: LoadResult): number => requests / seconds

export function serverFigures(rounds: readonly LoadResult[]): ServerFigures {
  const latencies = new Float32Array(rounds.reduce((sum, round) => sum + round.latencies.length, 0))
  let at = 0
  for (const round of rounds) {
    latencies.set(round.latencies, at)
    at += round.latencies.length
  }
  latencies.sort()
  return {
    requestsPerSecond: median(rounds.map(rate)),
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    loadBusy: Math.max(...rounds.map(({ busy }) => busy)),
  }
}

export function ratio(of: readonly LoadResult[], to: readonly LoadResult[]): Ratio {
  const ratios = of.map((round, i) => rate(round) / rate(to[i]!))
  return { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) }
}
