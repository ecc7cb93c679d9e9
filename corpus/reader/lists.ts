/**
 * Lists other than CVEs. Pages in a stored order, from the first one on, come from the page shard alone. Everything else
 * needs the table of the list, which is downloaded once.
 */
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  catalogKey,
  cursorAfter,
  cursorId,
  cursorValue,
  decodeList,
  decodeMemberHead,
  ENTRY_KIND,
  fileOf,
  hasPackages,
  LISTS,
  type List,
  type ListName,
  type ListSpec,
  listOrderView,
  type Manifest,
  passingPositions,
  plainBytes,
  type RowKey,
  resume,
  SnapshotError,
  sliceAfter,
  type TextSetName,
} from '../snapshot/index.ts'
import { openListPages } from './list-pages.ts'
import type { ListQuery } from './list-query.ts'
import { type Objects, remembered } from './objects.ts'
import { namedSnapshot } from './open.ts'
import type { Pagination } from './record.ts'
import { parsedJson } from './rows.ts'
import type { TextSearch } from './text-search.ts'

/** Each method throws SnapshotError or TransferError. */
export interface Lists {
  /** Returns the table of a list; null if the snapshot of an earlier builder lacks the list. */
  table(name: ListName): Promise<List | null>
  /** @throws CursorError */
  page(query: ListQuery): Promise<{ data: object[]; pagination: Pagination }>
  /** Returns the row of an id in any spelling; null for an unknown one. */
  row(name: ListName, id: string): Promise<object | null>
  /** Returns the entry of an id in the catalog of the list's name; null for an unknown one. */
  entry(name: 'cwes' | 'capecs' | 'cnas' | 'exploits', id: string): Promise<object | null>
}

/** The texts that `q` of each list searches. */
const TEXT_SETS: Partial<Record<ListName, TextSetName>> = {
  cwes: 'cwe',
  capecs: 'capec_text',
  cnas: 'cna',
  vendors: 'vendor',
  products: 'product',
  packages: 'package',
}

/** Memory for positions of cursors that this reader issued. */
const ISSUED_BYTES = 256 * 1024
const BYTES_PER_CURSOR = 300

export function openLists(manifest: Manifest, objects: Objects, texts: TextSearch): Lists {
  const tables = new Map<string, Promise<List>>()
  const pages = openListPages(manifest, objects)
  /** The position after each row that ended a page, by list, order and key of the row. */
  const issued = generationalCache<string, { position: number }>(ISSUED_BYTES, () => BYTES_PER_CURSOR)
  const snapshot = namedSnapshot(manifest)
  const open = { current: snapshot, retained: (prefix: string) => (prefix === snapshot.prefix ? snapshot : null) }
  const isMissing = (name: ListName) => name === 'packages' && !hasPackages(manifest)

  const table = async (name: ListName): Promise<List | null> =>
    isMissing(name)
      ? null
      : remembered(tables, name, async () => {
          const list = decodeList(name, await objects.whole(fileOf(manifest, 'list', name)))
          pages.locate(list)
          return list
        })

  /** Returns rows of a sort by their ordinals, checked against the ids of the table. */
  async function rowsOf(list: List, sort: string, ordinals: readonly number[]): Promise<object[]> {
    const { positions } = list.orders[sort]!
    const rows = await pages.rows(
      list.name,
      sort,
      ordinals.map((ordinal) => positions[ordinal]!),
    )
    const spec = specOf(list.name)
    return rows.map((row, i) => {
      const [found, id] = [spec.id(row), list.id(ordinals[i]!)]
      if (found !== id) throw new SnapshotError('malformed', `the row of ${id} in ${list.name} is that of ${found}`)
      return row
    })
  }

  /** Returns the position after a key if no table is necessary for it; else null. */
  function knownPosition({ list, sort, filters }: ListQuery, after: RowKey | null): number | null {
    const { equal = {}, between = {}, q } = filters
    const isFiltered =
      q !== undefined ||
      Object.values(equal).some((value) => value !== undefined) ||
      Object.values(between).some(({ least, most }) => least !== undefined || most !== undefined)
    if (isFiltered || tables.has(list) || sort.descending !== specOf(list).sorts[sort.key]!.descending) return null
    return after === null ? 0 : (issued.get(issuedKey(list, sort.key, after))?.position ?? null)
  }

  /** Returns a page of a stored order without the table of the list. */
  async function storedPage(query: ListQuery, start: number): Promise<{ data: object[]; pagination: Pagination }> {
    const { list, sort, filters, limit } = query
    const end = Math.min(start + limit, fileOf(manifest, 'list', list).count)
    const positions = Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i)
    const data = await pages.rows(list, sort.key, positions)
    const last = data.at(-1)
    if (last === undefined || end === fileOf(manifest, 'list', list).count) {
      return { data, pagination: { limit, next_cursor: null } }
    }
    const spec = specOf(list)
    const key = { value: cursorValue(spec.sorts[sort.key]!.key(last)), id: cursorId(spec.id(last)) }
    issued.set(issuedKey(list, sort.key, key), { position: end })
    return { data, pagination: { limit, next_cursor: cursorAfter(snapshot, { list, sort, filters }, key) } }
  }

  return {
    table,
    async page(query) {
      const { list: name, sort, filters, limit, cursor } = query
      const { after } = resume(open, cursor, { list: name, sort, filters }, ({ id }) => id !== '')
      const none = { data: [], pagination: { limit, next_cursor: null } }
      if (isMissing(name) || fileOf(manifest, 'list', name).count === 0) return none
      const known = knownPosition(query, after)
      if (known !== null) return storedPage(query, known)
      const searched = filters.q === undefined ? null : texts.matches(TEXT_SETS[name]!, filters.q)
      const [list, matches] = await Promise.all([table(name).then((one) => one!), searched])
      const order = listOrderView(list, sort)
      const { end, count, ordinals } = sliceAfter(order, passingPositions(list, order, filters, matches), after, limit)
      const last = ordinals.at(-1)
      const more = end < count && last !== undefined
      return {
        data: await rowsOf(list, sort.key, ordinals),
        pagination: {
          limit,
          next_cursor: more ? cursorAfter(snapshot, { list: name, sort, filters }, order.keyOf(last)) : null,
        },
      }
    },

    async row(name, id) {
      const list = await table(name)
      const ordinal = list?.ordinalOf(id)
      if (!list || ordinal === undefined) return null
      return (await rowsOf(list, specOf(name).main, [ordinal]))[0]!
    },

    async entry(name, id) {
      const list = (await table(name))!
      const ordinal = list.ordinalOf(id)
      if (ordinal === undefined) return null
      if (!list.entries) throw new SnapshotError('malformed', `${name} has no entries`)
      const span = { at: list.entries.at[ordinal]!, length: list.entries.length[ordinal]! }
      const bytes = (await objects.parts(fileOf(manifest, 'catalog', name), [span]))[0]!
      const { key, segments } = decodeMemberHead(bytes)
      const wanted = catalogKey(list.id(ordinal))
      if (key !== wanted) throw new SnapshotError('malformed', `a list points to ${key} for ${wanted}`)
      const [segment] = segments
      if (segment?.kind !== ENTRY_KIND) throw new SnapshotError('malformed', `${key} is not a catalog entry`)
      return parsedJson(plainBytes(bytes, segment).toString()) as object
    },
  }
}

/** Each list has rows of its own type. */
const specOf = (name: ListName) => LISTS[name] as unknown as ListSpec<object>

const issuedKey = (list: ListName, sort: string, key: RowKey) => JSON.stringify([list, sort, key.value, key.id])
