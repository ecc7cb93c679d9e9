/** A list in memory; its long texts stay in the file. */

import {
  isTextOffsets,
  lazyStrings,
  type TableTexts,
  type TextKey,
  type Texts,
  textLookup,
} from '../codec/lazy-strings.ts'
import { cursorId } from '../cursor/cursor.ts'
import { type ListName, type SortValue, specOf } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import { type ListKey, type ListKeysHead, listKeysOf, listKeysSpan } from './list-keys.ts'
import { decodeListTable, isArray, type ListPositions, type ListTable, type StoredOrder } from './lists.ts'
import { mapValues } from './map-values.ts'
import { type NamedPostings, postingsOf } from './postings.ts'

export interface Keys {
  readonly length: number
  at(ordinal: number): SortValue | undefined
}

export interface List {
  name: ListName
  count: number
  ids: Texts
  orders: Record<string, Omit<StoredOrder, 'keys'> & { keys: Keys }>
  /** The rows of each value. */
  filters: Record<string, NamedPostings>
  bounds: Record<string, Float64Array>
  entries: ListPositions['entries']
  extra: unknown
  /** @throws SnapshotError `malformed` for an ordinal that the list does not have */
  id(ordinal: number): string
  /** Returns undefined for an unknown id. Finds vendors and products by each of their spellings (rule 27). */
  ordinalOf(id: string): number | undefined
  /** Returns the key of an id, with the range of its CVEs. Null without a file of keys. */
  keyOf: ((id: string) => ListKey | undefined) | null
  /** For ids that are too long for a cursor, by their truncated form. */
  ordinalOfCut(kept: string): number | undefined
}

/**
 * Decodes a list completely into memory.
 * @throws SnapshotError `malformed`
 */
export function decodeList(name: ListName, bytes: Uint8Array): List {
  return listOf(decodeListTable(name, bytes, { keptFrom: Number.POSITIVE_INFINITY }), () => {
    throw new SnapshotError('malformed', `the list ${name} requests texts outside its file`)
  })
}

type Read = (at: number, length: number) => Uint8Array

/**
 * Returns a list. `read` reads `length` bytes of its file at `at`, for texts that are not in memory, and `readKeys` those
 * of the file of its keys.
 */
export function listOf(table: ListTable, read: Read, readKeys?: Read): List {
  const open = (texts: TableTexts): Texts => (isTextOffsets(texts) ? lazyStrings(texts, read) : texts)
  const { filterKeys, idKey } = specOf(table.name)
  const ids = open(table.ids)
  // Built on first use: truncated ids are rare.
  let cut: Map<string, number> | undefined
  const idOf = (ordinal: number): string => {
    const id = ids.at(ordinal)
    if (id === undefined) throw new SnapshotError('malformed', `${table.name} has no row ${ordinal}`)
    return id
  }
  const keyOf = table.keys && readKeys ? keyLookup(table.keys, readKeys, idOf, idKey) : null
  return {
    ...table,
    ids,
    id: idOf,
    ordinalOf: keyOf ? (id) => keyOf(id)?.ordinal : textLookup(ids, idKey),
    keyOf,
    ordinalOfCut(kept) {
      cut ??= cutIds(isTextOffsets(table.ids) ? table.ids.long : table.count, idOf)
      return cut.get(kept)
    },
    orders: mapValues(table.orders, (order) => ({ ...order, keys: keysOf(order.keys, open) })),
    filters: mapValues(table.filters, ({ keys, ...lists }, filter): NamedPostings => {
      const postings = { keys: { get: textLookup(open(keys), filterKeys?.[filter]) }, ...lists }
      return { of: (value) => postingsOf(postings, value) }
    }),
  }
}

/** Returns ordinals by truncated id. `among` is a list of ordinals, or the number of ids. */
function cutIds(among: Uint32Array | number, idOf: (ordinal: number) => string): Map<string, number> {
  const cut = new Map<string, number>()
  for (const ordinal of typeof among === 'number' ? Array(among).keys() : among) {
    const id = idOf(ordinal)
    if (cursorId(id) !== id) cut.set(cursorId(id), ordinal)
  }
  return cut
}

/** Returns the key of an id, else the first of the same spelling, as `textLookup` does. Throws SnapshotError on damage. */
const keyLookup =
  (head: ListKeysHead, read: Read, idOf: (ordinal: number) => string, spelling: TextKey = (id) => id) =>
  (id: string): ListKey | undefined => {
    const { at, length } = listKeysSpan(head, id)
    const keys = listKeysOf(head, id, read(at, length))
    return (
      keys.find(({ ordinal }) => idOf(ordinal) === id) ??
      keys.find(({ ordinal }) => spelling(idOf(ordinal)) === spelling(id))
    )
  }

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
