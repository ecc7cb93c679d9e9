/**
 * The index: position and core segment of each CVE, in id order, so that a summary record needs one read. SPEC.md,
 * "Index". Lookups are binary searches. Numbers have up to 19 digits, so they take two 32-bit columns.
 */
import { type CveId, cveIdParts, isRecordId } from '../../model/ids/cve-id.ts'
import { SHORT_HASH_LENGTH, sha256 } from '../../runtime/digest.ts'
import type { LocatedSegment } from '../codec/segment-bytes.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import type { Segment } from '../record/member.ts'
import type { Rows } from './rows.ts'

/** The ids of all CVEs. */
export interface IdColumns {
  count: number
  year: Uint16Array
  /** The upper and the lower 32 bits of the number. */
  numberHigh: Uint32Array
  numberLow: Uint32Array
}

export interface Index extends IdColumns {
  /** Shard names; `shard` contains indices into it. */
  shards: string[]
  shard: Uint16Array
  at: Uint32Array
  length: Uint32Array
  /** The `CORE` numbers of each row. Interleaved for memory locality. */
  coreSegments: Uint32Array
  sources: Uint8Array
}

/** Positions of the numbers of a core segment. `at` counts from the beginning of the shard. */
export const CORE = { at: 0, length: 1, plainLength: 2, plainCrc: 3, storedCrc: 4 } as const
export const CORE_NUMBERS = Object.keys(CORE).length

/** Writes the core segment of a member to `row`. The member begins at `memberAt` of its shard. */
export function putCoreSegment(out: Uint32Array, row: number, memberAt: number, segment: Segment): void {
  const { offset, length, plainLength, plainCrc, storedCrc } = segment
  out.set([memberAt + offset, length, plainLength, plainCrc, storedCrc], row * CORE_NUMBERS)
}

/** Returns the end of a row's core segment, relative to its member. The core is the first segment. */
export function coreEnd({ at, coreSegments }: Index, row: number): number {
  const first = row * CORE_NUMBERS
  return coreSegments[first + CORE.at]! + coreSegments[first + CORE.length]! - at[row]!
}

/** Returns the core segment of a row. Its `offset` counts from the beginning of the shard. */
export function coreSegmentAt({ coreSegments }: Index, row: number): LocatedSegment {
  const of = (number: number) => coreSegments[row * CORE_NUMBERS + number]!
  return {
    offset: of(CORE.at),
    length: of(CORE.length),
    plainLength: of(CORE.plainLength),
    plainCrc: of(CORE.plainCrc),
    storedCrc: of(CORE.storedCrc),
  }
}

export function indexOf(rows: Rows): Index {
  const year = new Uint16Array(rows.count)
  const numberHigh = new Uint32Array(rows.count)
  const numberLow = new Uint32Array(rows.count)
  rows.ids.forEach((id, row) => {
    const parts = cveIdParts(id as CveId)
    year[row] = parts.year
    numberHigh[row] = Number(parts.number >> 32n)
    numberLow[row] = Number(parts.number & 0xffffffffn)
  })
  const { count, shards, shard, at, length, coreSegments, sources } = rows
  return { count, shards, year, numberHigh, numberLow, shard, at, length, coreSegments, sources }
}

export function encodeIndex(index: Index): Buffer {
  const { shards, year, numberHigh, numberLow, shard, at, length, coreSegments, sources } = index
  return encodeTable({
    about: { shards },
    columns: { year, numberHigh, numberLow, shard, at, length, coreSegments, sources },
  })
}

/** Returns the content digest, which excludes the columns that depend on compression. */
export function indexContent({ shards, year, numberHigh, numberLow, shard, sources }: Index): string {
  return sha256(encodeTable({ about: { shards }, columns: { year, numberHigh, numberLow, shard, sources } }))
}

/** @throws SnapshotError `malformed` */
export function decodeIndex(bytes: Uint8Array): Index {
  const table = decodeTable(bytes)
  const { shards } = table.about
  const year = column(table, 'year', 'u16')
  const index: Index = {
    count: year.length,
    shards: shards as string[],
    year,
    numberHigh: column(table, 'numberHigh', 'u32'),
    numberLow: column(table, 'numberLow', 'u32'),
    shard: column(table, 'shard', 'u16'),
    at: column(table, 'at', 'u32'),
    length: column(table, 'length', 'u32'),
    coreSegments: column(table, 'coreSegments', 'u32'),
    sources: column(table, 'sources', 'u8'),
  }
  const { count, numberHigh, numberLow, shard, at, length, coreSegments, sources } = index
  const even = [numberHigh, numberLow, shard, at, length].every((values) => values.length === count)
  const whole = coreSegments.length === count * CORE_NUMBERS && sources.length === count * SHORT_HASH_LENGTH
  if (!Array.isArray(shards) || !even || !whole || !isAscending(index)) {
    throw new SnapshotError('malformed', 'the index is damaged')
  }
  return index
}

/** Whether the rows strictly ascend. Binary search requires it, and no id may occur twice. */
export function isAscending({ count, year, numberHigh, numberLow }: IdColumns): boolean {
  for (let row = 1; row < count; row++) {
    const step =
      year[row]! - year[row - 1]! || numberHigh[row]! - numberHigh[row - 1]! || numberLow[row]! - numberLow[row - 1]!
    if (step <= 0) return false
  }
  return true
}

/** Returns the row of a CVE, or -1 when the snapshot has no such record. `id` must be canonical. */
export function findRow(index: IdColumns, id: CveId): number {
  const year = Number(id.slice(4, 8))
  const digits = id.slice(9)
  if (!isRecordId(id)) return -1
  const [high, low] = splitNumber(digits)
  let from = 0
  let to = index.count
  while (from < to) {
    const middle = (from + to) >>> 1
    const difference = index.year[middle]! - year || index.numberHigh[middle]! - high || index.numberLow[middle]! - low
    if (difference === 0) return middle
    if (difference < 0) from = middle + 1
    else to = middle
  }
  return -1
}

export function idAt(index: IdColumns, row: number): CveId {
  const high = index.numberHigh[row]!
  const low = index.numberLow[row]!
  const number = high === 0 ? String(low) : String((BigInt(high) << 32n) | BigInt(low))
  return `CVE-${index.year[row]}-${number.padStart(4, '0')}`
}

function splitNumber(digits: string): [high: number, low: number] {
  if (digits.length <= 9) return [0, Number(digits)]
  const number = BigInt(digits)
  return [Number(number >> 32n), Number(number & 0xffffffffn)]
}
