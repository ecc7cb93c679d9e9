/**
 * Reads rows of a `query.db` by parts of the file, without SQLite: the pages on the way to a key, and the pages of the row.
 * The file format is in https://sqlite.org/fileformat2.html, 1.6. Pages have no checksums; each row has one.
 */
import { partitionPoint } from '../../model/values/partition-point.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import { MAX_ROW_BYTES } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import { checked, missingRow, type QueryTable, type RowName, rowKey } from './rows.ts'
import { checkQuerySchema, MAX_PAGE_BYTES, type QueryPages, uint16, uint32 } from './schema.ts'

export interface FileRows {
  /**
   * Returns the bytes of required rows, in the order of `names`.
   * @throws SnapshotError `missing`, `digest`, `malformed`; errors of `read`
   */
  read(names: readonly RowName[]): Promise<Uint8Array[]>
}

/** Returns the bytes of parts of the file. */
export type ReadParts = (parts: readonly { at: number; length: number }[]) => Promise<Uint8Array[]>

const INTERIOR = 5
const LEAF = 13
/** Position of the first cell pointer in a page, by its type. */
const POINTERS_AT: Readonly<Record<number, number>> = { [INTERIOR]: 12, [LEAF]: 8 }
/** A tree of the largest possible file has fewer levels. */
const MAX_LEVELS = 20
/** Cache size for pages of trees, in bytes. */
const PAGES_BYTES = 8 * 1024 * 1024
/** A row has the columns of `tableSql`. Their types and the key take fewer bytes than this. */
const MAX_HEAD_BYTES = 32

/** A row in a leaf: its record begins in the leaf, and continues in a chain of pages. */
interface Cell {
  row: Row
  record: Uint8Array
  /** Bytes of the record that are known. */
  filled: number
  /** The next page of the chain, and the number of pages to read from there on. */
  next: number
  ahead: number
}

interface Row {
  table: QueryTable
  key: number
}

/**
 * Opens a file of `size` bytes. The first read checks its schema.
 * @throws SnapshotError `malformed`; errors of `read`
 */
export async function openFileRows(size: number, read: ReadParts): Promise<FileRows> {
  if (size === 0) throw malformed('it is empty')
  const [start] = await read([{ at: 0, length: Math.min(size, MAX_PAGE_BYTES) }])
  const { pageSize, usable, roots }: QueryPages = checkQuerySchema(Buffer.from(start!))
  const count = Math.floor(size / pageSize)
  const cache = generationalCache<number, Uint8Array>(PAGES_BYTES, () => pageSize)
  // The roots are among the first pages.
  for (let page = 2; page * pageSize <= start!.length; page++) cache.set(page, pageIn(start!, page - 1))

  function pageIn(bytes: Uint8Array, position: number): Uint8Array {
    // Copies the bytes: they may be a view into a larger buffer.
    return bytes.slice(position * pageSize, (position + 1) * pageSize)
  }

  function spanOf(page: number, pages: number): { at: number; length: number } {
    if (page < 2 || page + pages - 1 > count) throw malformed(`it has no page ${page}`)
    return { at: (page - 1) * pageSize, length: pages * pageSize }
  }

  async function pagesOf(numbers: readonly number[]): Promise<Map<number, Uint8Array>> {
    const pages = new Map<number, Uint8Array>()
    const unknown: number[] = []
    for (const number of numbers) {
      const known = cache.get(number)
      if (known) pages.set(number, known)
      else unknown.push(number)
    }
    if (unknown.length === 0) return pages
    for (const [i, bytes] of (await read(unknown.map((number) => spanOf(number, 1)))).entries()) {
      const page = pageIn(bytes, 0)
      cache.set(unknown[i]!, page)
      pages.set(unknown[i]!, page)
    }
    return pages
  }

  /** Returns the cells of rows, level by level for all of them. */
  async function locate(rows: readonly Row[]): Promise<Cell[]> {
    const cells: Cell[] = []
    let total = 0
    let level = Map.groupBy(rows, ({ table }) => roots[table])
    for (let depth = 0; level.size > 0; depth++) {
      if (depth === MAX_LEVELS) throw malformed('a tree is too deep')
      const below = new Map<number, Row[]>()
      for (const [number, page] of await pagesOf([...level.keys()])) {
        const node = nodeOf(page, usable)
        for (const row of level.get(number)!) {
          const position = node.positionOf(row.key)
          if (node.isLeaf) {
            const at = node.cellAt(position)
            if (at === null || at.key !== row.key) throw missingRow(row.table, row.key)
            const cell = cellIn(page, at, row, size - total)
            total += cell.record.length
            cells.push(cell)
            continue
          }
          const child = uint32(page, node.cellAt(position)?.at ?? RIGHT_CHILD_AT)
          const others = below.get(child)
          if (others) others.push(row)
          else below.set(child, [row])
        }
      }
      level = below
    }
    return cells
  }

  /**
   * Begins the record of a cell: its length, its key, its first bytes, then the first page of its chain. `left` are the
   * bytes of the file that no other row has: a forged file may state longer rows, or link to a page several times.
   */
  function cellIn(page: Uint8Array, { at }: CellAt, row: Row, left: number): Cell {
    const length = varintAt(page, at)
    const key = varintAt(page, length.end)
    const bytes = length.value
    if (bytes > Math.min(left, MAX_ROW_BYTES + MAX_HEAD_BYTES)) throw malformed(`a row in ${row.table} is too long`)
    const most = usable - 35
    const least = Math.floor(((usable - 12) * 32) / 255) - 23
    const rest = least + ((bytes - least) % (usable - 4))
    const local = bytes <= most ? bytes : rest <= most ? rest : least
    const end = key.end + local
    if (end + (local < bytes ? 4 : 0) > usable) throw malformed('a row leaves its page')
    const record = new Uint8Array(bytes)
    record.set(page.subarray(key.end, end))
    const next = local < bytes ? uint32(page, end) : 0
    return { row, record, filled: local, next, ahead: Math.ceil((bytes - local) / (usable - 4)) }
  }

  /**
   * Reads the chains of all cells. The pages of a chain follow each other in files that were written at once, so they are
   * read together. If they do not, the chain is followed from there on, with more pages at each step.
   */
  async function complete(cells: readonly Cell[]): Promise<void> {
    let open = cells.filter(({ filled, record }) => filled < record.length)
    while (open.length > 0) {
      const spans = open.map(({ next, ahead }) => spanOf(next, Math.max(1, Math.min(ahead, count - next + 1))))
      for (const [i, bytes] of (await read(spans)).entries()) follow(open[i]!, bytes)
      open = open.filter(({ filled, record }) => filled < record.length)
    }
  }

  function follow(cell: Cell, bytes: Uint8Array): void {
    const { record } = cell
    const pages = bytes.length / pageSize
    for (let page = 0; page < pages; page++) {
      const at = page * pageSize
      const part = bytes.subarray(at + 4, at + Math.min(usable, 4 + record.length - cell.filled))
      record.set(part, cell.filled)
      cell.filled += part.length
      const following = cell.next + 1
      cell.next = uint32(bytes, at)
      if (cell.filled === record.length) return
      if (cell.next === following) continue
      cell.ahead = 1
      return
    }
    cell.ahead = Math.min(2 * pages, Math.ceil((record.length - cell.filled) / (usable - 4)))
  }

  return {
    async read(names) {
      const rows = names.map(({ table, set, number }): Row => ({ table, key: rowKey(set, number) }))
      const cells = await locate(rows)
      await complete(cells)
      const found = new Map(cells.map(({ row, record }) => [row, bytesOf(row, record)]))
      return rows.map((row) => found.get(row)!)
    },
  }
}

interface CellAt {
  at: number
  key: number
}

interface Node {
  isLeaf: boolean
  /** Returns the position of the first cell with at least this key. */
  positionOf(key: number): number
  /** Returns null behind the last cell. */
  cellAt(position: number): CellAt | null
}

const RIGHT_CHILD_AT = 8

function nodeOf(page: Uint8Array, usable: number): Node {
  const isLeaf = page[0] === LEAF
  const pointersAt = POINTERS_AT[page[0]!]
  if (pointersAt === undefined) throw malformed('a page has another type than its table')
  const cells = uint16(page, 3)
  const pointersEnd = pointersAt + 2 * cells
  if (pointersEnd > usable) throw malformed('a page has too many rows')
  const cellAt = (position: number): CellAt | null => {
    if (position >= cells) return null
    const at = uint16(page, pointersAt + 2 * position)
    if (at < pointersEnd || at + 4 > usable) throw malformed('a row is outside its page')
    const keyAt = isLeaf ? varintAt(page, at).end : at + 4
    return { at, key: varintAt(page, keyAt).value }
  }
  return {
    isLeaf,
    cellAt,
    positionOf: (key) => partitionPoint(cells, (position) => cellAt(position)!.key >= key),
  }
}

/** Numbers of up to nine bytes: seven bits each, highest first, eight in the ninth. Keys and lengths are smaller. */
function varintAt(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) throw malformed('a number leaves its page')
    if (i === 8) return { value: value * 0x100 + byte, end: at + 9 }
    value = value * 0x80 + (byte & 0x7f)
    if (byte < 0x80) return { value, end: at + i + 1 }
  }
  throw malformed('a number is too long')
}

/** Lengths in bytes of integers, by their type (1.6, "Record Format"). */
const INTEGER_BYTES: readonly number[] = [0, 1, 2, 3, 4, 6, 8]

/**
 * Returns the bytes of a record, whose columns are the key (null, because SQLite stores it outside), the CRC and the bytes.
 * @throws SnapshotError `malformed`, `digest`
 */
function bytesOf({ table, key }: Row, record: Uint8Array): Uint8Array {
  const head = varintAt(record, 0)
  const keyType = varintAt(record, head.end)
  const crcType = varintAt(record, keyType.end)
  const bytesType = varintAt(record, crcType.end)
  const crcBytes = INTEGER_BYTES[crcType.value] ?? 0
  const length = (bytesType.value - 12) / 2
  const start = head.value + crcBytes
  const isRow = keyType.value === 0 && bytesType.end === head.value && Number.isInteger(length) && length >= 0
  if (!isRow || start + length !== record.length) throw malformed(`it has an invalid row in ${table}`)
  let crc = crcType.value === 9 ? 1 : 0
  for (const byte of record.subarray(head.value, start)) crc = crc * 0x100 + byte
  return checked(table, { key, crc, bytes: record.subarray(start) }).bytes
}

const malformed = (why: string) => new SnapshotError('malformed', `query.db cannot be read: ${why}`)
