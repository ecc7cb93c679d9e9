/**
 * Per-answer counts as plain numbers, which a scrape reads. prom-client's counters hash their labels on each call and
 * cost 2.5 µs a request; this costs less than 0.1 µs.
 */
import type { ServedFrom } from '../../corpus/answers/answer.ts'
import type { Sent } from '../http/reply.ts'

export interface AnswerCount {
  route: string
  status: number
  servedFrom: ServedFrom | 'none'
  count: number
  bytes: number
}

/** `counts[i]` counts durations above bound `i - 1` and up to bound `i`; the last has no upper bound. */
export interface DurationCount {
  route: string
  counts: number[]
  /** In seconds. */
  sum: number
}

export interface Tally {
  /** `route` is a template; null without a matching route. */
  add(route: string | null, sent: Sent, servedFrom: ServedFrom | null, seconds: number): void
  answers(): AnswerCount[]
  durations(): DurationCount[]
}

/** `bounds` are in seconds, ascending. Routes, statuses and sources are fixed sets, which limits its size. */
export function createTally(bounds: readonly number[]): Tally {
  const byRoute = new Map<string | null, { durations: DurationCount; answers: AnswerCount[] }>()

  function tableOf(route: string | null) {
    let table = byRoute.get(route)
    if (table === undefined) {
      const name = route ?? 'none'
      table = { durations: { route: name, counts: Array(bounds.length + 1).fill(0), sum: 0 }, answers: [] }
      byRoute.set(route, table)
    }
    return table
  }

  function rowOf(answers: AnswerCount[], route: string, status: number, servedFrom: AnswerCount['servedFrom']) {
    for (const row of answers) if (row.status === status && row.servedFrom === servedFrom) return row
    const row = { route, status, servedFrom, count: 0, bytes: 0 }
    answers.push(row)
    return row
  }

  return {
    add(route, { status, bytes }, servedFrom, seconds) {
      const { durations, answers } = tableOf(route)
      const row = rowOf(answers, durations.route, status, servedFrom ?? 'none')
      row.count++
      row.bytes += bytes
      let bucket = 0
      while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
      durations.counts[bucket]!++
      durations.sum += seconds
    },
    answers: () => [...byRoute.values()].flatMap(({ answers }) => answers),
    durations: () => [...byRoute.values()].map(({ durations }) => durations),
  }
}
