/** Reads the rows of some blocks from the index of a snapshot, without the rest of it. */
import { SHORT_HASH_LENGTH } from '../runtime/digest.ts'
import {
  fileOf,
  type IndexBlock,
  type LocatedColumn,
  locateColumns,
  type Manifest,
  SnapshotError,
  type SourcedBlock,
} from '../snapshot/index.ts'
import { type Objects, remembered } from './objects.ts'

/** Returns the rows of blocks, in the same order. Throws SnapshotError, TransferError. */
export type IndexSlices = (blocks: readonly IndexBlock[]) => Promise<SourcedBlock[]>

/** Nearly every header of an index is shorter. */
const HEADER_BYTES = 16 * 1024

type Columns = ReadonlyMap<string, LocatedColumn>

/** The columns of a block, and the length of a value in bytes; `perRow` values for each row. */
const COLUMNS = [
  { name: 'numberLow', type: 'u32', bytes: 4, perRow: 1 },
  { name: 'at', type: 'u32', bytes: 4, perRow: 1 },
  { name: 'sources', type: 'u8', bytes: 1, perRow: SHORT_HASH_LENGTH },
] as const

export function openIndexSlices(manifest: Manifest, objects: Objects): IndexSlices {
  const headers = new Map<string, Promise<Columns>>()
  const file = () => fileOf(manifest, 'index')

  async function readHeader(length: number): Promise<Columns> {
    const span = { at: 0, length: Math.min(length, file().size) }
    const columns = locateColumns((await objects.parts(file(), [span]))[0]!)
    if (typeof columns !== 'number') return columns
    if (columns > file().size) throw damagedIndex()
    return readHeader(columns)
  }

  return async (blocks) => {
    if (blocks.length === 0) return []
    const located = await remembered(headers, '', () => readHeader(HEADER_BYTES))
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
