/** Finds single rows of large lists by parts of their keys: once the head of a list, then a bucket and a page. */
import {
  decodeListKeysHead,
  fileOf,
  LISTED,
  LISTS,
  type Listed,
  type ListKey,
  type ListKeysHead,
  type ListName,
  type ListSpec,
  listKeysFile,
  listKeysOf,
  listKeysSpan,
  type Manifest,
  ordinalsIn,
  SnapshotError,
} from '../snapshot/index.ts'
import type { ListPages } from './list-pages.ts'
import { type Objects, remembered } from './objects.ts'
import type { TableHeaders } from './table-headers.ts'

export interface FoundKey extends ListKey {
  row: object
}

/** Each method throws SnapshotError or TransferError. */
export interface ListKeys {
  /** Whether the snapshot has the keys of a list, and its table is large. */
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

export function openListKeys(manifest: Manifest, objects: Objects, headers: TableHeaders, pages: ListPages): ListKeys {
  const heads = new Map<string, Promise<ListKeysHead>>()
  const found = new Map<string, Promise<FoundKey | null>>()

  const keysFile = (list: ListName) => {
    const file = listKeysFile(manifest, list)
    if (!file) throw new SnapshotError('missing', `the manifest lists no keys of ${list}`)
    return file
  }

  const headOf = (list: ListName) =>
    remembered(heads, list, async () => {
      const file = keysFile(list)
      for (let length = Math.min(HEAD_BYTES, file.size); ; ) {
        const head = decodeListKeysHead(list, (await objects.parts(file, [{ at: 0, length }]))[0]!)
        if (typeof head !== 'number') {
          pages.locate(list, { [specOf(list).main]: { pagesAt: head.pagesAt } })
          return head
        }
        if (head <= length || head > file.size) throw damaged(list)
        length = head
      }
    })

  async function findRow(list: ListName, id: string): Promise<FoundKey | null> {
    const head = await headOf(list)
    const bytes = (await objects.parts(keysFile(list), [listKeysSpan(head, id)]))[0]!
    const keys = listKeysOf(head, id, bytes)
    const { main, id: idOf, idKey = asIs } = specOf(list)
    const rows = await pages.rows(
      list,
      main,
      keys.map(({ ordinal }) => ordinal),
    )
    const candidates = keys.map((key, i): FoundKey => ({ ...key, row: rows[i]! }))
    const same = candidates.filter(({ row }) => idKey(idOf(row)) === idKey(id))
    return same.find(({ row }) => idOf(row) === id) ?? same[0] ?? null
  }

  return {
    has: (list) => {
      const file = listKeysFile(manifest, list)
      return file !== undefined && fileOf(manifest, 'list', list).size > SMALL_BYTES
    },

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
      const column = (await headers.of(file)).columns.get(`${filter}.ordinals`)
      if (column?.type !== 'u32' || cves.start + cves.count > column.length) throw damaged(LISTED[filter])
      const span = { at: column.at + cves.start * 4, length: cves.count * 4 }
      return ordinalsIn((await objects.parts(file, [span]))[0]!, cves)
    },

    async productsOf({ products }) {
      if (!products || products.count === 0) return NONE
      const column = (await headOf('vendors')).columns.get('products')
      if (column?.type !== 'u32' || products.start + products.count > column.length) throw damaged('vendors')
      const span = { at: column.at + products.start * 4, length: products.count * 4 }
      return ordinalsIn((await objects.parts(keysFile('vendors'), [span]))[0]!, products)
    },

    async entryOf(list, { ordinal }) {
      const { columns } = await headOf(list)
      const spans = ['entryAt', 'entryLength'].map((name) => {
        const column = columns.get(name)
        if (column?.type !== 'u32' || ordinal >= column.length) throw damaged(list)
        return { at: column.at + ordinal * 4, length: 4 }
      })
      const [at, length] = (await objects.parts(keysFile(list), spans)).map((bytes) => bytes.readUInt32LE(0))
      return { at: at!, length: length! }
    },
  }
}

/** Rows that are kept: pages of one vendor or product ask for it several times. */
const MOST_FOUND = 1000
const NONE = new Uint32Array()

/** Each list has rows of its own type. */
const specOf = (name: ListName) => LISTS[name] as unknown as ListSpec<object>
const asIs = (id: string) => id

const damaged = (list: ListName) => new SnapshotError('malformed', `the keys of ${list} are damaged`)
