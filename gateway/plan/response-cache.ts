/** Cache of complete answers of the current snapshot. An answer is kept at its second request, so that scans evict nothing. */
import { crc32 } from '../../corpus/runtime/crc32.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import type { Answer } from '../http/answer.ts'

export interface ResponseCache {
  /** Returns the answer of `make`, which must depend only on the current snapshot and the key. */
  of(snapshot: object, key: string, make: () => Answer): Answer
}

type Kept = Pick<Answer, 'servedFrom' | 'snapshotId' | 'tag'> & { body: Buffer }

/** Number of slots for recently requested keys, a power of two. The CRC of a key selects its slot. */
const ASKED = 4096
/** Map entry and object. */
const ENTRY_BYTES = 400

/** Returns a cache of at most `bytes`. */
export function responseCache(bytes: number): ResponseCache {
  const empty = () =>
    generationalCache<string, Kept>(bytes, ({ body }, key) => body.length + 2 * key.length + ENTRY_BYTES)
  const asked = new Int32Array(ASKED)
  let answers = empty()
  let current: object | null = null

  /** Returns the answer, which is kept when its body exists. */
  function keeping(key: string, answer: Answer): Answer {
    return {
      ...answer,
      gzip() {
        const body = answer.gzip()
        // A small body would keep the whole pool of its memory.
        const copy = Buffer.allocUnsafeSlow(body.length)
        body.copy(copy)
        const { servedFrom, snapshotId, tag } = answer
        answers.set(key, { servedFrom, snapshotId, tag, body: copy })
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
      if (kept) {
        const { servedFrom, snapshotId, tag, body } = kept
        return { servedFrom, snapshotId, tag, gzip: () => body, identity: () => make().identity() }
      }
      const answer = make()
      const crc = crc32(key) | 0
      const slot = crc & (ASKED - 1)
      const isSecond = asked[slot] === crc
      asked[slot] = crc
      return isSecond ? keeping(key, answer) : answer
    },
  }
}
