/**
 * The table of a list: its orders, the keys they go by, postings of its filters, and where its pages and entries lie.
 * SPEC.md, "Lists". An *ordinal* is a place in the main order.
 */
import { sha256 } from '../digest.ts'
import { SnapshotError } from '../error.ts'
import { compareRowKeys, LISTS, type ListName, type ListSpec, type SortValue } from '../lists.ts'
import { type Column, column, decodeTable, encodeTable, type Table } from '../table.ts'
import { ROWS_PER_PAGE } from './pages.ts'
import { decodePostings, encodePostings, type Postings } from './postings.ts'

export interface ListOrder {
  /** The ordinals in the direction in which pages are stored, those without a key last. */
  ordinals: Uint32Array
  /** How many have a key. */
  keyed: number
  /** The key of each ordinal. */
  keys: readonly SortValue[]
}

/** A list before its pages are compressed. */
export interface SortedList {
  name: ListName
  /** By ordinal. */
  ids: string[]
  /** The JSON of each row, by ordinal. */
  texts: string[]
  orders: Record<string, ListOrder>
  filters: Record<string, { keys: string[]; starts: Uint32Array; ordinals: Uint32Array }>
  bounds: Record<string, Float64Array>
  /** What else the list says of itself, as JSON: the statistics of the CNAs. */
  extra: unknown
}

/** Rows in the main order of their list: each has its ordinal as index. */
export function inMainOrder<Row>(spec: ListSpec<Row>, rows: readonly Row[]): Row[] {
  const { key, descending, tiesAscend = false } = spec.sorts[spec.main]!
  return rows
    .map((row) => ({ value: key(row), id: spec.id(row), row }))
    .sort((a, b) => compareRowKeys(spec, { tiesAscend }, descending, a, b))
    .map(({ row }) => row)
}

/** A list under each of its sorts; `sorted` has its rows in the main order. */
export function sortList<Name extends ListName>(
  name: Name,
  sorted: readonly RowOf<Name>[],
  extra: unknown = null,
): SortedList {
  const spec = LISTS[name] as unknown as ListSpec<RowOf<Name>>
  const orders: SortedList['orders'] = {}
  for (const [sort, { key, descending, tiesAscend = false }] of Object.entries(spec.sorts)) {
    const keyed = sorted.map((row, ordinal) => ({ value: key(row), id: spec.id(row), ordinal }))
    if (sort !== spec.main) keyed.sort((a, b) => compareRowKeys(spec, { tiesAscend }, descending, a, b))
    const keys: SortValue[] = []
    for (const { value, ordinal } of keyed) keys[ordinal] = value
    orders[sort] = {
      ordinals: Uint32Array.from(keyed, ({ ordinal }) => ordinal),
      keyed: keys.reduce<number>((count, one) => count + (one === null ? 0 : 1), 0),
      keys,
    }
  }
  const byOrdinal = Uint32Array.from(sorted, (_, ordinal) => ordinal)
  return {
    name,
    ids: sorted.map(spec.id),
    texts: sorted.map((row) => JSON.stringify(row)),
    orders,
    filters: mapValues(spec.filters, (valuesOf) => encodePostings(byOrdinal, (one) => new Set(valuesOf(sorted[one]!)))),
    bounds: mapValues(spec.bounds, (numberOf) => Float64Array.from(sorted, numberOf)),
    extra,
  }
}

type RowOf<Name extends ListName> = (typeof LISTS)[Name] extends ListSpec<infer Row> ? Row : never

/** Where the pages of each sort begin, and where the entry of each ordinal lies in its catalog shard, if it has one. */
export interface ListPlaces {
  pagesAt: Record<string, Uint32Array>
  entries: { at: Uint32Array; length: Uint32Array } | null
}

/** The content digest: without the columns that tell where the work of a compressor lies. */
export function listContent(list: SortedList): string {
  return sha256(encodeTable(contentTable(list)))
}

export function encodeList(list: SortedList, { pagesAt, entries }: ListPlaces): Buffer {
  const { about, columns } = contentTable(list)
  for (const [sort, at] of Object.entries(pagesAt)) columns[`sort.${sort}.pagesAt`] = at
  if (entries) {
    columns.entryAt = entries.at
    columns.entryLength = entries.length
  }
  return encodeTable({ about, columns })
}

/** The content digest of a stored list. */
export function storedListContent(bytes: Uint8Array): string {
  const { about, columns } = decodeTable(bytes)
  const content = Object.entries(columns).filter(
    ([name]) => !name.endsWith('.pagesAt') && !ENTRY_COLUMNS.includes(name),
  )
  return sha256(encodeTable({ about, columns: Object.fromEntries(content) }))
}

const ENTRY_COLUMNS = ['entryAt', 'entryLength']

function contentTable({ ids, orders, filters, bounds, extra }: SortedList): Table {
  const columns: Record<string, Column> = {}
  const texts: Record<string, readonly SortValue[]> = {}
  for (const [sort, { ordinals, keys }] of Object.entries(orders)) {
    columns[`sort.${sort}.ordinals`] = ordinals
    if (keys.some((key) => typeof key === 'string')) texts[sort] = keys
    else columns[`sort.${sort}.keys`] = Float64Array.from(keys, (key) => (key === null ? Number.NaN : Number(key)))
  }
  for (const [filter, { starts, ordinals }] of Object.entries(filters)) {
    columns[`filter.${filter}.starts`] = starts
    columns[`filter.${filter}.ordinals`] = ordinals
  }
  for (const [bound, numbers] of Object.entries(bounds)) columns[`bound.${bound}`] = numbers
  const about = {
    ids,
    sorts: mapValues(orders, ({ keyed }) => keyed),
    texts,
    filters: mapValues(filters, ({ keys }) => keys),
    bounds: Object.keys(bounds),
    extra,
  }
  return { about, columns }
}

/** A list as it is held in memory; its rows lie in pages. */
export interface List {
  name: ListName
  count: number
  ids: readonly string[]
  orders: Record<string, ListOrder & { pagesAt: Uint32Array }>
  filters: Record<string, Postings<string>>
  bounds: Record<string, Float64Array>
  entries: ListPlaces['entries']
  extra: unknown
}

/** @throws SnapshotError `malformed` */
export function decodeList(name: ListName, bytes: Uint8Array): List {
  const table = decodeTable(bytes)
  const { ids, sorts, texts, filters, bounds, extra } = table.about as Partial<AboutList>
  const spec = LISTS[name]
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string') || !sorts || !texts || !filters || !bounds) {
    throw new SnapshotError('malformed', `the list ${name} does not say what it holds`)
  }
  const count = ids.length
  const damaged = (what: string) => new SnapshotError('malformed', `${what} of the list ${name} is damaged`)
  const orders = mapValues(spec.sorts as Record<string, unknown>, (_, sort) => {
    const ordinals = column(table, `sort.${sort}.ordinals`, 'u32')
    const keys =
      texts[sort] ?? Array.from(column(table, `sort.${sort}.keys`, 'f64'), (key) => (Number.isNaN(key) ? null : key))
    const keyed = sorts[sort]
    const pagesAt = column(table, `sort.${sort}.pagesAt`, 'u32')
    const cut = pagesAt.length === Math.ceil(count / ROWS_PER_PAGE)
    if (keyed === undefined || !cut || !isPermutation(ordinals, count) || !areKeys(keys, count, keyed)) {
      throw damaged(`the order ${sort}`)
    }
    return { ordinals, keyed, keys, pagesAt }
  })
  const at = table.columns.entryAt === undefined ? null : column(table, 'entryAt', 'u32')
  const entries = at && { at, length: column(table, 'entryLength', 'u32') }
  if (entries && (entries.at.length !== count || entries.length.length !== count)) throw damaged('the entries')
  return {
    name,
    count,
    ids,
    orders,
    filters: mapValues(spec.filters as Record<string, unknown>, (_, filter) =>
      decodePostings(table, filters[filter], `filter.${filter}.`, count),
    ),
    bounds: mapValues(spec.bounds as Record<string, unknown>, (_, bound) => {
      const numbers = column(table, `bound.${bound}`, 'f64')
      if (numbers.length !== count) throw damaged(`the bound ${bound}`)
      return numbers
    }),
    entries,
    extra,
  }
}

/** Whether every ordinal is there, once. */
function isPermutation(ordinals: Uint32Array, count: number): boolean {
  if (ordinals.length !== count) return false
  const seen = new Uint8Array(count)
  return ordinals.every((one) => one < count && seen[one]!++ === 0)
}

/** Whether there is a key for each row, `keyed` of them not null, and all of these texts or all numbers. */
function areKeys(keys: unknown, count: number, keyed: number): keys is SortValue[] {
  if (!Array.isArray(keys) || keys.length !== count) return false
  const stated = keys.filter((key) => key !== null)
  return stated.length === keyed && ['string', 'number'].some((type) => stated.every((key) => typeof key === type))
}

interface AboutList {
  ids: string[]
  sorts: Record<string, number>
  texts: Record<string, SortValue[]>
  filters: Record<string, string[]>
  bounds: string[]
  extra: unknown
}

function mapValues<A, B>(record: Record<string, A>, make: (value: A, name: string) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, make(value, name)]))
}
