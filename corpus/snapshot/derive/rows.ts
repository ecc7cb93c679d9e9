/** Second step of deriving: joins the extracted shards to rows in id order. */

import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import { MAX_ROWS_BYTES, MAX_SHARDS } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import type { ShardExtract } from './extract.ts'
import { type Facts, NO_ASSIGNER, positionIn } from './facts.ts'
import { CORE_NUMBERS } from './index-table.ts'
import { countNames, type NameCounts, type Names, nameCollector } from './name-counts.ts'

/** All CVEs of a snapshot. Row `i` is CVE `i` in id order, as in the EPSS table. */
export interface Rows extends Omit<Facts, 'weaknessCounts' | 'assigner'> {
  count: number
  /** The index of each CVE's assigner in `assigners`; out of range when it has none. */
  assigner: Uint32Array
  shards: string[]
  ids: string[]
  shard: Uint16Array
  at: Uint32Array
  length: Uint32Array
  coreSegments: Uint32Array
  sources: Uint8Array
  /**
   * Plain cores of each shard, and each row's range in it. Shared memory, as is `shard`, for the threads that write
   * pages.
   */
  cores: Uint8Array[]
  coreFrom: Uint32Array
  coreTo: Uint32Array
  /** The weaknesses of row `i` are in `weaknesses` from `weaknessAt[i]` up to `weaknessAt[i + 1]`. */
  weaknessAt: Uint32Array
  names: NameCounts
  /** The names of each row. */
  named: Names
  reports: number
  /** The rows that a catalog of exploited vulnerabilities lists, and the JSON of their entries. */
  kevRows: number[]
  kevTexts: string[]
}

const NUMBERS = [
  'at',
  'length',
  'severity',
  'flags',
  'primaryCwe',
  'published',
  'updated',
  'score',
  'completeness',
  'kevAdded',
  'tags',
  'ssvc',
  'exposure',
  'cnaCvss',
] as const
const NO_BYTES: Uint8Array = new Uint8Array()
const NO_POSITION = 0xffffffff

interface Part {
  name: string
  shard: ShardExtract
}

/**
 * Joins shards, which must be added in id order.
 * @throws SnapshotError when they exceed `MAX_ROWS_BYTES`
 */
export function rowCollector(): { add(part: Part): void; rows(): Rows } {
  const parts: Part[] = []
  const names = nameCollector()
  const shared = sharedMemory()
  const bounded = rowsBound()
  let reports = 0
  return {
    add(part) {
      bounded(part.shard)
      part.shard.cores = shared(part.shard.cores)
      names.add(part.shard)
      part.shard.names = NO_BYTES
      reports += part.shard.reports
      parts.push(part)
    },
    rows() {
      const rows = joined(parts)
      const named = names.names()
      return { ...rows, named, names: countNames(named, (row) => assignerOf(rows, row)), reports }
    },
  }
}

/**
 * Returns a function to call for each retained shard. It throws a SnapshotError when their total size exceeds
 * `MAX_ROWS_BYTES`.
 */
export function rowsBound(): (shard: ShardExtract) => void {
  let left = MAX_ROWS_BYTES
  return ({ cores, names }) => {
    left -= cores.length + names.length
    if (left >= 0) return
    throw new SnapshotError('malformed', `the cores and names of the CVEs have more than ${MAX_ROWS_BYTES} bytes`)
  }
}

/**
 * Above this size the C library uses mmap, which returns freed memory at once (M_MMAP_THRESHOLD is at most 32 MB). Only
 * written pages count as used.
 */
const CHUNK_BYTES = 64 * 1024 * 1024

/** Returns a function that copies bytes to large shared chunks, which can be returned to the system. */
function sharedMemory(): (bytes: Uint8Array) => Uint8Array {
  let chunk = NO_BYTES
  let end = 0
  return (bytes) => {
    if (end + bytes.length > chunk.length) {
      chunk = new Uint8Array(new SharedArrayBuffer(Math.max(CHUNK_BYTES, bytes.length)))
      end = 0
    }
    const copy = chunk.subarray(end, end + bytes.length)
    copy.set(bytes)
    end += bytes.length
    return copy
  }
}

/** Returns the rows of shards. Replaces `cores` of the shards with the rows' copies. */
export function joinShards(parts: readonly Part[]): Rows {
  const collector = rowCollector()
  for (const part of parts) collector.add(part)
  return collector.rows()
}

function joined(parts: readonly Part[]): Omit<Rows, 'names' | 'named' | 'reports'> {
  if (parts.length > MAX_SHARDS) throw new RangeError(`${parts.length} id blocks are more than a snapshot can have`)
  const sum = (of: (shard: ShardExtract) => number) => parts.reduce((total, { shard }) => total + of(shard), 0)
  const count = sum(({ ids }) => ids.length)
  const assignerPositions = new Map<string, number>()
  const rows = {
    count,
    shards: parts.map(({ name }) => name),
    ids: parts.flatMap(({ shard }) => shard.ids),
    shard: new Uint16Array(new SharedArrayBuffer(count * 2)),
    at: new Uint32Array(count),
    length: new Uint32Array(count),
    coreSegments: new Uint32Array(count * CORE_NUMBERS),
    sources: new Uint8Array(count * SHORT_HASH_LENGTH),
    cores: parts.map(({ shard }) => shard.cores),
    coreFrom: new Uint32Array(new SharedArrayBuffer(count * 4)),
    coreTo: new Uint32Array(new SharedArrayBuffer(count * 4)),
    titles: parts.flatMap(({ shard }) => shard.titles),
    published: new Float64Array(count),
    updated: new Float64Array(count),
    score: new Float64Array(count),
    severity: new Uint8Array(count),
    flags: new Uint8Array(count),
    assigners: [] as string[],
    assigner: new Uint32Array(count).fill(NO_POSITION),
    primaryCwe: new Uint32Array(count),
    weaknesses: new Uint32Array(sum(({ weaknesses }) => weaknesses.length)),
    weaknessAt: new Uint32Array(count + 1),
    completeness: new Uint8Array(count),
    kevAdded: new Float64Array(count),
    tags: new Uint8Array(count),
    ssvc: new Uint8Array(count),
    exposure: new Uint8Array(count),
    cnaCvss: new Uint8Array(count),
    kevRows: [] as number[],
    kevTexts: parts.flatMap(({ shard }) => shard.kevTexts),
  }
  let row = 0
  let weakness = 0
  parts.forEach(({ shard }, shardNumber) => {
    rows.shard.fill(shardNumber, row, row + shard.ids.length)
    for (const at of shard.kevAt) rows.kevRows.push(row + at)
    for (const name of NUMBERS) rows[name].set(shard[name], row)
    rows.coreSegments.set(shard.coreSegments, row * CORE_NUMBERS)
    rows.sources.set(shard.sources, row * SHORT_HASH_LENGTH)
    rows.weaknesses.set(shard.weaknesses, weakness)
    let core = 0
    const assigners = shard.assigners.map((assigner) => positionIn(assignerPositions, assigner))
    for (let i = 0; i < shard.ids.length; i++, row++) {
      const assigner = shard.assigner[i]!
      if (assigner !== NO_ASSIGNER) rows.assigner[row] = assigners[assigner]!
      rows.coreFrom[row] = core
      core += shard.coreLengths[i]!
      rows.coreTo[row] = core
      rows.weaknessAt[row] = weakness
      weakness += shard.weaknessCounts[i]!
    }
  })
  rows.weaknessAt[count] = weakness
  rows.assigners = [...assignerPositions.keys()]
  return rows
}

export const assignerOf = ({ assigners, assigner }: Pick<Rows, 'assigners' | 'assigner'>, row: number): string | null =>
  assigners[assigner[row]!] ?? null

export function assignerCounts(rows: Rows): Map<string, number> {
  const counts = new Map<string, number>()
  for (let row = 0; row < rows.count; row++) {
    const assigner = assignerOf(rows, row)
    if (assigner !== null) counts.set(assigner, (counts.get(assigner) ?? 0) + 1)
  }
  return counts
}

export const weaknessesOf = ({ weaknesses, weaknessAt }: Rows, row: number): Uint32Array =>
  weaknesses.subarray(weaknessAt[row], weaknessAt[row + 1])
