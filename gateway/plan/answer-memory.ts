/**
 * Answers that were asked for more than once lately, whole, one behind the other in one piece of memory: the newest takes
 * the place of the oldest. With a buffer of its own for each, V8 would collect everything again and again, for what lies
 * outside of its heap.
 */

import { crc32 } from '../../corpus/snapshot/crc32.ts'
import { shortLived } from '../../corpus/snapshot/slab.ts'
import type { Answer } from '../answer.ts'

export interface AnswerMemory {
  /** The answer that `make` makes; `key` says all that it depends on. */
  of(key: string, make: () => Answer): Answer
}

interface Kept extends Pick<Answer, 'servedFrom' | 'snapshotId' | 'tag'> {
  at: number
  length: number
}

/** So many are known as asked for, by the CRC of their keys: each has one slot that it may be in. */
const ASKED = 4096
/** What an answer takes beside its body and its key: map slot, object. */
const ENTRY_BYTES = 200

/**
 * `bytes` is what it may take, of the system as it fills up, and with very short answers half as much again. Those longer
 * than an eighth of it are not kept.
 */
export function answerMemory(bytes: number): AnswerMemory {
  const memory = Buffer.alloc(bytes)
  /** In the order in which they lie, the oldest first: a Map keeps it. */
  const known = new Map<string, Kept>()
  const asked = new Uint32Array(ASKED)
  let next = 0

  /** Forgets what lies between two places, which the oldest do. */
  function clear(from: number, to: number): void {
    for (const [key, { at, length }] of known) {
      if (at >= to || at + length <= from) return
      known.delete(key)
    }
  }

  function keep(key: string, { servedFrom, snapshotId, tag }: Answer, body: Buffer): void {
    const { length } = body
    // What lies elsewhere counts twice, so that no mass of short answers takes more than the memory itself.
    const room = length + 2 * (key.length + ENTRY_BYTES)
    if (room > bytes / 8) return
    if (next + room > bytes) {
      clear(next, bytes)
      next = 0
    }
    clear(next, next + room)
    body.copy(memory, next)
    known.set(key, { servedFrom, snapshotId, tag, at: next, length })
    next += room
  }

  return {
    of(key, make) {
      const kept = known.get(key)
      if (kept === undefined) {
        const answer = make()
        const crc = crc32(key)
        const slot = crc % ASKED
        if (asked[slot] !== crc) {
          asked[slot] = crc
          return answer
        }
        return {
          ...answer,
          gzip() {
            const body = answer.gzip()
            if (!known.has(key)) keep(key, answer, body)
            return body
          },
          identity: () => answer.identity(),
        }
      }
      const { servedFrom, snapshotId, tag } = kept
      return {
        servedFrom,
        snapshotId,
        tag,
        gzip() {
          // Something else may have taken its place since.
          if (known.get(key) !== kept) return make().gzip()
          // A copy: what is on its way to a client must not change.
          const body = shortLived(kept.length)
          memory.copy(body, 0, kept.at, kept.at + kept.length)
          return body
        },
        identity: () => make().identity(),
      }
    },
  }
}
