/** The lists of an open snapshot: their tables in memory, pages and entries as open files. */
import { type CatalogName, catalogKey } from '../../corpus/snapshot/catalog.ts'
import { cursorId } from '../../corpus/snapshot/cursor.ts'
import { listPagesName } from '../../corpus/snapshot/derive/derive.ts'
import { decodeList, type List } from '../../corpus/snapshot/derive/lists.ts'
import { pageKey } from '../../corpus/snapshot/derive/pages.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { fileOf, type OpenObject, readObject } from '../../corpus/snapshot/layout.ts'
import { LIST_NAMES, type ListName } from '../../corpus/snapshot/lists.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/manifest.ts'
import { decodeMemberHead } from '../../corpus/snapshot/member.ts'
import type { ReadMember } from './open-snapshot.ts'

export interface OpenList extends List {
  /** The ordinal of an id, or undefined where the list has no such row. */
  ordinalOf(id: string): number | undefined
  /** The same of an id that was too long for a cursor, by what the cursor keeps of it. */
  ordinalOfCut(kept: string): number | undefined
  /** A page of a sort, in the direction in which it is stored. */
  page(sort: string, page: number): ReadMember
  /** The entry of a row in the catalogue that the list is made of. */
  entry(ordinal: number): ReadMember
}

export type OpenLists = Record<ListName, OpenList>

/** @throws SnapshotError */
export function openLists(dist: string, manifest: Manifest, open: (file: FileEntry) => OpenObject): OpenLists {
  const lists = LIST_NAMES.map((name) => [name, openList(dist, manifest, name, open)] as const)
  return Object.fromEntries(lists) as OpenLists
}

function openList(dist: string, manifest: Manifest, name: ListName, open: (file: FileEntry) => OpenObject): OpenList {
  const list = decodeList(name, readObject(dist, fileOf(manifest, 'list', name)))
  const pages = new Map(
    Object.keys(list.orders).map((sort) => [sort, open(fileOf(manifest, 'pages', listPagesName(name, sort)))] as const),
  )
  const catalog = list.entries ? open(fileOf(manifest, 'catalog', name satisfies ListName as CatalogName)) : null
  // Both made when they are first needed: of most snapshots that are retained nobody asks a detail.
  let ordinals: Map<string, number> | undefined
  let cut: Map<string, number> | undefined
  return {
    ...list,
    ordinalOf(id) {
      ordinals ??= new Map(list.ids.map((one, ordinal) => [one, ordinal]))
      return ordinals.get(id)
    },
    ordinalOfCut(kept) {
      cut ??= new Map(
        list.ids.flatMap((id, ordinal) => (cursorId(id) === id ? [] : [[cursorId(id), ordinal] as const])),
      )
      return cut.get(kept)
    },
    page(sort, page) {
      const from = pages.get(sort)
      const at = list.orders[sort]?.pagesAt[page]
      if (!from || at === undefined) throw new SnapshotError('malformed', `${name} has no page ${page} by ${sort}`)
      const end = list.orders[sort]!.pagesAt[page + 1] ?? from.size
      return readMember(from, at, end - at, pageKey(page))
    },
    entry(ordinal) {
      const { entries } = list
      if (!catalog || !entries) throw new SnapshotError('malformed', `${name} has no entries`)
      return readMember(catalog, entries.at[ordinal]!, entries.length[ordinal]!, catalogKey(list.ids[ordinal]!))
    },
  }
}

/** The member with this key, and no other: a list may lie about where it is, an answer must not. */
function readMember(object: OpenObject, at: number, length: number, key: string): ReadMember {
  const bytes = object.read(at, length)
  const head = decodeMemberHead(bytes)
  if (head.key !== key) throw new SnapshotError('malformed', `a list leads to ${head.key} for ${key}`)
  return { ...head, bytes }
}
