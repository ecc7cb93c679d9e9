/** Finds single rows of large lists by parts of their keys: once the head of a list, then a bucket and a page. */

import { remembered } from '../../runtime/remembered.ts'
import {
  decodeListKeysHead,
  type FileEntry,
  fileOf,
  hasListKeys,
  LISTED,
  type Listed,
  type ListKey,
  type ListKeysHead,
  type ListName,
  listKeysName,
  listKeysOf,
  listKeysSpan,
  type Manifest,
  type OrdinalRange,
  ordinalsIn,
  SnapshotError,
  specOf,
  type TableHeader,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import type { ListPages } from './list-pages.ts'
import { columnSpan, type TableHeaders } from './table-headers.ts'

export interface FoundKey extends ListKey {
  row: object
}

/** Each method throws SnapshotError or TransferError. */
export interface ListKeys {
  /** Whether a list has keys, and a large table. */
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

/** Nearly every first part is shorter. */
const HEAD_BYTES = 24 * 1024
/** Below this size, the table of a list takes less time than its keys. */
const SMALL_BYTES = 8 * 1024

export function openListKeys(
  manifest: Manifest,
  objects: FileParts,
  headers: TableHeaders,
  pages: ListPages,
): ListKeys {
  const heads = new Map<string, Promise<ListKeysHead>>()
  const found = new Map<string, Promise<FoundKey | null>>()

  const keysFile = (list: ListName) => fileOf(manifest, 'list', listKeysName(list))

  const headOf = (list: ListName) =>
    remembered(heads, list, async () => {
      const file = keysFile(list)
      for (let length = Math.min(HEAD_BYTES, file.size); ; ) {
        const head = decodeListKeysHead(list, (await objects.parts(file, [{ at: 0, length }]))[0]!)
        if (typeof head !== 'number') {
          pages.locate(list, { [specOf<object>(list).main]: { pagesAt: head.pagesAt } })
          return head
        }
        if (head <= length || head > file.size) throw new SnapshotError('malformed', `${whatOf(list)} damaged`)
        length = head
      }
    })

  async function findRow(list: ListName, id: string): Promise<FoundKey | null> {
    const head = await headOf(list)
    const bytes = (await objects.parts(keysFile(list), [listKeysSpan(head, id)]))[0]!
    const keys = listKeysOf(head, id, bytes)
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

  async function ordinals(
    file: FileEntry,
    header: Pick<TableHeader, 'columns'>,
    name: string,
    range: OrdinalRange,
    list: ListName,
  ): Promise<Uint32Array> {
    const span = columnSpan(header, { name, first: range.start, count: range.count }, whatOf(list))
    return ordinalsIn((await objects.parts(file, [span]))[0]!, range)
  }

  return {
    has: (list) => hasListKeys(list) && fileOf(manifest, 'list', list).size > SMALL_BYTES,

    async locate(list) {
      await headOf(list)
    },

    async find(list, id) {
      const key = JSON.stringify([list, id])
      if (found.size > MOST_FOUND) found.clear()
      return remembered(found, key, () => findRow(list, id))
    },

    async cvesOf(filter, { cves }) {
      if (!cves || cves.count === 0) return NONE
      const file = fileOf(manifest, 'columns', 'lists')
      return ordinals(file, await headers.of(file), `${filter}.ordinals`, cves, LISTED[filter])
    },

    async productsOf({ products }) {
      if (!products || products.count === 0) return NONE
      return ordinals(keysFile('vendors'), await headOf('vendors'), 'products', products, 'vendors')
    },

    async entryOf(list, { ordinal }) {
      const head = await headOf(list)
      const spans = ['entryAt', 'entryLength'].map((name) =>
        columnSpan(head, { name, first: ordinal, count: 1 }, whatOf(list)),
      )
      const [at, length] = (await objects.parts(keysFile(list), spans)).map((bytes) => bytes.readUInt32LE(0))
      return { at: at!, length: length! }
    },
  }
}

/** Rows that are kept: pages of one vendor or product ask for it several times. */
const MOST_FOUND = 1000
const NONE = new Uint32Array()

const asIs = (id: string) => id

const whatOf = (list: ListName) => `the keys of ${list} are`
