/** Computes figures from rounds of requests. */
import type { LoadResult } from './tally.ts'
import type { Usage } from './usage.ts'

/** Returns the quantile `q` of `sorted` by the nearest rank, so the result is a measured value; NaN if empty. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN
}

/** Latencies in ms, of all requests of all rounds together. */
export interface Latency {
  p50: number
  p99: number
  most: number
}

export function latencyOf(rounds: readonly Pick<LoadResult, 'latencies'>[]): Latency {
  const all = new Float32Array(rounds.reduce((sum, { latencies }) => sum + latencies.length, 0))
  let at = 0
  for (const { latencies } of rounds) {
    all.set(latencies, at)
    at += latencies.length
  }
  all.sort()
  return { p50: quantile(all, 0.5), p99: quantile(all, 0.99), most: quantile(all, 1) }
}

/** Resource use of a server per request, over all rounds together. */
export interface PerRequest {
  cpuMicroseconds: number
  bytesRead: number
  reads: number
  writes: number
  bodyBytes: number
}

export function perRequest(
  turns: readonly { result: Pick<LoadResult, 'requests' | 'bytes'>; used: Usage }[],
): PerRequest {
  const sum = (of: (turn: (typeof turns)[number]) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  const requests = sum(({ result }) => result.requests)
  return {
    cpuMicroseconds: (sum(({ used }) => used.cpuMs) * 1000) / requests,
    bytesRead: sum(({ used }) => used.bytesRead) / requests,
    reads: sum(({ used }) => used.reads) / requests,
    writes: sum(({ used }) => used.writes) / requests,
    bodyBytes: sum(({ result }) => result.bytes) / requests,
  }
}
