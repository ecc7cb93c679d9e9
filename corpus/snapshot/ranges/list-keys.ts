/** Finds single rows of large lists by blocks of their keys, and a page. */

import { remembered } from '../../runtime/remembered.ts'
import {
  column,
  type FileEntry,
  fileOf,
  type Listed,
  type ListKey,
  type ListName,
  listKeyHash,
  listKeyNames,
  listKeysIn,
  type Manifest,
  type OrdinalRange,
  ordinalsIn,
  pagesAtColumn,
  specOf,
  valuesSpan,
} from '../index.ts'
import { type HashedRowsLookup, openHashedRows } from './hashed-lookup.ts'
import type { ListPages } from './list-pages.ts'
import type { RangeTables } from './tables.ts'

export interface FoundKey extends ListKey {
  row: object
}

/** Each method throws SnapshotError or TransferError. */
export interface ListKeys {
  /** Whether single rows of a list take less time than its table. */
  has(list: ListName): boolean
  /** Locates the pages of the main sort. */
  locate(list: ListName): Promise<void>
  /** Returns the row of an id in any spelling; null for an unknown one. */
  find(list: ListName, id: string): Promise<FoundKey | null>
  /** Returns the ordinals of the CVEs of a row. */
  cvesOf(filter: Listed, key: ListKey): Promise<Uint32Array>
  /** Returns the ordinals of the products of a vendor. */
  productsOf(key: ListKey): Promise<Uint32Array>
  /** Returns the position of the entry of a row in the catalog shard. */
  entryOf(list: ListName, key: ListKey): Promise<{ at: number; length: number }>
}

/** Nearly every header and page positions of the main sort are shorter. */
const FIRST_BYTES = 24 * 1024
/** Rows that are kept: pages of one vendor or product ask for it several times. */
const MOST_FOUND = 1000
const NONE = new Uint32Array()
const asIs = (id: string) => id

export function openListKeys(manifest: Manifest, tables: RangeTables, pages: ListPages): ListKeys {
  const opened = new Map<ListName, HashedRowsLookup<string>>()
  const located = new Map<string, Promise<void>>()
  const found = new Map<string, Promise<FoundKey | null>>()

  const tableOf = (list: ListName) => tables.of(fileOf(manifest, 'list', list), FIRST_BYTES)

  const locate = (list: ListName) =>
    remembered(located, list, async () => {
      const { main } = specOf<object>(list)
      const name = pagesAtColumn(main)
      const pagesAt = column(await (await tableOf(list)).part(name), name, 'u32')
      pages.locate(list, { [main]: { pagesAt } })
    })

  function rowsOf(list: ListName): HashedRowsLookup<string> {
    const file = fileOf(manifest, 'list', list)
    const known = opened.get(list) ?? openHashedRows(tables, file, listKeyNames(list), { manyBlocks: MOST_FOUND })
    opened.set(list, known)
    return known
  }

  async function findRow(list: ListName, id: string): Promise<FoundKey | null> {
    const hash = listKeyHash(list, id)
    await tableOf(list)
    const [[keyed]] = await Promise.all([rowsOf(list)([hash]), locate(list)])
    const keys = listKeysIn(keyed!, hash)
    const { main, id: idOf, idKey = asIs } = specOf<object>(list)
    const rows = await pages.rows(
      list,
      main,
      keys.map(({ ordinal }) => ordinal),
    )
    const candidates = keys.map((key, i): FoundKey => ({ ...key, row: rows[i]! }))
    const same = candidates.filter(({ row }) => idKey(idOf(row)) === idKey(id))
    return same.find(({ row }) => idOf(row) === id) ?? same[0] ?? null
  }

  async function ordinals(file: FileEntry, name: string, range: OrdinalRange | null): Promise<Uint32Array> {
    if (!range || range.count === 0) return NONE
    const { header, bytes } = await tables.of(file)
    return ordinalsIn((await bytes([valuesSpan(header, name, range.start, range.count)]))[0]!, range)
  }

  return {
    // A shorter table takes one request.
    has: (list) => fileOf(manifest, 'list', list).size > FIRST_BYTES,
    locate,

    async find(list, id) {
      const key = JSON.stringify([list, id])
      if (found.size > MOST_FOUND) found.clear()
      return remembered(found, key, () => findRow(list, id))
    },

    cvesOf: (filter, { cves }) => ordinals(fileOf(manifest, 'columns', 'lists'), `${filter}.ordinals`, cves),
    productsOf: ({ products }) => ordinals(fileOf(manifest, 'list', 'vendors'), 'products', products),

    async entryOf(list, { ordinal }) {
      const { header, bytes } = await tableOf(list)
      const spans = ['entryAt', 'entryLength'].map((name) => valuesSpan(header, name, ordinal, 1))
      const [at, length] = (await bytes(spans)).map((one) => one.readUInt32LE(0))
      return { at: at!, length: length! }
    },
  }
}
