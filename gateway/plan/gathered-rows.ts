/**
 * Rows from all over the shards as one piece of an answer. The index says of each core segment where it lies, how long it
 * is and what it inflates to, so that a row is one read of just these bytes, to where they stand in the piece: 2 µs,
 * most of it in the kernel; those that are asked for often are remembered.
 *
 * Gathered pages are spliced as all others are, although rows that were compressed one by one take more on the wire: 25
 * rows by chance, 26 KB of JSON, are 15.7 KB spliced and 5.6 KB by gzip -6, 2.8 times as much. But spliced they take 45 µs
 * of the one thread that answers, inflated and deflated together 365 µs (level 1: 6.2 KB, 283 µs). We splice: a gateway is
 * short of time long before it is short of bandwidth, and runs of neighbouring rows, of which most bytes of a walk through
 * a list consist, lie in page shards, compressed together.
 */
import { crc32Combine } from '../../corpus/snapshot/crc32.ts'
import { CORE, CORE_NUMBERS } from '../../corpus/snapshot/derive/index-table.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/snapshot/digest.ts'
import { snapshotNumber } from '../../corpus/snapshot/find/per-snapshot.ts'
import { shortLived } from '../../corpus/snapshot/slab.ts'
import type { FusedPieces } from '../../corpus/snapshot/splice.ts'
import { PROCESS_BYTES } from '../bounds.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { coreMemory } from './core-memory.ts'
import { restParts, writeRest } from './epss-rest.ts'
import { shortCrc32 } from './short-crc.ts'

/** One memory for all snapshots that are open, so that the bound is that of the process. */
const cores = coreMemory(PROCESS_BYTES.cores)

/** A stored block: no final one, its length, and the same inverted (RFC 1951 3.2.4). */
const STORED_HEADER = 5

/** Summary records of `rows`, joined by commas, with `end` behind the last. */
export function gatheredRows(snapshot: OpenSnapshot, rows: readonly number[], end: '' | ','): FusedPieces {
  const { coreSegments } = snapshot.index
  const figures = figuresOf(snapshot, rows)
  const parts = restParts(snapshot)
  const number = snapshotNumber(snapshot)
  let most = rows.length * (STORED_HEADER + parts.longest)
  for (let i = 0; i < rows.length; i++) most += coreSegments[rows[i]! * CORE_NUMBERS + CORE.length]!
  const memory = shortLived(most)
  let at = 0
  let plainLength = 0
  let plainCrc = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const core = row * CORE_NUMBERS
    const compressed = coreSegments[core + CORE.length]!
    if (!cores.take(number, row, compressed, memory, at)) {
      snapshot.readCore(row, memory, at)
      cores.offer(number, row, compressed, memory, at)
    }
    const block = at + compressed
    const rest = block + STORED_HEADER
    at = writeRest(memory, rest, parts, figures[2 * i]!, figures[2 * i + 1]!)
    if (i < rows.length - 1 || end !== '') memory[at++] = COMMA
    writeStoredHeader(memory, block, at - rest)
    const coreLength = coreSegments[core + CORE.plainLength]!
    plainCrc = shortCrc32(memory, rest, at, crc32Combine(plainCrc, coreSegments[core + CORE.plainCrc]!, coreLength))
    plainLength += coreLength + at - rest
  }
  return {
    segment: { plainLength, plainCrc },
    stored: memory.subarray(0, at),
    seed: seedOf(snapshot, rows, figures, end),
  }
}

const COMMA = 0x2c

/**
 * Score and percentile of each row. They lie all over the memory: read in a loop of their own, the processor waits for
 * many of them at once.
 */
function figuresOf({ epss: { scores, percentiles } }: OpenSnapshot, rows: readonly number[]): Uint32Array {
  const figures = new Uint32Array(2 * rows.length)
  for (let i = 0; i < rows.length; i++) {
    figures[2 * i] = scores[rows[i]!]!
    figures[2 * i + 1] = percentiles[rows[i]!]!
  }
  return figures
}

/** Writes the header of a stored block of `length` bytes, which is never too long for one. */
function writeStoredHeader(out: Uint8Array, at: number, length: number): void {
  out[at] = 0
  out[at + 1] = length & 0xff
  out[at + 2] = length >>> 8
  out[at + 3] = ~length & 0xff
  out[at + 4] = (~length >>> 8) & 0xff
}

/** Stands before the rows of a seed; no literal is so long, and it is not the mark of a segment. */
const ROWS_MARK = 0xfffffffe
const NUMBER = 4
/** The mark, how many rows there are, how long what stands behind them is, and how long the date is. */
const SEED_HEAD = 4 * NUMBER
const SEED_OF_ROW = SHORT_HASH_LENGTH + 3 * NUMBER

/** What the rows say, for tags: the day of EPSS, what each record was made from, the CRC of its core, and its figures. */
function seedOf(
  { index: { sources, coreSegments }, epss }: OpenSnapshot,
  rows: readonly number[],
  figures: Uint32Array,
  end: '' | ',',
): Buffer {
  const date = epss.date ?? ''
  const seed = shortLived(SEED_HEAD + date.length + rows.length * SEED_OF_ROW)
  let at = writeNumber(seed, 0, ROWS_MARK)
  at = writeNumber(seed, at, rows.length)
  at = writeNumber(seed, at, end.length)
  at = writeNumber(seed, at, date.length)
  at += seed.write(date, at, 'latin1')
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!
    const source = row * SHORT_HASH_LENGTH
    for (let byte = 0; byte < SHORT_HASH_LENGTH; byte++) seed[at++] = sources[source + byte]!
    at = writeNumber(seed, at, coreSegments[row * CORE_NUMBERS + CORE.plainCrc]!)
    at = writeNumber(seed, at, figures[2 * i]!)
    at = writeNumber(seed, at, figures[2 * i + 1]!)
  }
  return seed
}

/** Little-endian; gives the position behind it. */
function writeNumber(out: Uint8Array, at: number, number: number): number {
  out[at] = number
  out[at + 1] = number >>> 8
  out[at + 2] = number >>> 16
  out[at + 3] = number >>> 24
  return at + NUMBER
}
