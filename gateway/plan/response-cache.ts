/** Cache of complete answers of the current snapshot. An answer is kept at its second request, so that scans evict nothing. */
import { crc32 } from '../../corpus/runtime/crc32.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import type { Answer } from '../http/answer.ts'

export interface ResponseCache {
  /** Returns the answer of `make`, which must depend only on the current snapshot and the key. */
  of(snapshot: object, key: string, make: () => Answer): Answer
}

interface Kept {
  answer: Answer
  bytes: number
}

/** Recently requested keys, by CRC. Each key has one slot. */
const ASKED = 4096
/** Map entry and objects. */
const ENTRY_BYTES = 400

/** Returns a cache of at most `bytes`. */
export function responseCache(bytes: number): ResponseCache {
  const empty = () => generationalCache<string, Kept>(bytes, (kept, key) => kept.bytes + 2 * key.length + ENTRY_BYTES)
  const asked = new Uint32Array(ASKED)
  let answers = empty()
  let current: object | null = null

  /** Returns the answer, which is kept when its body exists. */
  function keeping(key: string, answer: Answer): Answer {
    return {
      ...answer,
      gzip() {
        const body = answer.gzip()
        // A view would keep a block of Node's buffer pool alive.
        const copy = Buffer.allocUnsafeSlow(body.length)
        body.copy(copy)
        answers.set(key, { answer: { ...answer, gzip: () => copy }, bytes: copy.length })
        return body
      },
    }
  }

  return {
    of(snapshot, key, make) {
      if (snapshot !== current) {
        answers = empty()
        current = snapshot
      }
      const kept = answers.get(key)
      if (kept !== undefined) return kept.answer
      const answer = make()
      const crc = crc32(key)
      const isSecond = asked[crc % ASKED] === crc
      asked[crc % ASKED] = crc
      return isSecond ? keeping(key, answer) : answer
    },
  }
}
