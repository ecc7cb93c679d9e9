/**
 * The table of a list: its keys, orders, sort keys, filter postings, and the positions of its pages and entries. SPEC.md,
 * "Lists".
 */
import { type StoredTexts, textColumns, textsOf } from '../codec/stored-texts.ts'
import { type Column, type ColumnType, column, decodeTable, encodeTable, type TableHeader } from '../codec/table.ts'
import { type ListName, type SortValue, specOf } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import { listKeyColumns } from './list-keys.ts'
import { mapValues } from './map-values.ts'
import { ROWS_PER_PAGE } from './pages.ts'
import { decodePostings, type PostingLists, type Postings } from './postings.ts'
import type { SortedList } from './sorted-list.ts'

/** The page positions of each sort, and the position of each ordinal's entry in its catalog shard, if it has one. */
export interface ListPositions {
  pagesAt: Record<string, Uint32Array>
  entries: { at: Uint32Array; length: Uint32Array } | null
}

/** What the keys of a list refer to: the CVEs of each ordinal, and for vendors the list of products. */
export interface ListReferences {
  cves: PostingLists | null
  products: SortedList | null
}

export function encodeList(
  list: SortedList,
  { pagesAt, entries }: ListPositions,
  { cves, products }: ListReferences,
): Buffer {
  const { ids, orders, filters, bounds, extra } = list
  const columns: Record<string, Column> = {}
  // First, because a reader of single rows needs them.
  for (const [sort, at] of Object.entries(pagesAt)) columns[pagesAtColumn(sort)] = at
  const keys = listKeyColumns(list, cves, products)
  Object.assign(columns, keys.columns)
  if (entries) Object.assign(columns, { entryAt: entries.at, entryLength: entries.length })
  Object.assign(columns, textColumns('ids', ids))
  for (const [sort, { ordinals, keys: values }] of Object.entries(orders)) {
    columns[`sort.${sort}.ordinals`] = ordinals
    if (areTexts(values)) Object.assign(columns, textColumns(`sort.${sort}.keys`, values))
    else columns[`sort.${sort}.keys`] = Float64Array.from(values, (key) => (key === null ? Number.NaN : Number(key)))
  }
  for (const [filter, { starts, ordinals }] of Object.entries(ownFilters(filters))) {
    columns[`filter.${filter}.starts`] = starts
    columns[`filter.${filter}.ordinals`] = ordinals
  }
  for (const [bound, numbers] of Object.entries(bounds)) columns[`bound.${bound}`] = numbers
  const about: AboutList = {
    count: ids.length,
    sorts: mapValues(orders, ({ keyed }) => keyed),
    filters: mapValues(ownFilters(filters), ({ keys: values }) => values),
    extra,
  }
  return encodeTable({ about: { ...about }, columns, cuts: [keys.cut] })
}

export const pagesAtColumn = (sort: string) => `sort.${sort}.pagesAt`

/** Returns the filters of a list without `vendor`: the list of vendors has the products of each. */
const ownFilters = <T>({ vendor: _, ...others }: Record<string, T>): Record<string, T> => others

const areTexts = (keys: readonly SortValue[]): keys is (string | null)[] => keys.some((key) => typeof key === 'string')

interface AboutList {
  count: number
  /** Number of rows with a key, by sort. */
  sorts: Record<string, number>
  /** Keys of the postings, by filter. */
  filters: Record<string, string[]>
  extra: unknown
}

/** A list table, with only numbers and short texts so that threads can transfer it. Its rows are in pages. */
export interface ListTable {
  name: ListName
  count: number
  /** The header of its file. It locates keys and products. */
  header: TableHeader
  ids: StoredTexts
  orders: Record<string, StoredOrder>
  filters: Record<string, Postings<string>>
  bounds: Record<string, Float64Array>
  entries: ListPositions['entries']
  extra: unknown
}

export interface StoredOrder {
  ordinals: Uint32Array
  /** The position of each ordinal. The same array as `ordinals` for the main order. */
  positions: Uint32Array
  keyed: number
  keys: StoredTexts | Float64Array | Uint32Array | Uint16Array
  pagesAt: Uint32Array
}

/**
 * Decodes the table of a list. Texts, keys and products stay in the file.
 * @throws SnapshotError `malformed`
 */
export function decodeListTable(name: ListName, bytes: Uint8Array): ListTable {
  const table = decodeTable(bytes)
  const { header } = table
  const { count, sorts, filters, extra } = table.about as Partial<AboutList>
  const damaged = (what: string) => new SnapshotError('malformed', `${what} of the list ${name} is damaged`)
  if (!Number.isSafeInteger(count) || !sorts || !filters) throw damaged('the header')
  const rows = count!
  const spec = specOf(name)
  // Copies, because views would retain the texts.
  const own = <T extends ColumnType>(of: string, type: T) => column(table, of, type).slice() as Column<T>
  const orders = mapValues(spec.sorts as Record<string, unknown>, (_, sort): StoredOrder => {
    const ordinals = own(`sort.${sort}.ordinals`, 'u32')
    const keysName = `sort.${sort}.keys`
    const keys = table.columns[keysName] ? narrowed(own(keysName, 'f64')) : textsOf(table, keysName, rows)
    const keyed = sorts[sort]
    const pagesAt = own(pagesAtColumn(sort), 'u32')
    const isCut = pagesAt.length === Math.ceil(rows / ROWS_PER_PAGE)
    const positions = positionsOf(ordinals, rows)
    if (keyed === undefined || !isCut || !positions || !areKeys(keys, rows, keyed)) throw damaged(`the order ${sort}`)
    return { ordinals, positions, keyed, keys, pagesAt }
  })
  if (column(table, 'ordinal', 'u32').length !== rows) throw damaged('the number of keys')
  const entries = table.columns.entryAt ? { at: own('entryAt', 'u32'), length: own('entryLength', 'u32') } : null
  if (entries && (entries.at.length !== rows || entries.length.length !== rows)) throw damaged('the entries')
  return {
    name,
    count: rows,
    header,
    ids: textsOf(table, 'ids', rows),
    orders,
    filters: mapValues(ownFilters(spec.filters as Record<string, unknown>), (_, filter) => {
      const { keys, starts, ordinals } = decodePostings(table, filters[filter], `filter.${filter}.`, rows)
      return { keys, starts: starts.slice(), ordinals: ordinals.slice() }
    }),
    bounds: mapValues(spec.bounds as Record<string, unknown>, (_, bound) => {
      const numbers = own(`bound.${bound}`, 'f64')
      if (numbers.length !== rows) throw damaged(`the bound ${bound}`)
      return numbers
    }),
    entries,
    extra,
  }
}

/** Returns the same numbers in the smallest array type that can represent them. */
function narrowed(numbers: Float64Array): Float64Array | Uint32Array | Uint16Array {
  for (const narrow of [Uint16Array, Uint32Array]) {
    const same = narrow.from(numbers)
    if (numbers.every((number, i) => number === same[i])) return same
  }
  return numbers
}

/** Returns the position of each ordinal; null when one is missing or occurs twice. */
function positionsOf(ordinals: Uint32Array, count: number): Uint32Array | null {
  if (ordinals.length !== count) return null
  if (ordinals.every((ordinal, position) => ordinal === position)) return ordinals
  const positions = new Uint32Array(count).fill(count)
  const once = ordinals.every((ordinal, position) => {
    const first = positions[ordinal] === count
    positions[ordinal] = position
    return first
  })
  return once ? positions : null
}

/** Whether there is one key per row, `keyed` of them not null. */
function areKeys(keys: StoredOrder['keys'], count: number, keyed: number): boolean {
  if ('starts' in keys) return keyed <= count
  return keys.length === count && keys.length - keys.filter(Number.isNaN).length === keyed
}
