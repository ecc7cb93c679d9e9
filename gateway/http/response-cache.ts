/** Cache of complete answers of the current snapshot. An answer is kept at its second request, so that scans evict nothing. */
import { gunzipSync } from 'node:zlib'
import { crc32 } from '../../corpus/runtime/crc32.ts'
import { generationalCache } from '../../corpus/runtime/generational-cache.ts'
import type { EncodedAnswer } from './encoded-answer.ts'

/** The answers must depend only on the current snapshot and the key. */
export interface ResponseCache {
  find(snapshot: object, key: string): EncodedAnswer | null
  /** Returns the answer. At its second request, it is kept when its body exists. */
  keep(snapshot: object, key: string, answer: EncodedAnswer): EncodedAnswer
}

type Kept = Pick<EncodedAnswer, 'servedFrom' | 'snapshotId' | 'tag'> & { body: Buffer }

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

  function of(snapshot: object) {
    if (snapshot !== current) {
      answers = empty()
      current = snapshot
    }
    return answers
  }

  /** Returns the answer, which is kept when its body exists. */
  function keeping(key: string, answer: EncodedAnswer): EncodedAnswer {
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
    find(snapshot, key) {
      const kept = of(snapshot).get(key)
      if (!kept) return null
      const { servedFrom, snapshotId, tag, body } = kept
      return { servedFrom, snapshotId, tag, gzip: () => body, identity: () => gunzipSync(body) }
    },
    keep(snapshot, key, answer) {
      of(snapshot)
      const crc = crc32(key) | 0
      const slot = crc & (ASKED - 1)
      const isSecond = asked[slot] === crc
      asked[slot] = crc
      return isSecond ? keeping(key, answer) : answer
    },
  }
}
