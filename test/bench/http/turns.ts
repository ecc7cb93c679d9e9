/** Servers that take turns under the same load, and what each request costs them. */
import type { BenchContext } from '../report/line.ts'
import type { LoadResult } from './load.ts'
import type { Load, Measured } from './processes.ts'
import { type Usage, usageOf, usedBetween } from './usage.ts'

const MOST_WARM_UP_SECONDS = 0.5
/** The statuses of a correct answer: a conditional request gets a 200 after a swap of snapshots. */
export const RIGHT_STATUSES = [200, 304] as const

export interface Turn {
  result: LoadResult
  used: Usage
}

/** A server with the name of its prepared requests, and its turns. */
export interface Contestant {
  server: Measured
  of: string
  turns: Turn[]
  /** Called before each turn. */
  before?(): Promise<void>
}

/** Gives each server a turn in each round, after one to warm up. The order alternates with each round. */
export async function takeTurns(
  load: Load,
  contestants: readonly Contestant[],
  { rounds, seconds }: Pick<BenchContext, 'rounds' | 'seconds'>,
  connections: number,
): Promise<void> {
  const run = async ({ server: { pid, port }, of, before }: Contestant, length: number): Promise<Turn> => {
    await before?.()
    const earlier = usageOf(pid)
    const task = { kind: 'closed', polling: true, of, port, connections, expect: RIGHT_STATUSES } as const
    const result = await load.run({ ...task, seconds: length })
    return { result, used: usedBetween(earlier, usageOf(pid)) }
  }
  for (const one of contestants) await run(one, Math.min(seconds, MOST_WARM_UP_SECONDS))
  for (let round = 0; round < rounds; round++) {
    for (const one of round % 2 === 0 ? contestants : contestants.toReversed()) one.turns.push(await run(one, seconds))
  }
}

export const ratesOf = (turns: readonly Turn[]) => turns.map(({ result }) => result.requests / result.seconds)
export const latenciesOf = (turns: readonly Turn[], of: keyof Latency) =>
  turns.map(({ result }) => latencyOf([result])[of])

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
  const all = Float32Array.from(rounds.flatMap(({ latencies }) => [...latencies])).sort()
  return { p50: quantile(all, 0.5), p99: quantile(all, 0.99), most: quantile(all, 1) }
}

/** Returns latencies, and the resources per request, of all rounds together. `prefix` begins the name of each figure. */
export function costOf(
  turns: readonly { result: Pick<LoadResult, 'requests' | 'bytes' | 'latencies'>; used: Usage }[],
  prefix = '',
): Record<string, number> {
  const sum = (of: (turn: (typeof turns)[number]) => number) => turns.reduce((total, turn) => total + of(turn), 0)
  const requests = sum(({ result }) => result.requests)
  const { p50, p99 } = latencyOf(turns.map(({ result }) => result))
  const figures = {
    'p50 ms': p50,
    'p99 ms': p99,
    'CPU µs/request': (sum(({ used }) => used.cpuMs) * 1000) / requests,
    'reads/request': sum(({ used }) => used.reads) / requests,
    'writes/request': sum(({ used }) => used.writes) / requests,
    'bytes read/request': sum(({ used }) => used.bytesRead) / requests,
    'response bytes': sum(({ result }) => result.bytes) / requests,
  }
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}${name}`, value]))
}
