/** Orders: the ordinals of all CVEs per sort, descending, and the first row of each page. SPEC.md, "Orders". */
import { column, decodeTable, encodeTable, type Table } from '../codec/table.ts'
import type { RowKey } from '../cursor/cursor.ts'
import type { StoredSort } from '../cursor/order.ts'
import { SnapshotError } from '../error.ts'
import { sortDescending } from './columns.ts'
import { type IdColumns, type Index, idAt } from './index-table.ts'
import { ROWS_PER_PAGE } from './pages.ts'

export interface SortedOrder {
  /** The ordinals in descending order, those without a key last. */
  ordinals: Uint32Array
  keyed: number
}

/** Orders before their pages are compressed. */
export type SortedOrders = Record<StoredSort, SortedOrder>

export interface Order extends SortedOrder {
  /** Offset of each member of the page shard. */
  pagesAt: Uint32Array
}

export type Orders = Record<StoredSort, Order>

/** The keys of all sorts by ordinal; NaN is null. */
export type SortKeys = Record<StoredSort, Float64Array>

export function sortOrders(keys: SortKeys, row: Uint32Array): SortedOrders {
  const sorted = (values: Float64Array) => ({
    ordinals: sortDescending(values, (ordinal) => row[ordinal]!),
    keyed: values.reduce((sum, key) => sum + (Number.isNaN(key) ? 0 : 1), 0),
  })
  return {
    published: sorted(keys.published),
    updated: sorted(keys.updated),
    cvss: sorted(keys.cvss),
    epss: sorted(keys.epss),
  }
}

/** The columns of pages are cut together, so that a reader of pages can leave out the order. */
const START_COLUMNS = ['key', 'year', 'numberHigh', 'numberLow', 'pagesAt']

/** `row` has the row of each ordinal, and `keys` the sort keys by ordinal. */
export function encodeOrder(
  { ordinals, keyed, pagesAt }: Order,
  index: Pick<Index, 'year' | 'numberHigh' | 'numberLow'>,
  row: Uint32Array,
  keys: Float64Array,
): Buffer {
  const first = ordinals.filter((_, position) => position % ROWS_PER_PAGE === 0)
  return encodeTable({
    about: { count: ordinals.length, keyed },
    columns: {
      key: Float64Array.from(first, (ordinal) => keys[ordinal]!),
      year: Uint16Array.from(first, (ordinal) => index.year[row[ordinal]!]!),
      numberHigh: first.map((ordinal) => index.numberHigh[row[ordinal]!]!),
      numberLow: first.map((ordinal) => index.numberLow[row[ordinal]!]!),
      pagesAt,
      ordinals,
    },
    cuts: [{ columns: START_COLUMNS, rows: [first.length] }],
  })
}

/** @throws SnapshotError `malformed` when there are not `count` valid ordinals */
export function decodeOrder(bytes: Uint8Array, count: number): Order {
  const table = decodeTable(bytes)
  const { keyed, pagesAt, count: stated } = pageStartsIn(table)
  const ordinals = column(table, 'ordinals', 'u32')
  if (stated !== count || ordinals.length !== count || ordinals.some((one) => one >= count)) {
    throw new SnapshotError('malformed', 'an order is damaged')
  }
  return { ordinals, keyed, pagesAt }
}

/** The first row of each page, so that a page is found without the order. */
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

/** @throws SnapshotError `malformed` */
export function pageStartsIn(table: Table): PageStarts {
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
