/**
 * Summary records as answers need them: the core segment, then the EPSS score, the closing brace and a comma. A row is
 * read and checked at its first use and copied from then on.
 *
 * A page of scattered rows is spliced from them, although rows compressed one by one are larger: 25 random rows, 26 KB of
 * JSON, are 15.7 KB spliced and 5.6 KB with gzip -6. Inflate and deflate take 365 µs of the answering thread (level 1:
 * 6.2 KB, 283 µs). CPU time runs out long before bandwidth. Scans consist mostly of adjacent rows, which page shards
 * compress together.
 */
import type { Epss } from '../../corpus/model/record.ts'
import { crc32, crc32Combine } from '../../corpus/runtime/crc32.ts'
import { SHORT_HASH_LENGTH } from '../../corpus/runtime/digest.ts'
import {
  CORE,
  CORE_NUMBERS,
  type EpssColumns,
  epssAt,
  epssMember,
  type FusedPieces,
  type Index,
  storedLength,
  writeStoredHeader,
  writeStoredText,
} from '../../corpus/snapshot/index.ts'

/** Whether a comma follows the row. */
type Comma = 0 | 1

export interface RowStore {
  /**
   * Reads a row, unless it was read before.
   * @throws SnapshotError `digest` if it is damaged
   */
  fill(slot: number): void
  /** Compressed, in bytes. */
  length(slot: number, comma: Comma): number
  plainLength(slot: number, comma: Comma): number
  plainCrc(slot: number, comma: Comma): number
  /** Writes the compressed bytes to `at` in `out`. */
  write(slot: number, comma: Comma, out: Buffer, at: number): void
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

/** Offset, length, plain length, two CRCs. */
const SLOT_BYTES = 5 * 4

/** Memory of a store for all rows, in bytes. */
export function rowStoreBytes({ coreSegments }: Pick<Index, 'coreSegments'>): number {
  let bytes = 0
  for (let core = 0; core < coreSegments.length; core += CORE_NUMBERS) {
    bytes += coreSegments[core + CORE.length]! + SUFFIX_BYTES + SLOT_BYTES
  }
  return bytes
}

/** Slot `i` is for `rows[i]`. The system allocates the memory of a row when it is filled. */
export function rowStore({ index: { coreSegments }, epss, readCore }: RowSource, rows: ArrayLike<number>): RowStore {
  const offsets = new Uint32Array(rows.length + 1)
  for (let slot = 0; slot < rows.length; slot++) {
    offsets[slot + 1] = offsets[slot]! + coreSegments[rows[slot]! * CORE_NUMBERS + CORE.length]! + SUFFIX_BYTES
  }
  const memory = Buffer.allocUnsafe(offsets[rows.length]!)
  /** Without the comma; 0 until the row is filled. */
  const lengths = new Uint32Array(rows.length)
  const plainLengths = new Uint32Array(rows.length)
  /** CRCs of the plain row without and with its comma. */
  const plainCrcs = [new Uint32Array(rows.length), new Uint32Array(rows.length)] as const
  return {
    fill(slot) {
      if (lengths[slot] !== 0) return
      const core = rows[slot]! * CORE_NUMBERS
      const at = offsets[slot]!
      readCore(rows[slot]!, memory, at)
      const suffix = suffixOf(epssAt(epss, rows[slot]!))
      const compressed = coreSegments[core + CORE.length]!
      writeStoredText(memory, at + compressed, `${suffix},`)
      lengths[slot] = compressed + storedLength(suffix.length)
      plainLengths[slot] = coreSegments[core + CORE.plainLength]! + suffix.length
      plainCrcs[0][slot] = crc32(suffix, coreSegments[core + CORE.plainCrc]!)
      plainCrcs[1][slot] = crc32(',', plainCrcs[0][slot])
    },
    length: (slot, comma) => lengths[slot]! + comma,
    plainLength: (slot, comma) => plainLengths[slot]! + comma,
    plainCrc: (slot, comma) => plainCrcs[comma][slot]!,
    write(slot, comma, out, at) {
      const from = offsets[slot]!
      memory.copy(out, at, from, from + lengths[slot]! + comma)
      if (comma === 1) return
      const compressed = coreSegments[rows[slot]! * CORE_NUMBERS + CORE.length]!
      writeStoredHeader(out, at + compressed, lengths[slot]! - compressed - storedLength(0))
    },
  }
}

function suffixOf(epss: Epss | null): string {
  return `${epssMember(epss)}}`
}

/** Rows are joined by commas, and followed by `end`. */
export function gatheredRows(
  snapshot: RowSource & { rows: RowStore | null },
  rows: readonly number[],
  end: '' | ',',
): FusedPieces {
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
function seedOf({ index, epss }: RowSource, rows: readonly number[], end: '' | ','): Buffer {
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
