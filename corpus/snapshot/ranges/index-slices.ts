/** Reads the rows of some blocks from the index of a snapshot, without the rest of it. */
import { SHORT_HASH_LENGTH } from '../../runtime/digest.ts'
import { fileOf, type IndexBlock, type Manifest, type SourcedBlock } from '../index.ts'
import type { FileParts } from './file-parts.ts'
import { columnSpan, INDEX_HEADER_BYTES, numbersOf, openHeaders } from './table-headers.ts'

/** Returns the rows of blocks, in the same order. Throws SnapshotError, TransferError. */
export type IndexSlices = (blocks: readonly IndexBlock[]) => Promise<SourcedBlock[]>

/** The columns of a block; `perRow` values for each row. */
const COLUMNS = [
  { name: 'numberLow', type: 'u32', perRow: 1 },
  { name: 'at', type: 'u32', perRow: 1 },
  { name: 'sources', type: 'u8', perRow: SHORT_HASH_LENGTH },
] as const

export function openIndexSlices(manifest: Manifest, objects: FileParts): IndexSlices {
  const headers = openHeaders(objects)
  const file = () => fileOf(manifest, 'index')

  return async (blocks) => {
    if (blocks.length === 0) return []
    const header = await headers.of(file(), INDEX_HEADER_BYTES)
    const spans = blocks.flatMap(({ shard, firstRow }) =>
      COLUMNS.map(({ name, type, perRow }) =>
        columnSpan(header, { name, type, first: firstRow * perRow, count: shard.count * perRow }, 'the index is'),
      ),
    )
    const parts = await objects.parts(file(), spans)
    return blocks.map((block, i) => {
      const [numberLow, at, sources] = parts.slice(i * COLUMNS.length)
      return { block, numberLow: numbersOf(numberLow!), at: numbersOf(at!), sources: Uint8Array.from(sources!) }
    })
  }
}
