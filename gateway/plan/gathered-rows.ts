/**
 * Builds one piece of an answer from rows of many shards.
 *
 * Such pages are spliced too, although rows compressed one by one are larger: 25 random rows, 26 KB of JSON, are 15.7
 * KB spliced and 5.6 KB with gzip -6. Inflate and deflate take 365 µs of the answering thread (level 1: 6.2 KB, 283
 * µs). CPU time runs out long before bandwidth. Scans consist mostly of adjacent rows, which page shards compress
 * together.
 */
import { crc32Combine } from '../../corpus/runtime/crc32.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/runtime/digest.ts'
import { CORE, CORE_NUMBERS, type FusedPieces } from '../../corpus/snapshot/index.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import { rowStore } from '../snapshots/row-store.ts'

/** Rows are joined by commas, and followed by `end`. */
export function gatheredRows(snapshot: OpenSnapshot, rows: readonly number[], end: '' | ','): FusedPieces {
  const held = snapshot.rows
  const store = held ?? rowStore(snapshot, rows)
  const last = rows.length - 1
  const commaAfter = (i: number) => (i < last || end === ',' ? 1 : 0)
  let length = 0
  let plainLength = 0
  let plainCrc = 0
  for (let i = 0; i <= last; i++) {
    const slot = held ? rows[i]! : i
    const comma = commaAfter(i)
    store.fill(slot)
    const plain = store.plainLength(slot, comma)
    length += store.length(slot, comma)
    plainLength += plain
    plainCrc = crc32Combine(plainCrc, store.plainCrc(slot, comma), plain)
  }
  return {
    segment: { plainLength, plainCrc },
    length,
    write(out, at) {
      for (let i = 0; i <= last; i++) {
        const slot = held ? rows[i]! : i
        store.write(slot, commaAfter(i), out, at)
        at += store.length(slot, commaAfter(i))
      }
    },
    seed: seedOf(snapshot, rows, end),
  }
}

/** No literal has this length, and it differs from the mark of a segment. */
const ROWS_MARK = 0xfffffffe
/** Mark, number of rows, lengths of `end` and of the date. */
const SEED_HEAD = 4 * 4
const SEED_OF_ROW = SHORT_HASH_LENGTH + 3 * 4

/** The tag depends on the EPSS date, and on each row's source digest, core CRC, score and percentile. */
function seedOf({ index, epss }: OpenSnapshot, rows: readonly number[], end: '' | ','): Buffer {
  const { sources, coreSegments } = index
  const date = epss.date ?? ''
  const seed = Buffer.allocUnsafe(SEED_HEAD + date.length + rows.length * SEED_OF_ROW)
  let at = 0
  for (const number of [ROWS_MARK, rows.length, end.length, date.length]) at = seed.writeUInt32LE(number, at)
  at += seed.write(date, at, 'latin1')
  const from = new DataView(sources.buffer, sources.byteOffset, sources.byteLength)
  const to = new DataView(seed.buffer, seed.byteOffset, seed.byteLength)
  for (let i = 0; i < rows.length; i++, at += SEED_OF_ROW) {
    const row = rows[i]!
    for (let byte = 0; byte < SHORT_HASH_LENGTH; byte += 4) {
      to.setUint32(at + byte, from.getUint32(row * SHORT_HASH_LENGTH + byte))
    }
    to.setUint32(at + SHORT_HASH_LENGTH, coreSegments[row * CORE_NUMBERS + CORE.plainCrc]!, true)
    to.setUint32(at + SHORT_HASH_LENGTH + 4, epss.scores[row]!, true)
    to.setUint32(at + SHORT_HASH_LENGTH + 8, epss.percentiles[row]!, true)
  }
  return seed
}
