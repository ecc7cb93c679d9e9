/** Bounds the work for one request, and shares the event loop and the quota by it. */
import { setImmediate } from 'node:timers/promises'
import { contentTooLarge } from '../http/errors.ts'
import { COMPAT_ANSWER_BYTES, WORK } from '../process/bounds.ts'
import { ClientGone, type CompatRequest } from './interface.ts'

/** @throws ApiError 413 if an answer is too long */
export function assertAnswer(bytes: number): void {
  if (bytes <= COMPAT_ANSWER_BYTES) return
  throw contentTooLarge(`the answer is longer than ${COMPAT_ANSWER_BYTES} bytes; split the request`)
}

export interface WorkOptions {
  /** Takes one unit of the caller's quota. */
  charge(): Promise<void>
  /** Whether the client has closed the connection. */
  isGone(): boolean
}

export function countWork({ charge, isGone }: WorkOptions): CompatRequest['work'] {
  let [total, inTurn, units] = [0, 0, 0]

  async function pause(): Promise<void> {
    for (; units < Math.floor(total / WORK.perUnit); units++) await charge()
    await setImmediate()
    if (isGone()) throw new ClientGone()
  }

  return (comparisons) => {
    total += comparisons
    if (total > WORK.most) {
      throw contentTooLarge(
        `the request needs more than ${WORK.most} comparisons of versions with advisories; split the request`,
      )
    }
    inTurn += comparisons
    if (inTurn < WORK.inATurn) return
    inTurn = 0
    return pause()
  }
}
