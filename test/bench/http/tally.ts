/** Counts the answers of a load generator. */

export interface LoadResult {
  /** Requests with a correct answer. */
  requests: number
  seconds: number
  /** Bytes of their bodies. */
  bytes: number
  /** Latency of each of them in ms, to the last byte of its answer. */
  latencies: Float32Array
  statuses: Record<number, number>
  /** Requests without an answer: their connection failed, or the run ended first. */
  unanswered: number
  /** Share of the time in which the generator was busy. Near 1, the generator is the bottleneck. */
  busy: number
}

export interface Tally {
  add(status: number, bytes: number, latencyMs: number): void
  result(seconds: number, busy: number, unanswered?: number): LoadResult
}

export function createTally(expect: readonly number[]): Tally {
  const latencies: number[] = []
  const statuses: Record<number, number> = {}
  let total = 0
  return {
    add(status, bytes, latencyMs) {
      statuses[status] = (statuses[status] ?? 0) + 1
      if (!expect.includes(status)) return
      latencies.push(latencyMs)
      total += bytes
    },
    result: (seconds, busy, unanswered = 0) => ({
      requests: latencies.length,
      seconds,
      bytes: total,
      latencies: Float32Array.from(latencies),
      statuses,
      unanswered,
      busy,
    }),
  }
}
