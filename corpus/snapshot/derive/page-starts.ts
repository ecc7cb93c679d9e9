/** The first row of each page of a sort, so that a page of a list is found without its order. SPEC.md, "Page starts". */
import { sha256 } from '../../runtime/digest.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import type { RowKey } from '../cursor/cursor.ts'
import type { CveSort } from '../cursor/order.ts'
import { SnapshotError } from '../error.ts'
import { type IdColumns, type Index, idAt } from './index-table.ts'
import type { SortedOrders } from './orders.ts'
import { ROWS_PER_PAGE } from './pages.ts'

export interface PageStarts {
  /** Number of rows, and of those with a key. */
  count: number
  keyed: number
  /** The key and id of the first row of each page; NaN is null. */
  keys: Float64Array
  ids: IdColumns
  /** Offset of each member of the page shard. */
  pagesAt: Uint32Array
}

/** `rows` are the rows in the order of the sort, and `keys` their sort keys by ordinal. */
export function pageStarts(
  index: Index,
  { row }: { row: Uint32Array },
  { ordinals, keyed }: SortedOrders[CveSort],
  keys: Float64Array,
  pagesAt: Uint32Array,
): PageStarts {
  const first = ordinals.filter((_, position) => position % ROWS_PER_PAGE === 0)
  return {
    count: ordinals.length,
    keyed,
    keys: Float64Array.from(first, (ordinal) => keys[ordinal]!),
    ids: {
      count: first.length,
      year: Uint16Array.from(first, (ordinal) => index.year[row[ordinal]!]!),
      numberHigh: first.map((ordinal) => index.numberHigh[row[ordinal]!]!),
      numberLow: first.map((ordinal) => index.numberLow[row[ordinal]!]!),
    },
    pagesAt,
  }
}

const contentTable = ({ count, keyed, keys, ids: { year, numberHigh, numberLow } }: PageStarts) => ({
  about: { count, keyed },
  columns: { key: keys, year, numberHigh, numberLow },
})

export function encodePageStarts(starts: PageStarts): Buffer {
  const { about, columns } = contentTable(starts)
  return encodeTable({ about, columns: { ...columns, pagesAt: starts.pagesAt } })
}

/** Returns the content digest, which excludes the column that depends on compression. */
export const pageStartsContent = (starts: PageStarts): string => sha256(encodeTable(contentTable(starts)))

/** @throws SnapshotError `malformed` */
export function decodePageStarts(bytes: Uint8Array): PageStarts {
  const table = decodeTable(bytes)
  const { count, keyed } = table.about as { count: number; keyed: number }
  const keys = column(table, 'key', 'f64')
  const ids = {
    count: keys.length,
    year: column(table, 'year', 'u16'),
    numberHigh: column(table, 'numberHigh', 'u32'),
    numberLow: column(table, 'numberLow', 'u32'),
  }
  const pagesAt = column(table, 'pagesAt', 'u32')
  const pages = Math.ceil(count / ROWS_PER_PAGE)
  const areCounts = [count, keyed].every((number) => Number.isSafeInteger(number) && number >= 0) && keyed <= count
  const sizes = [keys, ids.year, ids.numberHigh, ids.numberLow, pagesAt].map(({ length }) => length)
  // A page begins without a key if it is after all keys.
  const areKeyed = keys.every((key, page) => Number.isNaN(key) === page * ROWS_PER_PAGE >= keyed)
  if (!areCounts || sizes.some((size) => size !== pages) || !areKeyed) {
    throw new SnapshotError('malformed', 'the page starts are damaged')
  }
  return { count, keyed, keys, ids, pagesAt }
}

/** Returns the key of the first row of a page. */
export const startOf = ({ keys, ids }: PageStarts, page: number): RowKey => ({
  value: Number.isNaN(keys[page]!) ? null : keys[page]!,
  id: idAt(ids, page),
})
