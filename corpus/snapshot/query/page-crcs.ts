/** The CRC-32 of each page of `query.db`, behind its last page: readers of parts check what they read. SPEC.md, "Query". */
import { appendFileSync, closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from '../../runtime/crc32.ts'
import { SnapshotError } from '../error.ts'
import { checkQuerySchema, MAX_PAGE_BYTES } from './schema.ts'

/** Appends the CRCs. SQLite ignores what follows the last page. */
export function appendPageCrcs(path: string): void {
  const file = openSync(path, 'r')
  const crcs: Buffer[] = []
  try {
    const first = Buffer.alloc(MAX_PAGE_BYTES)
    const { pageSize, pages } = checkQuerySchema(first.subarray(0, readSync(file, first, 0, first.length, 0)))
    const page = Buffer.alloc(pageSize)
    for (let number = 0; number < pages; number++) {
      readSync(file, page, 0, pageSize, number * pageSize)
      const crc = Buffer.alloc(CRC_BYTES)
      crc.writeUInt32LE(pageCrc(number, page))
      crcs.push(crc)
    }
  } finally {
    closeSync(file)
  }
  appendFileSync(path, Buffer.concat(crcs))
}

export const CRC_BYTES = 4

/** Returns the CRC-32 of a page, which includes its number from 0, so that pages cannot be swapped. */
const pageCrc = (number: number, page: Uint8Array): number => crc32(page, crc32(`${number}\t`))

/**
 * Checks a page against its CRC-32.
 * @throws SnapshotError `digest`
 */
export function checkPage(number: number, page: Uint8Array, crc: number): void {
  if (pageCrc(number, page) !== crc) throw new SnapshotError('digest', `page ${number} of query.db is damaged`)
}

/**
 * Checks all pages of a file.
 * @throws SnapshotError `malformed`, `digest`
 */
export function checkPages(bytes: Buffer): void {
  const { pageSize, pages } = checkQuerySchema(bytes)
  if (bytes.length !== pages * (pageSize + CRC_BYTES)) {
    throw new SnapshotError('malformed', `query.db has ${bytes.length} bytes, which do not fit its ${pages} pages`)
  }
  for (let number = 0; number < pages; number++) {
    const page = bytes.subarray(number * pageSize, (number + 1) * pageSize)
    checkPage(number, page, bytes.readUInt32LE(pages * pageSize + number * CRC_BYTES))
  }
}
