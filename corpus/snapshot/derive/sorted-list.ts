/** A sorted list with its filters and bounds, before encoding. An *ordinal* is a position in the main order. */

import { packTexts, type TextColumn } from '../codec/text-column.ts'
import { compareRowKeys, type LISTS, type ListName, type ListSpec, type SortValue, specOf } from '../cursor/lists.ts'
import { mapValues } from './map-values.ts'
import { encodePostings } from './postings.ts'

export interface ListOrder {
  /** The ordinals in the direction of stored pages, those without a key last. */
  ordinals: Uint32Array
  keyed: number
  keys: readonly SortValue[]
}

export interface SortedList {
  name: ListName
  ids: string[]
  texts: TextColumn
  orders: Record<string, ListOrder>
  filters: Record<string, { keys: string[]; starts: Uint32Array; ordinals: Uint32Array }>
  bounds: Record<string, Float64Array>
  /** Extra JSON metadata of the list: the CNA statistics. */
  extra: unknown
}

/** Returns rows in the main order of their list; the index is the ordinal. */
export const inMainOrder = <Row>(spec: ListSpec<Row>, rows: readonly Row[]): Row[] =>
  ordered(rows, mainOrder(spec, rows))

/** Returns the index in `rows` of each ordinal. */
export function mainOrder<Row>(spec: ListSpec<Row>, rows: readonly Row[]): Uint32Array {
  const { key, descending, tiesAscend = false } = spec.sorts[spec.main]!
  const keyed = rows.map((row, index) => ({ value: key(row), id: spec.id(row), index }))
  keyed.sort((a, b) => compareRowKeys(spec, { tiesAscend }, descending, a, b))
  return Uint32Array.from(keyed, ({ index }) => index)
}

export const ordered = <T>(values: readonly T[], order: Uint32Array): T[] =>
  Array.from(order, (index) => values[index]!)

/** Returns a list in each of its sorts. `sorted` has its rows in the main order. */
export function sortList<Name extends ListName>(
  name: Name,
  sorted: readonly RowOf<Name>[],
  extra: unknown = null,
): SortedList {
  const spec = specOf<RowOf<Name>>(name)
  const ids = sorted.map(spec.id)
  const orders: SortedList['orders'] = {}
  for (const [sort, { key, descending, tiesAscend = false }] of Object.entries(spec.sorts)) {
    const keyed = sorted.map((row, ordinal) => ({ value: key(row), id: ids[ordinal]!, ordinal }))
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
    ids,
    texts: packTexts(sorted.length, (ordinal) => JSON.stringify(sorted[ordinal])),
    orders,
    filters: mapValues(spec.filters, (valuesOf) => encodePostings(byOrdinal, (one) => new Set(valuesOf(sorted[one]!)))),
    bounds: mapValues(spec.bounds, (numberOf) => Float64Array.from(sorted, numberOf)),
    extra,
  }
}

type RowOf<Name extends ListName> = (typeof LISTS)[Name] extends ListSpec<infer Row> ? Row : never
