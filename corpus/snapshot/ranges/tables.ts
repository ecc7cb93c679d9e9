/** Reads tables in blocks: once the header, then the blocks that are asked for. */

import { remembered } from '../../runtime/remembered.ts'
import {
  blockSpan,
  decodeBlock,
  decodePart,
  describe,
  type FileEntry,
  locateTable,
  partSpan,
  SnapshotError,
  type Span,
  type Table,
  type TableHeader,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'

/** Each method throws SnapshotError or TransferError. */
export interface RangeTable {
  readonly header: TableHeader
  /** Returns blocks by a column and a number each. They also have the columns that are cut with it. */
  blocks(wanted: readonly (readonly [name: string, block: number])[]): Promise<Table[]>
  /** Returns all rows of a column and those that are cut with it. */
  part(name: string): Promise<Table>
  /** Returns bytes. The caller must verify them. */
  bytes(spans: readonly Span[]): Promise<Buffer[]>
}

export interface RangeTables {
  /**
   * Returns a table. Reads `first` bytes of it at once.
   * @throws SnapshotError, TransferError
   */
  of(file: FileEntry, first?: number): Promise<RangeTable>
}

/** Nearly every header is shorter. */
const FIRST_BYTES = 8 * 1024

export function openTables(files: FileParts): RangeTables {
  const tables = new Map<string, Promise<RangeTable>>()

  async function open(file: FileEntry, length: number): Promise<RangeTable> {
    const first = (await files.parts(file, [{ at: 0, length: Math.min(length, file.size) }]))[0]!
    const header = locateTable(first)
    if (typeof header === 'number') {
      if (header <= file.size && header > length) return open(file, header)
    } else if (header.end === file.size) return tableOf(file, header, Buffer.from(first))
    throw new SnapshotError('malformed', `the header of ${describe(file)} is damaged`)
  }

  function tableOf(file: FileEntry, header: TableHeader, first: Buffer): RangeTable {
    async function bytes(spans: readonly Span[]): Promise<Buffer[]> {
      const isHere = ({ at, length }: Span) => at + length <= first.length
      const missing = spans.filter((span) => span.length > 0 && !isHere(span))
      const read = missing.length > 0 ? await files.parts(file, missing) : []
      let next = 0
      return spans.map((span) => {
        if (span.length === 0) return Buffer.alloc(0)
        return isHere(span) ? first.subarray(span.at, span.at + span.length) : read[next++]!
      })
    }
    return {
      header,
      bytes,
      async blocks(wanted) {
        const found = await bytes(wanted.map(([name, block]) => blockSpan(header, name, block)))
        return found.map((one, i) => decodeBlock(header, ...wanted[i]!, one))
      },
      async part(name) {
        return decodePart(header, name, (await bytes([partSpan(header, name)]))[0]!)
      },
    }
  }

  return { of: (file, first = FIRST_BYTES) => remembered(tables, file.sha256, () => open(file, first)) }
}
