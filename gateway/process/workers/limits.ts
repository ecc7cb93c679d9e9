/**
 * Limits shared by all workers (rule 16): workers ask the primary, which counts. All requests of one event-loop turn
 * go in one message, so messages carry many under load.
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
  const waiting = new Map<number, (limitState: LimitState | null) => void>()
  let asks: LimitAsk[] = []
  let numbered = 0

  function flush(): void {
    if (asks.length === 0) return
    send({ kind: 'limits', asks })
    asks = []
  }
  function ask(...[limit, how, key, endsAt]: [LimitName, LimitAsk[2], string, number]): Promise<LimitState | null> {
    if (asks.length === 0) setImmediate(flush)
    asks.push([++numbered, limit, how, key, endsAt])
    return new Promise((resolve) => void waiting.set(numbered, resolve))
  }
  const limiter = (limit: LimitName): Limiter => ({
    take: (key) => ask(limit, 'take', key, 0) as Promise<LimitState>,
    look: (key) => ask(limit, 'look', key, 0) as Promise<LimitState>,
    async giveBack(key, { endsAt }) {
      await ask(limit, 'giveBack', key, endsAt)
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
  const limitStates = asks.map(async ([number, limit, how, key, endsAt]): Promise<[number, LimitState | null]> => {
    if (how !== 'giveBack') return [number, await limits[limit][how](key)]
    await limits[limit].giveBack(key, { endsAt })
    return [number, null]
  })
  return { kind: 'standings', limitStates: await Promise.all(limitStates) }
}
