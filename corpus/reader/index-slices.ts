/** Reads the rows of some blocks from the index of a snapshot, without the rest of it. */
import { SHORT_HASH_LENGTH } from '../runtime/digest.ts'
import { fileOf, type IndexBlock, type Manifest, SnapshotError, type SourcedBlock } from '../snapshot/index.ts'
import type { Objects } from './objects.ts'
import { INDEX_HEADER_BYTES, openHeaders } from './table-headers.ts'

/** Returns the rows of blocks, in the same order. Throws SnapshotError, TransferError. */
export type IndexSlices = (blocks: readonly IndexBlock[]) => Promise<SourcedBlock[]>

/** The columns of a block, and the length of a value in bytes; `perRow` values for each row. */
const COLUMNS = [
  { name: 'numberLow', type: 'u32', bytes: 4, perRow: 1 },
  { name: 'at', type: 'u32', bytes: 4, perRow: 1 },
  { name: 'sources', type: 'u8', bytes: 1, perRow: SHORT_HASH_LENGTH },
] as const

export function openIndexSlices(manifest: Manifest, objects: Objects): IndexSlices {
  const headers = openHeaders(objects)
  const file = () => fileOf(manifest, 'index')

  return async (blocks) => {
    if (blocks.length === 0) return []
    const { columns: located } = await headers.of(file(), INDEX_HEADER_BYTES)
    const spans = blocks.flatMap(({ shard, firstRow }) =>
      COLUMNS.map(({ name, type, bytes, perRow }) => {
        const column = located.get(name)
        if (column?.type !== type || (firstRow + shard.count) * perRow > column.length) throw damagedIndex()
        const size = bytes * perRow
        return { at: column.at + firstRow * size, length: shard.count * size }
      }),
    )
    // Copies the bytes: a column must be aligned.
    const parts = (await objects.parts(file(), spans)).map((bytes) => Uint8Array.from(bytes))
    return blocks.map((block, i) => {
      const [numberLow, at, sources] = parts.slice(i * COLUMNS.length) as [Uint8Array, Uint8Array, Uint8Array]
      return { block, numberLow: new Uint32Array(numberLow.buffer), at: new Uint32Array(at.buffer), sources }
    })
  }
}

const damagedIndex = () => new SnapshotError('malformed', 'the index is damaged')
