/**
 * Cache of complete answers that were requested more than once recently, in one ring buffer; the newest overwrites the
 * oldest. A buffer per answer would be external memory, which makes V8 collect garbage again and again.
 */

import { crc32 } from '../../corpus/runtime/crc32.ts'
import type { Answer } from '../http/answer.ts'

export interface ResponseCache {
  /** `key` must contain everything that the answer depends on. */
  of(key: string, make: () => Answer): Answer
}

interface Kept extends Pick<Answer, 'servedFrom' | 'snapshotId' | 'tag'> {
  at: number
  length: number
}

/** Recently requested keys, by CRC. Each key has one slot. */
const ASKED = 4096
/** Map entry and object. */
const ENTRY_BYTES = 200

/**
 * Returns a cache of at most `bytes`; with very short answers half as much again. The system allocates pages on first
 * use. Answers longer than an eighth of it are not cached.
 */
export function responseCache(bytes: number): ResponseCache {
  const memory = Buffer.alloc(bytes)
  /** Oldest first: a Map keeps the insertion order. */
  const known = new Map<string, Kept>()
  const asked = new Uint32Array(ASKED)
  let next = 0

  function clear(from: number, to: number): void {
    for (const [key, { at, length }] of known) {
      if (at >= to || at + length <= from) return
      known.delete(key)
    }
  }

  function keep(key: string, { servedFrom, snapshotId, tag }: Answer, body: Buffer): void {
    const { length } = body
    // Key and entry are outside the buffer. They count twice, to limit the memory of many short answers.
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
          // It may have been overwritten.
          if (known.get(key) !== kept) return make().gzip()
          // Bytes in transmission must not change.
          const body = Buffer.allocUnsafe(kept.length)
          memory.copy(body, 0, kept.at, kept.at + kept.length)
          return body
        },
        identity: () => make().identity(),
      }
    },
  }
}
