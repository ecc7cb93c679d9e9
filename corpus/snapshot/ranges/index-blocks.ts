/** Reads the rows of some blocks from the index of a snapshot. */
import { blockRows, fileOf, type IndexBlock, indexBlocks, type Manifest, SnapshotError, type Table } from '../index.ts'
import type { RangeTable, RangeTables } from './tables.ts'

export interface IndexBlocks {
  readonly all: ReadonlyMap<string, IndexBlock>
  /**
   * Returns blocks with these columns and those that are cut with them, in the same order.
   * @throws SnapshotError, TransferError
   */
  read(blocks: readonly IndexBlock[], names: readonly string[]): Promise<Table[]>
  /**
   * Returns the table, after checking that its blocks are those of the shards.
   * @throws SnapshotError, TransferError
   */
  table(): Promise<RangeTable>
}

/** Nearly every header is shorter: it names the shards. */
const HEADER_BYTES = 24 * 1024

export function openIndexBlocks(manifest: Manifest, tables: RangeTables): IndexBlocks {
  const all = indexBlocks(manifest.files)

  async function table(): Promise<RangeTable> {
    const found = await tables.of(fileOf(manifest, 'index'), HEADER_BYTES)
    const rows = blockRows(found.header, 'numberLow')
    const isSame = [...all.values()].every(({ number, shard }) => rows[number] === shard.count)
    if (isSame && rows.length === all.size) return found
    throw new SnapshotError('malformed', 'the index has other shards than the manifest')
  }

  return {
    all,
    table,
    async read(blocks, names) {
      if (blocks.length === 0) return []
      const found = await (await table()).blocks(
        blocks.flatMap(({ number }) => names.map((name) => [name, number] as const)),
      )
      return blocks.map((_, i) => {
        const some = found.slice(i * names.length, (i + 1) * names.length)
        return { about: some[0]!.about, columns: Object.assign({}, ...some.map(({ columns }) => columns)) }
      })
    },
  }
}
