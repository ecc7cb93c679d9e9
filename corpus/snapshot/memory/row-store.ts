/**
 * Summary records as answers need them: the core segment, then the EPSS score, the closing brace and a comma. A row is
 * read and checked at its first use and copied from then on.
 *
 * A page of scattered rows is spliced from them, although rows compressed one by one are larger: 25 random rows, 26 KB of
 * JSON, are 15.7 KB spliced and 5.6 KB with gzip -6. Inflate and deflate take 365 µs of the answering thread (level 1:
 * 6.2 KB, 283 µs). CPU time runs out long before bandwidth. Scans consist mostly of adjacent rows, which page shards
 * compress together.
 */
import type { Epss } from '../../model/record.ts'
import { crc32, crc32Combine } from '../../runtime/crc32.ts'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import {
  CORE,
  CORE_NUMBERS,
  type Columns,
  type EpssColumns,
  epssAt,
  epssMember,
  type FusedPieces,
  type Index,
  storedLength,
  writeStoredHeader,
  writeStoredText,
} from '../index.ts'

export interface RowStore {
  /**
   * Reads a row, unless it was read before.
   * @throws SnapshotError `digest` if it is damaged
   */
  fill(slot: number): void
  /**
   * Joins rows by commas, followed by `end`. Reads missing rows.
   * @throws SnapshotError `digest` if one is damaged
   */
  join(slots: readonly number[], end: '' | ','): FusedPieces
}

export interface RowSource {
  index: Pick<Index, 'coreSegments' | 'sources'>
  epss: EpssColumns
  /** Reads and checks the core segment of a row. */
  readCore(row: number, out: Buffer, at: number): void
}

/** Both numbers have up to 11 characters. */
const LONGEST_SUFFIX = suffixOf({ score: 0.123456789, percentile: 0.123456789, date: '2026-01-01', model_version: '' })
const SUFFIX_BYTES = storedLength(LONGEST_SUFFIX.length + 1)

/**
 * The numbers before the bytes of a row: its lengths and its CRC without a comma, its CRC with one, and its part of tags.
 * They are next to the bytes, because each further place would cost a cache miss.
 */
const ROW = { length: 0, plainLength: 1, plainCrc: 2, crcWithComma: 3, seed: 4 } as const
const SEED_NUMBERS = SHORT_HASH_LENGTH / 4
const ROW_NUMBERS = ROW.seed + SEED_NUMBERS

/** Memory of a row in 4-byte numbers. */
const sizeOf = (coreLength: number): number => ROW_NUMBERS + Math.ceil((coreLength + SUFFIX_BYTES) / 4)

/** Memory of a store for all rows, in bytes. */
export function rowStoreBytes({ coreSegments }: Pick<Index, 'coreSegments'>): number {
  let numbers = 0
  for (let core = 0; core < coreSegments.length; core += CORE_NUMBERS) {
    numbers += sizeOf(coreSegments[core + CORE.length]!) + 1
  }
  return numbers * 4
}

/** No literal has this length, and it differs from the mark of a segment. */
const ROWS_MARK = 0xfffffffe
/** Mark, number of rows, lengths of `end` and of the date. */
const SEED_HEAD = 4 * 4

/** Length of what is read ahead of each row, in numbers. Three quarters of the rows are not longer. */
const AHEAD = 704 / 4
/** A line of the processor's caches, in numbers. */
const LINE = 64 / 4
/** Without this use of the values, the compiler would remove the reads. */
const ahead = { sum: 0 }

/** Slot `i` is for `rows[i]`. The system allocates the memory of a row when it is filled. */
export function rowStore({ index, epss, readCore }: RowSource, rows: ArrayLike<number>): RowStore {
  const { coreSegments, sources } = index
  const date = epss.date ?? ''
  const starts = new Uint32Array(rows.length + 1)
  for (let slot = 0; slot < rows.length; slot++) {
    starts[slot + 1] = starts[slot]! + sizeOf(coreSegments[rows[slot]! * CORE_NUMBERS + CORE.length]!)
  }
  const numbers = new Int32Array(starts[rows.length]! + AHEAD)
  const memory = Buffer.from(numbers.buffer)

  function fill(slot: number): void {
    const start = starts[slot]!
    if (numbers[start + ROW.length] !== 0) return
    const row = rows[slot]!
    const core = row * CORE_NUMBERS
    const at = (start + ROW_NUMBERS) * 4
    readCore(row, memory, at)
    const suffix = suffixOf(epssAt(epss, row))
    const compressed = coreSegments[core + CORE.length]!
    writeStoredText(memory, at + compressed, `${suffix},`)
    const crc = crc32(suffix, coreSegments[core + CORE.plainCrc]!)
    numbers[start + ROW.plainLength] = coreSegments[core + CORE.plainLength]! + suffix.length
    numbers[start + ROW.plainCrc] = crc
    numbers[start + ROW.crcWithComma] = crc32(',', crc)
    // Other content from the same source has another core CRC, score or percentile.
    const seed = start + ROW.seed
    memory.set(sources.subarray(row * SHORT_HASH_LENGTH, (row + 1) * SHORT_HASH_LENGTH), seed * 4)
    numbers[seed]! ^= coreSegments[core + CORE.plainCrc]!
    numbers[seed + 1]! ^= epss.scores[row]!
    numbers[seed + 2]! ^= epss.percentiles[row]!
    numbers[start + ROW.length] = compressed + storedLength(suffix.length)
  }

  /** The tag depends on the EPSS date, and on each row's source digest, core CRC, score and percentile. */
  function seedOf(from: readonly number[], end: '' | ','): Buffer {
    const seed = Buffer.allocUnsafe(SEED_HEAD + date.length + from.length * SHORT_HASH_LENGTH)
    const view = new DataView(seed.buffer, seed.byteOffset, seed.byteLength)
    let at = 0
    for (const number of [ROWS_MARK, from.length, end.length, date.length]) at = seed.writeUInt32LE(number, at)
    at += seed.write(date, at, 'latin1')
    for (const start of from) {
      for (let n = 0; n < SEED_NUMBERS; n++, at += 4) view.setInt32(at, numbers[start + ROW.seed + n]!, true)
    }
    return seed
  }

  /** Reads the bytes of all rows. Cache misses overlap in this loop, but rarely in a copy of row by row. */
  function readAhead(from: readonly number[]): void {
    let sum = 0
    for (const start of from) {
      for (let line = 0; line < AHEAD; line += LINE) sum ^= numbers[start + line]!
    }
    ahead.sum = sum
  }

  function join(slots: readonly number[], end: '' | ','): FusedPieces {
    const from = slots.map((slot) => starts[slot]!)
    readAhead(from)
    const last = slots.length - 1
    const commaAfter = (i: number) => (i < last || end === ',' ? 1 : 0)
    let length = 0
    let plainLength = 0
    let plainCrc = 0
    for (let i = 0; i <= last; i++) {
      fill(slots[i]!)
      const start = from[i]!
      const comma = commaAfter(i)
      const plain = numbers[start + ROW.plainLength]! + comma
      const crc = numbers[start + (comma ? ROW.crcWithComma : ROW.plainCrc)]!
      length += numbers[start + ROW.length]! + comma
      plainLength += plain
      plainCrc = crc32Combine(plainCrc, crc, plain)
    }
    return {
      segment: { plainLength, plainCrc },
      length,
      write(out, at) {
        for (let i = 0; i <= last; i++) {
          const bytesAt = (from[i]! + ROW_NUMBERS) * 4
          const length = numbers[from[i]! + ROW.length]! + commaAfter(i)
          memory.copy(out, at, bytesAt, bytesAt + length)
          at += length
        }
        if (end === ',' || last < 0) return
        const core = rows[slots[last]!]! * CORE_NUMBERS
        const suffix = numbers[from[last]! + ROW.length]! - coreSegments[core + CORE.length]!
        writeStoredHeader(out, at - suffix, suffix - storedLength(0))
      },
      seed: seedOf(from, end),
    }
  }

  return { fill, join }
}

function suffixOf(epss: Epss | null): string {
  return `${epssMember(epss)}}`
}

/** Returns the rows of ordinals, joined by commas and followed by `end`. */
export function gatheredRows(
  snapshot: RowSource & { columns: Pick<Columns, 'row'>; rows: RowStore | null },
  ordinals: readonly number[],
  end: '' | ',',
): FusedPieces {
  if (snapshot.rows) return snapshot.rows.join(ordinals, end)
  const rows = ordinals.map((ordinal) => snapshot.columns.row[ordinal]!)
  return rowStore(snapshot, rows).join([...rows.keys()], end)
}
