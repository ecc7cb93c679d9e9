/** The lists of an open snapshot: tables in memory, pages and entries in open files. */

import {
  type CatalogName,
  catalogKey,
  decodeListTable,
  decodeMemberHead,
  type FileEntry,
  fileOf,
  forEachFilter,
  LIST_NAMES,
  LISTED,
  type List,
  type Listed,
  type ListName,
  type ListTable,
  listOf,
  listPagesName,
  type Manifest,
  type NamedPostings,
  NO_ORDINALS,
  type OpenObject,
  type OrdinalRange,
  ordinalsIn,
  pageKey,
  type ReadMember,
  type Role,
  readObject,
  SnapshotError,
  type TableHeader,
  valuesSpan,
} from '../index.ts'

export interface OpenList extends List {
  /** In the stored direction. */
  page(sort: string, page: number): ReadMember
  entry(ordinal: number): ReadMember
}

export type OpenLists = Record<ListName, OpenList>

export type ListTables = Record<ListName, ListTable>

/** @throws SnapshotError */
export const readListTables = (dist: string, manifest: Manifest): ListTables =>
  byName((name) => decodeListTable(name, readObject(dist, fileOf(manifest, 'list', name))))

/** @throws SnapshotError */
export function openLists(manifest: Manifest, tables: ListTables, open: (file: FileEntry) => OpenObject): OpenLists {
  const files = byName((name) => open(fileOf(manifest, 'list', name)))
  const lists = byName((name) => openList(tables[name], files[name], (role, of) => open(fileOf(manifest, role, of))))
  const { vendors, products } = lists
  const ordinalsOf = ordinalsReader(files.vendors, tables.vendors.header, 'products', products.count)
  const vendor: NamedPostings = { of: (key) => ordinalsOf(key, vendors.keyOf(key)?.products) }
  lists.products = { ...products, filters: { ...products.filters, vendor } }
  return lists
}

/** Returns the postings of vendors, products and packages by the ids of their lists. `header` is that of `file`. */
export const namedPostings = (
  header: TableHeader,
  lists: OpenLists,
  file: OpenObject,
  cves: number,
): Record<Listed, NamedPostings> =>
  forEachFilter((filter) => {
    const { keyOf } = lists[LISTED[filter]]
    const ordinalsOf = ordinalsReader(file, header, `${filter}.ordinals`, cves)
    return { of: (key) => ordinalsOf(key, keyOf(key)?.cves) }
  })

/** Returns a function that reads the range of a key from a column of ordinals below `count`. */
function ordinalsReader(file: OpenObject, header: TableHeader, name: string, count: number) {
  return (key: string, range: OrdinalRange | null | undefined): Uint32Array => {
    if (!range || range.count === 0) return NO_ORDINALS
    const { at, length } = valuesSpan(header, name, range.start, range.count)
    const ordinals = ordinalsIn(file.read(at, length), range)
    if (ordinals.at(-1)! < count) return ordinals
    throw new SnapshotError('malformed', `the posting list of ${key} is damaged`)
  }
}

const byName = <T>(make: (name: ListName) => T): Record<ListName, T> =>
  Object.fromEntries(LIST_NAMES.map((name) => [name, make(name)])) as Record<ListName, T>

function openList(table: ListTable, file: OpenObject, open: (role: Role, name: string) => OpenObject): OpenList {
  const { name } = table
  const list = listOf(table, (at, length) => file.read(at, length))
  const pages = new Map(
    Object.keys(list.orders).map((sort) => [sort, open('pages', listPagesName(name, sort))] as const),
  )
  const catalog = list.entries ? open('catalog', name satisfies ListName as CatalogName) : null
  return {
    ...list,
    page(sort, page) {
      const from = pages.get(sort)
      const at = list.orders[sort]?.pagesAt[page]
      if (!from || at === undefined)
        throw new SnapshotError('malformed', `${name} has no page ${page} in sort order ${sort}`)
      const end = list.orders[sort]!.pagesAt[page + 1] ?? from.size
      return readMember(from, at, end - at, pageKey(page))
    },
    entry(ordinal) {
      const { entries } = list
      if (!catalog || !entries) throw new SnapshotError('malformed', `${name} has no entries`)
      return readMember(catalog, entries.at[ordinal]!, entries.length[ordinal]!, catalogKey(list.id(ordinal)))
    },
  }
}

/** The key is checked, because a list's position may be wrong. */
function readMember(object: OpenObject, at: number, length: number, key: string): ReadMember {
  const bytes = object.read(at, length)
  const head = decodeMemberHead(bytes)
  if (head.key !== key) throw new SnapshotError('malformed', `a list points to ${head.key} for ${key}`)
  return { ...head, bytes }
}
