/**
 * The index: EPSS scores, position and core segment of each CVE, in id order, so that a summary record needs one read.
 * It has a block for each shard. SPEC.md, "Index". Lookups are binary searches. Numbers have up to 19 digits, so they
 * take two 32-bit columns.
 */
import { type CveId, cveIdParts, firstOfBlock, isRecordId } from '../../model/ids/cve-id.ts'
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import type { LocatedSegment } from '../codec/segment-bytes.ts'
import { column, decodeTable, encodeTable, type Table } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { type EpssColumns, readRelease } from '../record/epss.ts'
import type { Segment } from '../record/member.ts'
import { BLOCK_NAME } from './index-block.ts'
import type { Rows } from './rows.ts'

/** The ids of all CVEs. */
export interface IdColumns {
  count: number
  year: Uint16Array
  /** The upper and the lower 32 bits of the number. */
  numberHigh: Uint32Array
  numberLow: Uint32Array
}

/** The ids of all CVEs, and their EPSS scores. */
export interface ScoredIds extends IdColumns {
  epss: EpssColumns
}

export interface Index extends ScoredIds {
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

export function indexOf(rows: Rows, epss: EpssColumns): Index {
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
  return { count, epss, shards, year, numberHigh, numberLow, shard, at, length, coreSegments, sources }
}

/** The columns that are cut together: what a reader needs of single CVEs, of changes, and what only gateways need. */
const PARTS = [['numberLow', 'score', 'percentile', 'at'], ['sources'], ['length', 'coreSegments']]

export function encodeIndex({ shards, shard, epss, ...index }: Index): Buffer {
  const rows = new Array<number>(shards.length).fill(0)
  for (const number of shard) rows[number]!++
  const { numberLow, at, length, sources, coreSegments } = index
  return encodeTable({
    about: { shards, date: epss.date, model_version: epss.modelVersion },
    columns: { numberLow, score: epss.scores, percentile: epss.percentiles, at, sources, length, coreSegments },
    cuts: PARTS.map((columns) => ({ columns, rows })),
  })
}

/**
 * Returns the EPSS scores in the index, or in a block of it.
 * @throws SnapshotError `malformed`
 */
export function scoresIn(table: Pick<Table, 'about' | 'columns'>): EpssColumns {
  const release = readRelease(table.about.date, table.about.model_version)
  if (!release) throw new SnapshotError('malformed', 'the index has no valid EPSS date and model')
  return { ...release, scores: column(table, 'score', 'u32'), percentiles: column(table, 'percentile', 'u32') }
}

/**
 * Returns the ids and scores in an index with these rows of each shard.
 * @throws SnapshotError `malformed`
 */
export function scoredIds(table: Pick<Table, 'about' | 'columns'>, rows: readonly number[]): ScoredIds {
  const { shards } = table.about
  const numberLow = column(table, 'numberLow', 'u32')
  const count = numberLow.length
  const areNames = Array.isArray(shards) && shards.every((name) => typeof name === 'string' && BLOCK_NAME.test(name))
  if (!areNames || shards.length !== rows.length) throw damaged()
  const year = new Uint16Array(count)
  const numberHigh = new Uint32Array(count)
  let row = 0
  for (const [number, name] of (shards as string[]).entries()) {
    const first = cveIdParts(firstOfBlock(name))
    // A block of 1,000 numbers can contain a multiple of 2^32.
    const [high, low] = [Number(first.number >> 32n), Number(first.number & 0xffffffffn)]
    for (const end = row + rows[number]!; row < end; row++) {
      year[row] = first.year
      numberHigh[row] = numberLow[row]! < low ? high + 1 : high
    }
  }
  const ids = { count, year, numberHigh, numberLow }
  if (row !== count || !isAscending(ids)) throw damaged()
  return { ...ids, epss: scoresIn(table) }
}

/** @throws SnapshotError `malformed` */
export function decodeIndex(bytes: Uint8Array): Index {
  const table = decodeTable(bytes)
  const rows = table.cuts.find(({ columns }) => columns.includes('numberLow'))?.rows ?? []
  const ids = scoredIds(table, rows)
  const shard = new Uint16Array(ids.count)
  let from = 0
  for (const [number, one] of rows.entries()) {
    shard.fill(number, from, from + one)
    from += one
  }
  const index: Index = {
    ...ids,
    shards: table.about.shards as string[],
    shard,
    at: column(table, 'at', 'u32'),
    length: column(table, 'length', 'u32'),
    coreSegments: column(table, 'coreSegments', 'u32'),
    sources: column(table, 'sources', 'u8'),
  }
  const { count, epss, at, length, coreSegments, sources } = index
  const even = [epss.scores, epss.percentiles, at, length].every((values) => values.length === count)
  const whole = coreSegments.length === count * CORE_NUMBERS && sources.length === count * SHORT_HASH_LENGTH
  if (!even || !whole) throw damaged()
  return index
}

const damaged = () => new SnapshotError('malformed', 'the index is damaged')

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
