/**
 * Rows from all over the shards as one piece of an answer. The index says of each core segment where it lies, how long it
 * is and what it inflates to, so that a row is one read of just these bytes, to where they stand in the piece: 2 to 3 µs,
 * most of it in the kernel; those that are asked for often are remembered.
 *
 * Gathered pages are spliced as all others are, although rows that were compressed one by one take more on the wire: 25
 * rows by chance, 26 KB of JSON, are 15.7 KB spliced and 5.6 KB by gzip -6, 2.8 times as much. But spliced they take 54 µs
 * of the one thread that answers, inflated and deflated together 365 µs (level 1: 6.2 KB, 283 µs). We splice: a gateway is
 * short of time long before it is short of bandwidth, and runs of neighbouring rows, of which most bytes of a walk through
 * a list consist, lie in page shards, compressed together.
 */
import { crc32, crc32Combine } from '../../corpus/snapshot/crc32.ts'
import { storedLength, writeStoredText } from '../../corpus/snapshot/deflate.ts'
import { CORE, CORE_NUMBERS } from '../../corpus/snapshot/derive/index-table.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/snapshot/digest.ts'
import { epssAt, epssMember } from '../../corpus/snapshot/epss.ts'
import { shortLived } from '../../corpus/snapshot/slab.ts'
import type { FusedPieces } from '../../corpus/snapshot/splice.ts'
import { PROCESS_BYTES } from '../bounds.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { coreMemory } from './core-memory.ts'
import { perSnapshot } from './per-snapshot.ts'

/** One memory for all snapshots that are open, so that the bound is that of the process. */
const cores = coreMemory(PROCESS_BYTES.cores)

let snapshots = 0
/** What the memory knows a snapshot by. */
const numberOf = perSnapshot(() => snapshots++)

/** Summary records of `rows`, joined by commas, with `end` behind the last. */
export function gatheredRows(snapshot: OpenSnapshot, rows: readonly number[], end: '' | ','): FusedPieces {
  const rests = restsOf(snapshot, rows, end)
  const { stored, segment } = storedRows(snapshot, rows, rests)
  return { segment, stored, seed: seedOf(snapshot, rows, rests) }
}

/** What stands behind each core: EPSS, the closing brace, and the comma. It is ASCII. */
function restsOf({ epss }: OpenSnapshot, rows: readonly number[], end: '' | ','): string[] {
  const last = rows.length - 1
  return rows.map((row, i) => `${epssMember(epssAt(epss, row))}}${i < last ? ',' : end}`)
}

/** The rows as DEFLATE: each core as it lies in its shard, and its rest as a stored block. */
function storedRows(
  snapshot: OpenSnapshot,
  rows: readonly number[],
  rests: readonly string[],
): Pick<FusedPieces, 'stored' | 'segment'> {
  const { coreSegments } = snapshot.index
  const number = numberOf(snapshot)
  let length = 0
  for (let i = 0; i < rows.length; i++) {
    length += coreSegments[rows[i]! * CORE_NUMBERS + CORE.length]! + storedLength(rests[i]!.length)
  }
  const stored = shortLived(length)
  let at = 0
  let plainLength = 0
  let plainCrc = 0
  for (let i = 0; i < rows.length; i++) {
    const [row, rest] = [rows[i]!, rests[i]!]
    const core = row * CORE_NUMBERS
    const compressed = coreSegments[core + CORE.length]!
    if (!cores.take(number, row, compressed, stored, at)) {
      snapshot.readCore(row, stored, at)
      cores.offer(number, row, compressed, stored, at)
    }
    at = writeStoredText(stored, at + compressed, rest).end
    const coreLength = coreSegments[core + CORE.plainLength]!
    plainCrc = crc32(rest, crc32Combine(plainCrc, coreSegments[core + CORE.plainCrc]!, coreLength))
    plainLength += coreLength + rest.length
  }
  return { stored, segment: { plainLength, plainCrc } }
}

/** Stands before each row of a seed; no literal is so long, and it is not the mark of a segment. */
const ROW_MARK = 0xfffffffe
const NUMBER = 4
const SEED_OF_ROW = NUMBER + SHORT_HASH_LENGTH + NUMBER + NUMBER

/** What the rows say, for tags: what each record was made from, the CRC of its core, and what stands behind it. */
function seedOf({ index: { sources, coreSegments } }: OpenSnapshot, rows: readonly number[], rests: readonly string[]) {
  let length = 0
  for (const rest of rests) length += SEED_OF_ROW + rest.length
  const seed = shortLived(length)
  let at = 0
  for (let i = 0; i < rows.length; i++) {
    const [row, rest] = [rows[i]!, rests[i]!]
    at = seed.writeUInt32LE(ROW_MARK, at)
    const source = row * SHORT_HASH_LENGTH
    for (let byte = 0; byte < SHORT_HASH_LENGTH; byte++) seed[at++] = sources[source + byte]!
    at = seed.writeUInt32LE(coreSegments[row * CORE_NUMBERS + CORE.plainCrc]!, at)
    at = seed.writeUInt32LE(rest.length, at)
    at += seed.write(rest, at, 'latin1')
  }
  return seed
}
