/** A list in memory; its texts and keys stay in the file. */

import { openTexts } from '../codec/stored-texts.ts'
import { blockSpan, decodeBlock } from '../codec/table.ts'
import { cursorId } from '../cursor/cursor.ts'
import { type ListName, type SortValue, specOf } from '../cursor/lists.ts'
import { SnapshotError } from '../error.ts'
import { decodeHashed, hashBlock } from './hashed-table.ts'
import { type ListKey, listKeyHash, listKeyNames, listKeysIn } from './list-keys.ts'
import { decodeListTable, type ListPositions, type ListTable, type StoredOrder } from './lists.ts'
import { mapValues } from './map-values.ts'
import { type NamedPostings, postingsOf } from './postings.ts'

export interface Keys {
  readonly length: number
  at(ordinal: number): SortValue | undefined
}

export interface List {
  name: ListName
  count: number
  orders: Record<string, Omit<StoredOrder, 'keys'> & { keys: Keys }>
  /** The rows of each value. Products get that of vendors from their list. */
  filters: Record<string, NamedPostings>
  bounds: Record<string, Float64Array>
  entries: ListPositions['entries']
  extra: unknown
  /** @throws SnapshotError `malformed` for an ordinal that the list does not have */
  id(ordinal: number): string
  /** Returns undefined for an unknown id. Finds vendors and products by each of their spellings (rule 27). */
  ordinalOf(id: string): number | undefined
  /** Returns the key of an id, with the ranges of its CVEs and products. */
  keyOf(id: string): ListKey | undefined
  /** For ids that are too long for a cursor, by their truncated form. */
  ordinalOfCut(kept: string): number | undefined
}

/** Reads `length` bytes of the file of a list at `at`. */
export type ReadList = (at: number, length: number) => Uint8Array

/**
 * Decodes a list in memory.
 * @throws SnapshotError `malformed`
 */
export const decodeList = (name: ListName, bytes: Uint8Array): List =>
  listOf(decodeListTable(name, bytes), (at, length) => bytes.subarray(at, at + length))

export function listOf(table: ListTable, read: ReadList): List {
  const ids = openTexts(table.ids, read)
  // Built on first use: truncated ids are rare.
  let cut: Map<string, number> | undefined
  const idOf = (ordinal: number): string => {
    const id = ids.at(ordinal)
    if (typeof id === 'string') return id
    throw new SnapshotError('malformed', `${table.name} has no row ${ordinal}`)
  }
  const keyOf = keyLookup(table, read, idOf)
  return {
    ...table,
    id: idOf,
    ordinalOf: (id) => keyOf(id)?.ordinal,
    keyOf,
    ordinalOfCut(kept) {
      cut ??= cutIds(table.ids.long, idOf)
      return cut.get(kept)
    },
    orders: mapValues(table.orders, (order) => ({ ...order, keys: keysOf(order.keys, read) })),
    filters: mapValues(table.filters, (postings): NamedPostings => ({ of: (value) => postingsOf(postings, value) })),
  }
}

/** Returns ordinals by truncated id. */
function cutIds(among: Uint32Array, idOf: (ordinal: number) => string): Map<string, number> {
  const cut = new Map<string, number>()
  for (const ordinal of among) {
    const id = idOf(ordinal)
    if (cursorId(id) !== id) cut.set(cursorId(id), ordinal)
  }
  return cut
}

/** Returns the key of an id, else the first of the same spelling. Throws SnapshotError on damage. */
function keyLookup({ name, header }: ListTable, read: ReadList, idOf: (ordinal: number) => string): List['keyOf'] {
  const { idKey: spelling = (id: string) => id } = specOf(name)
  const names = listKeyNames(name)
  return (id) => {
    const hash = listKeyHash(name, id)
    const block = hashBlock(header, hash)
    const { at, length } = blockSpan(header, 'hashHigh', block)
    const rows = decodeHashed(decodeBlock(header, 'hashHigh', block, read(at, length)), names)
    const keys = listKeysIn(rows, hash)
    return (
      keys.find(({ ordinal }) => idOf(ordinal) === id) ??
      keys.find(({ ordinal }) => spelling(idOf(ordinal)) === spelling(id))
    )
  }
}

function keysOf(keys: StoredOrder['keys'], read: ReadList): Keys {
  if ('starts' in keys) return openTexts(keys, read)
  return {
    length: keys.length,
    at(ordinal) {
      const key = keys[ordinal]
      return key !== undefined && Number.isNaN(key) ? null : key
    },
  }
}
