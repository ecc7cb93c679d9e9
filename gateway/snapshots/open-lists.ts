/** The lists of an open snapshot: tables in memory, pages and entries in open files. */

import { listPagesName } from '../../corpus/snapshot/derived.ts'
import {
  type CatalogName,
  catalogKey,
  cursorId,
  decodeListTable,
  decodeMemberHead,
  emptyListTable,
  type FileEntry,
  fileOf,
  forEachFilter,
  hasPackages,
  indexIn,
  isTextOffsets,
  type KeyedPostings,
  LIST_NAMES,
  LISTED,
  LISTS,
  type List,
  type Listed,
  type ListName,
  type ListPostings,
  type ListSpec,
  type ListTable,
  listOf,
  type Manifest,
  type OpenObject,
  pageKey,
  type ReadMember,
  type Role,
  readObject,
  SnapshotError,
  textIndex,
} from '../../corpus/snapshot/index.ts'

export interface OpenList extends List {
  id(ordinal: number): string
  /** Returns undefined for an unknown id. Finds vendors and products by each of their spellings (rule 27). */
  ordinalOf(id: string): number | undefined
  /** For ids that are too long for a cursor, by their truncated form. */
  ordinalOfCut(kept: string): number | undefined
  /** In the stored direction. */
  page(sort: string, page: number): ReadMember
  entry(ordinal: number): ReadMember
}

export type OpenLists = Record<ListName, OpenList>

export type ListTables = Record<ListName, ListTable>

/** @throws SnapshotError */
export const readListTables = (dist: string, manifest: Manifest): ListTables =>
  byName((name) =>
    name === 'packages' && !hasPackages(manifest)
      ? emptyListTable(name)
      : decodeListTable(name, readObject(dist, fileOf(manifest, 'list', name))),
  )

/**
 * Opens no file of an empty list, which may have none.
 * @throws SnapshotError
 */
export const openLists = (manifest: Manifest, tables: ListTables, open: (file: FileEntry) => OpenObject): OpenLists =>
  byName((name) =>
    openList(tables[name], (role, of) => (tables[name].count === 0 ? NOTHING : open(fileOf(manifest, role, of)))),
  )

/** Returns the postings of vendors, products and packages with the ids of their lists as keys. */
export const keyedPostings = (postings: ListPostings, lists: OpenLists): Record<Listed, KeyedPostings<string>> =>
  forEachFilter((filter) => {
    const list = lists[LISTED[filter]]
    const keys: KeyedPostings<string>['keys'] = {
      get: list.ordinalOf,
      *keys() {
        for (let ordinal = 0; ordinal < list.count; ordinal++) yield list.id(ordinal)
      },
    }
    return { keys, ...postings[filter] }
  })

const NOTHING: OpenObject = {
  size: 0,
  read() {
    throw new SnapshotError('malformed', 'an empty list has no rows to read')
  },
  fd: -1,
  close() {},
}

const byName = <T>(make: (name: ListName) => T): Record<ListName, T> =>
  Object.fromEntries(LIST_NAMES.map((name) => [name, make(name)])) as Record<ListName, T>

function openList(table: ListTable, open: (role: Role, name: string) => OpenObject): OpenList {
  const { name } = table
  const object = open('list', name)
  const list = listOf(table, (at, length) => object.read(at, length))
  const pages = new Map(
    Object.keys(list.orders).map((sort) => [sort, open('pages', listPagesName(name, sort))] as const),
  )
  const catalog = list.entries ? open('catalog', name satisfies ListName as CatalogName) : null
  const { idKey } = LISTS[name] as ListSpec<never>
  const { idSlots } = table
  const ordinalOf = idSlots
    ? (id: string) => indexIn(idSlots, list.ids, id, idKey)
    : textIndex(list.ids as readonly string[], idKey)
  // Built on first use: truncated ids are rare.
  let cut: Map<string, number> | undefined
  const idOf = (ordinal: number): string => {
    const id = list.ids.at(ordinal)
    if (id === undefined) throw new SnapshotError('malformed', `${name} has no row ${ordinal}`)
    return id
  }
  return {
    ...list,
    id: idOf,
    ordinalOf,
    ordinalOfCut(kept) {
      cut ??= cutIds(isTextOffsets(table.ids) ? table.ids.long : list.ids.length, idOf)
      return cut.get(kept)
    },
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
      return readMember(catalog, entries.at[ordinal]!, entries.length[ordinal]!, catalogKey(idOf(ordinal)))
    },
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

/** The key is checked, because a list's position may be wrong. */
function readMember(object: OpenObject, at: number, length: number, key: string): ReadMember {
  const bytes = object.read(at, length)
  const head = decodeMemberHead(bytes)
  if (head.key !== key) throw new SnapshotError('malformed', `a list points to ${head.key} for ${key}`)
  return { ...head, bytes }
}
