/**
 * Summary records as answers need them: the core segment, then the EPSS score, the closing brace and a comma. A row is
 * read and checked at its first use and copied from then on.
 */
import type { Epss } from '../../corpus/model/record.ts'
import { crc32 } from '../../corpus/runtime/crc32.ts'
import {
  CORE,
  CORE_NUMBERS,
  type EpssColumns,
  epssAt,
  epssMember,
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
  index: Pick<Index, 'coreSegments'>
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
