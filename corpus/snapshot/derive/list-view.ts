/** A list in memory; its long texts stay in the file. */

import {
  indexIn,
  isTextOffsets,
  lazyStrings,
  type TableTexts,
  type TextKey,
  type TextSlots,
  type Texts,
  textIndex,
} from '../codec/lazy-strings.ts'
import { LISTS, type ListName, type ListSpec, type SortValue } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import { decodeListTable, isArray, type ListPositions, type ListTable, type StoredOrder } from './lists.ts'
import { mapValues } from './map-values.ts'
import type { Postings } from './postings.ts'

export interface Keys {
  readonly length: number
  at(ordinal: number): SortValue | undefined
}

export interface List {
  name: ListName
  count: number
  ids: Texts
  orders: Record<string, Omit<StoredOrder, 'keys'> & { keys: Keys }>
  filters: Record<string, Postings<string>>
  bounds: Record<string, Float64Array>
  entries: ListPositions['entries']
  extra: unknown
}

/**
 * Decodes a list completely into memory.
 * @throws SnapshotError `malformed`
 */
export function decodeList(name: ListName, bytes: Uint8Array): List {
  return listOf(decodeListTable(name, bytes, Number.POSITIVE_INFINITY), () => {
    throw new SnapshotError('malformed', `the list ${name} requests texts outside its file`)
  })
}

/** Returns a list. `read` reads `length` bytes of its file at `at`, for texts that are not in memory. */
export function listOf(table: ListTable, read: (at: number, length: number) => Uint8Array): List {
  const open = (texts: TableTexts): Texts => (isTextOffsets(texts) ? lazyStrings(texts, read) : texts)
  const { filterKeys } = LISTS[table.name] as ListSpec<never>
  return {
    ...table,
    ids: open(table.ids),
    orders: mapValues(table.orders, (order) => ({ ...order, keys: keysOf(order.keys, open) })),
    filters: mapValues(table.filters, ({ keys, keySlots, starts, ordinals }, filter) => ({
      keys: keyPositions(open(keys), keySlots, filterKeys?.[filter]),
      starts,
      ordinals,
    })),
  }
}

const keyPositions = (texts: Texts, slots: TextSlots | null, keyOf?: TextKey): Postings<string>['keys'] => ({
  get: slots ? (key) => indexIn(slots, texts, key, keyOf) : textIndex(texts as readonly string[], keyOf),
  *keys() {
    for (let at = 0; at < texts.length; at++) yield texts.at(at)!
  },
})

function keysOf(keys: StoredOrder['keys'], open: (texts: TableTexts) => Texts): Keys {
  if (isTextOffsets(keys)) return open(keys)
  if (isArray(keys)) return keys
  return {
    length: keys.length,
    at(ordinal) {
      const key = keys[ordinal]
      return key !== undefined && Number.isNaN(key) ? null : key
    },
  }
}
