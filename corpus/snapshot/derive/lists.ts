/**
 * The table of a list: its orders, sort keys, filter postings, and the positions of its pages and entries. SPEC.md,
 * "Lists".
 */
import { sha256 } from '../../runtime/digest.ts'
import { isTextOffsets, type TableTexts, type TextOffsets } from '../codec/lazy-strings.ts'
import { type Column, column, decodeTable, decodeWithoutTexts, encodeTable, type Table } from '../codec/table.ts'
import { type ListName, type SortValue, specOf } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import type { ListKeysHead } from './list-keys.ts'
import { mapValues } from './map-values.ts'
import { ROWS_PER_PAGE } from './pages.ts'
import { decodePostingLists, type PostingLists } from './postings.ts'
import type { SortedList } from './sorted-list.ts'

/** The page positions of each sort, and the position of each ordinal's entry in its catalog shard, if it has one. */
export interface ListPositions {
  pagesAt: Record<string, Uint32Array>
  entries: { at: Uint32Array; length: Uint32Array } | null
}

/** Returns the content digest, which excludes the columns that depend on compression. */
export function listContent(list: SortedList): string {
  return sha256(encodeTable(contentTable(list)))
}

export function encodeList(list: SortedList, { pagesAt, entries }: ListPositions): Buffer {
  const { about, columns } = contentTable(list)
  for (const [sort, at] of Object.entries(pagesAt)) columns[pagesAtColumn(sort)] = at
  if (entries) {
    columns.entryAt = entries.at
    columns.entryLength = entries.length
  }
  return encodeTable({ about, columns })
}

/** Returns the content digest of the table of a list, or of its keys. */
export function storedListContent(bytes: Uint8Array): string {
  const { about, columns } = decodeTable(bytes)
  const content = Object.entries(columns).filter(
    ([name]) => !name.endsWith('.pagesAt') && !(ENTRY_COLUMNS as readonly string[]).includes(name),
  )
  return sha256(encodeTable({ about, columns: Object.fromEntries(content) }))
}

export const ENTRY_COLUMNS = ['entryAt', 'entryLength'] as const

export const pagesAtColumn = (sort: string) => `sort.${sort}.pagesAt`

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

/** A list table, with only numbers and short texts so that threads can transfer it. Its rows are in pages. */
export interface ListTable {
  name: ListName
  count: number
  ids: TableTexts
  /** First part of the file of keys; null for lists without one. */
  keys: ListKeysHead | null
  orders: Record<string, StoredOrder>
  filters: Record<string, PostingLists & { keys: TableTexts }>
  bounds: Record<string, Float64Array>
  entries: ListPositions['entries']
  extra: unknown
}

export interface StoredOrder {
  ordinals: Uint32Array
  /** The position of each ordinal. The same array as `ordinals` for the main order. */
  positions: Uint32Array
  keyed: number
  keys: TableTexts | readonly SortValue[] | Float64Array | Uint32Array | Uint16Array
  pagesAt: Uint32Array
}

/** Arrays with at least this many texts stay on disk. */
const KEPT_FROM = 2048

/**
 * Decodes the table of a list. Arrays of at least `keptFrom` texts stay in the file.
 * @throws SnapshotError `malformed`
 */
export function decodeListTable(
  name: ListName,
  bytes: Uint8Array,
  { keptFrom = KEPT_FROM, keys = null }: { keptFrom?: number; keys?: ListKeysHead | null } = {},
): ListTable {
  const whole = Number.isFinite(keptFrom) ? decodeWithoutTexts(bytes, keptFrom) : { ...decodeTable(bytes), kept: [] }
  const table = { about: whole.about, columns: whole.columns }
  const { ids: storedIds, sorts, texts, filters, bounds, extra } = table.about as Partial<AboutList>
  const spec = specOf(name)
  const read = (stored: unknown): TableTexts | null => tableTexts(stored, whole.kept)
  const ids = read(storedIds)
  if (ids === null || !sorts || !texts || !filters || !bounds) {
    throw new SnapshotError('malformed', `the table of the list ${name} has no ids, sorts, texts, filters or bounds`)
  }
  const count = lengthOf(ids)
  const damaged = (what: string) => new SnapshotError('malformed', `${what} of the list ${name} is damaged`)
  const orders = mapValues(spec.sorts as Record<string, unknown>, (_, sort) => {
    const ordinals = column(table, `sort.${sort}.ordinals`, 'u32')
    const ofTexts = texts[sort] === undefined ? undefined : (read(texts[sort]) ?? texts[sort])
    const keys = ofTexts ?? narrowed(column(table, `sort.${sort}.keys`, 'f64'))
    const keyed = sorts[sort]
    const pagesAt = column(table, pagesAtColumn(sort), 'u32')
    const cut = pagesAt.length === Math.ceil(count / ROWS_PER_PAGE)
    const positions = positionsOf(ordinals, count)
    if (keyed === undefined || !cut || !positions || !areKeys(keys, count, keyed)) throw damaged(`the order ${sort}`)
    return { ordinals, positions, keyed, keys, pagesAt }
  })
  if (keys && keys.about.count !== count) throw damaged('the number of keys')
  const at = table.columns.entryAt === undefined ? null : column(table, 'entryAt', 'u32')
  const entries = at && { at, length: column(table, 'entryLength', 'u32') }
  if (entries && (entries.at.length !== count || entries.length.length !== count)) throw damaged('the entries')
  return {
    name,
    count,
    ids,
    keys,
    orders,
    filters: mapValues(spec.filters as Record<string, unknown>, (_, filter) => {
      const keys = read(filters[filter])
      const lists = decodePostingLists(table, keys === null ? -1 : lengthOf(keys), `filter.${filter}.`, count)
      return { keys: keys!, ...lists }
    }),
    bounds: mapValues(spec.bounds as Record<string, unknown>, (_, bound) => {
      const numbers = column(table, `bound.${bound}`, 'f64')
      if (numbers.length !== count) throw damaged(`the bound ${bound}`)
      return numbers
    }),
    entries,
    extra,
  }
}

/** `Array.isArray` does not narrow readonly arrays. */
export const isArray = <T>(value: T): value is T & readonly SortValue[] => Array.isArray(value)
const lengthOf = (texts: TableTexts) => (isTextOffsets(texts) ? texts.count : texts.length)

/** Returns texts of the header, or those removed from it; null when invalid. */
export function tableTexts(stored: unknown, kept: readonly TextOffsets[]): TableTexts | null {
  if (isArray(stored)) return stored.every((text) => typeof text === 'string') ? stored : null
  const { kept: number } = (stored ?? {}) as { kept?: unknown }
  return (typeof number === 'number' && kept[number]) || null
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

/** Whether there is one key per row, `keyed` of them not null, either all texts or all numbers. */
function areKeys(keys: StoredOrder['keys'], count: number, keyed: number): boolean {
  if (isTextOffsets(keys)) return keys.count === count && keyed === count
  if (keys.length !== count) return false
  if (!isArray(keys)) return keys.length - keys.filter(Number.isNaN).length === keyed
  const stated = keys.filter((key) => key !== null)
  return stated.length === keyed && ['string', 'number'].some((type) => stated.every((key) => typeof key === type))
}

interface AboutList {
  ids: unknown
  sorts: Record<string, number>
  texts: Record<string, SortValue[]>
  filters: Record<string, unknown>
  bounds: string[]
  extra: unknown
}
