/** Reads the headers of tables. Their columns are read in parts. */

import { remembered } from '../../runtime/remembered.ts'
import { type FileEntry, locateColumns, SnapshotError, type TableHeader } from '../index.ts'
import type { FileParts, Span } from './file-parts.ts'

export interface TableHeaders {
  /**
   * Returns the header of a table. Reads `first` bytes of it; more only if the header is longer.
   * @throws SnapshotError, TransferError
   */
  of(file: FileEntry, first?: number): Promise<TableHeader>
}

const FIRST_BYTES = 1024

/** Nearly every header of the index of CVEs is shorter: it names the shards. */
export const INDEX_HEADER_BYTES = 16 * 1024

export function openHeaders(objects: FileParts): TableHeaders {
  const headers = new Map<string, Promise<TableHeader>>()

  async function read(file: FileEntry, length: number): Promise<TableHeader> {
    const header = locateColumns((await objects.parts(file, [{ at: 0, length: Math.min(length, file.size) }]))[0]!)
    if (typeof header !== 'number') return header
    if (header > file.size) throw new SnapshotError('malformed', `the header of ${file.role} ${file.name} is damaged`)
    return read(file, header)
  }

  return { of: (file, first = FIRST_BYTES) => remembered(headers, file.sha256, () => read(file, first)) }
}

const BYTES = { u8: 1, u32: 4 } as const

/**
 * Returns the byte range of `count` values of a column from the `first` on. `what` names the table in the error.
 * @throws SnapshotError `malformed` if the table has no such values
 */
export function columnSpan(
  { columns }: Pick<TableHeader, 'columns'>,
  { name, type = 'u32', first, count }: { name: string; type?: keyof typeof BYTES; first: number; count: number },
  what: string,
): Span {
  const column = columns.get(name)
  if (column?.type !== type || first + count > column.length) throw new SnapshotError('malformed', `${what} damaged`)
  return { at: column.at + first * BYTES[type], length: count * BYTES[type] }
}

/** Returns the numbers of a u32 column. Copies the bytes: a column must be aligned. */
export const numbersOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(Uint8Array.from(bytes).buffer)
