/** The rows of one CVE shard in the index, for readers that do not load it whole. SPEC.md, "Index". */
import { type CveId, compareCveIds, cveBlock, cveIdParts, firstOfBlock, isRecordId } from '../../model/ids/cve-id.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { column, type Table } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import type { FileEntry } from '../files/manifest.ts'

/** The rows of a shard. They are consecutive, because both are in id order. */
export interface IndexBlock {
  shard: FileEntry
  /** Number of blocks before it. */
  number: number
  firstRow: number
  /** The number of the first id that the block can contain: 3000 for `2024/3xxx`. */
  firstNumber: bigint
}

/** The name of a shard of CVEs. */
export const BLOCK_NAME = /^\d{4}\/\d{1,16}xxx$/

/**
 * Returns the blocks by name.
 * @throws SnapshotError `malformed` when a shard is named otherwise
 */
export function indexBlocks(files: readonly FileEntry[]): ReadonlyMap<string, IndexBlock> {
  const named = files.filter(({ role }) => role === 'cve')
  const other = named.find(({ name }) => !BLOCK_NAME.test(name))
  if (other) throw new SnapshotError('malformed', `the manifest names a shard of CVEs '${other.name}'`)
  const shards = named.sort((a, b) => compareCveIds(firstOfBlock(a.name), firstOfBlock(b.name)))
  let firstRow = 0
  return new Map(
    shards.map((shard, number) => {
      const block = { shard, number, firstRow, firstNumber: cveIdParts(firstOfBlock(shard.name)).number }
      firstRow += shard.count
      return [shard.name, block] as const
    }),
  )
}

/** Returns the block of a CVE; undefined if no CVE of the block has a record. */
export const blockOf = (blocks: ReadonlyMap<string, IndexBlock>, id: CveId): IndexBlock | undefined =>
  isRecordId(id) ? blocks.get(cveBlock(id)) : undefined

/** The columns of a block, `shard.count` values each. */
export interface BlockColumns {
  numberLow: Uint32Array
  at: Uint32Array
}

/** A row of a block: its position, its id, and its member in the shard. */
export interface BlockRow {
  position: number
  id: CveId
  at: number
  length: number
}

const LOW = 0xffffffffn
const BLOCK_IDS = 1000

/** Returns the distance of a number from the first of the block, by their lower halves: 400 for CVE-2024-3400. */
const distance = ({ firstNumber }: IndexBlock, low: number): number => (low - Number(firstNumber & LOW)) >>> 0

/**
 * Returns the position of a CVE in its block. Without a record, `found` is false, and the position is that of the next.
 * @throws SnapshotError `malformed` when the numbers are not those of the block
 */
export function positionInBlock(
  block: IndexBlock,
  { numberLow }: Pick<BlockColumns, 'numberLow'>,
  id: CveId,
): { position: number; found: boolean } {
  const wanted = distance(block, Number(cveIdParts(id).number & LOW))
  const distances = distancesOf({ block, numberLow })
  const position = partitionPoint(distances.length, (row) => distances[row]! >= wanted)
  return { position, found: distances[position] === wanted }
}

/** The rows of a block, with 16 bytes per row that identify the source of its member. */
export interface SourcedBlock extends BlockColumns {
  block: IndexBlock
  sources: Uint8Array
}

/**
 * Returns the rows of a block from its part of the index.
 * @throws SnapshotError `malformed`
 */
export const sourcedBlock = (block: IndexBlock, table: Pick<Table, 'columns'>): SourcedBlock => ({
  block,
  numberLow: column(table, 'numberLow', 'u32'),
  at: column(table, 'at', 'u32'),
  sources: column(table, 'sources', 'u8'),
})

/**
 * Returns the distances of the rows from the first id of the block.
 * @throws SnapshotError `malformed` when the numbers are not those of the block
 */
export function distancesOf({ block, numberLow }: Pick<SourcedBlock, 'block' | 'numberLow'>): number[] {
  let last = -1
  return Array.from(numberLow, (low) => {
    const one = distance(block, low)
    if (one <= last || one >= BLOCK_IDS)
      throw new SnapshotError('malformed', `the index of ${block.shard.name} is damaged`)
    last = one
    return one
  })
}

/** Returns a row of a block. The members of a shard follow each other. */
export function rowInBlock(block: IndexBlock, { numberLow, at }: BlockColumns, position: number): BlockRow {
  const { shard, firstNumber } = block
  const number = firstNumber + BigInt(distance(block, numberLow[position]!))
  const id: CveId = `CVE-${shard.name.slice(0, 4)}-${String(number).padStart(4, '0')}`
  return { position, id, at: at[position]!, length: (at[position + 1] ?? shard.size) - at[position]! }
}
