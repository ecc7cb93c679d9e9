/**
 * Limits shared by all workers (rule 16): workers ask the primary, which counts. All requests of one event-loop turn
 * go in one message, so messages carry many under load. Only `giveBack` is sent at once.
 */
import type { Limiter, LimitState } from '../../limits/limiter.ts'
import type { Limits } from '../../limits/limits.ts'
import type { LimitAsk, LimitName, ToPrimary, ToWorker } from './protocol.ts'

export interface AskedLimits {
  subjects: Limiter
  failedTokens: Limiter
  anonymous: Limiter
  receive(answer: Extract<ToWorker, { kind: 'standings' }>): void
}

/** `send` sends to the primary. */
export function askedLimits(send: (message: Extract<ToPrimary, { kind: 'limits' }>) => void): AskedLimits {
  const waiting = new Map<number, (limitState: LimitState) => void>()
  let asks: LimitAsk[] = []
  let numbered = 0

  function flush(): void {
    if (asks.length === 0) return
    send({ kind: 'limits', asks })
    asks = []
  }
  function ask(...[limit, how, key, endsAt]: [LimitName, LimitAsk[2], string, number]): number {
    if (asks.length === 0) setImmediate(flush)
    asks.push([++numbered, limit, how, key, endsAt])
    return numbered
  }
  function limitState(limit: LimitName, how: 'take' | 'look', key: string): Promise<LimitState> {
    return new Promise((resolve) => void waiting.set(ask(limit, how, key, 0), resolve))
  }
  const limiter = (limit: LimitName): Limiter => ({
    take: (key) => limitState(limit, 'take', key),
    look: (key) => limitState(limit, 'look', key),
    giveBack(key, { endsAt }) {
      ask(limit, 'giveBack', key, endsAt)
      // Sent before the answer: the next request may reach another worker, which must see the returned unit.
      flush()
    },
  })

  return {
    subjects: limiter('subjects'),
    failedTokens: limiter('failedTokens'),
    anonymous: limiter('anonymous'),
    receive({ limitStates }) {
      for (const [number, limitState] of limitStates) {
        waiting.get(number)?.(limitState)
        waiting.delete(number)
      }
    },
  }
}

/** Answers in the order of the requests. */
export async function countFor(
  limits: Pick<Limits, LimitName>,
  asks: readonly LimitAsk[],
): Promise<Extract<ToWorker, { kind: 'standings' }>> {
  const limitStates: [number, LimitState | Promise<LimitState>][] = []
  for (const [number, limit, how, key, endsAt] of asks) {
    if (how === 'giveBack') {
      limits[limit].giveBack(key, { refused: false, left: 0, refundable: true, resetSeconds: 0, endsAt })
    } else limitStates.push([number, limits[limit][how](key)])
  }
  const known = limitStates.map(
    async ([number, limitState]): Promise<[number, LimitState]> => [number, await limitState],
  )
  return { kind: 'standings', limitStates: await Promise.all(known) }
}
