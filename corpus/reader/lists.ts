/**
 * Lists other than CVEs. Pages in a stored order, from the first one on, come from the page shard alone, and single rows
 * of large lists from their keys. Everything else needs the table of the list, which is downloaded once.
 */
import type { Span } from '../repository/read.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  type CursorBinding,
  catalogKey,
  cursorAfter,
  cursorBinding,
  cursorId,
  cursorValue,
  decodeList,
  decodeMemberHead,
  ENTRY_KIND,
  fileOf,
  intersection,
  type List,
  type ListName,
  listOrderView,
  lowerBound,
  type Manifest,
  passingPositions,
  plainBytes,
  type RowKey,
  resume,
  SnapshotError,
  sliceAfter,
  specOf,
  type TextSetName,
} from '../snapshot/index.ts'
import { type ListKeys, openListKeys } from './list-keys.ts'
import { openListPages } from './list-pages.ts'
import type { ListQuery } from './list-query.ts'
import { type Objects, remembered } from './objects.ts'
import { namedSnapshot } from './open.ts'
import type { Pagination } from './record.ts'
import { parsedJson } from './rows.ts'
import type { TableHeaders } from './table-headers.ts'
import type { TextSearch } from './text-search.ts'

interface Page {
  data: object[]
  pagination: Pagination
}

/** Each method throws SnapshotError or TransferError. */
export interface Lists {
  table(name: ListName): Promise<List>
  /** Finds single rows of large lists. */
  readonly keys: ListKeys
  /** @throws CursorError */
  page(query: ListQuery): Promise<Page>
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

export function openLists(manifest: Manifest, objects: Objects, headers: TableHeaders, texts: TextSearch): Lists {
  const tables = new Map<string, Promise<List>>()
  const pages = openListPages(manifest, objects)
  const keys = openListKeys(manifest, objects, headers, pages)
  /** The position after each row that ended a page, by list, order and key of the row. */
  const issued = generationalCache<string, { position: number }>(ISSUED_BYTES, () => BYTES_PER_CURSOR)
  const snapshot = namedSnapshot(manifest)
  const open = { current: snapshot, retained: (prefix: string) => (prefix === snapshot.prefix ? snapshot : null) }

  const table = async (name: ListName): Promise<List> =>
    remembered(tables, name, async () => {
      const list = decodeList(name, await objects.whole(fileOf(manifest, 'list', name)))
      pages.locate(name, list.orders)
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
    const spec = specOf<object>(list.name)
    return rows.map((row, i) => {
      const [found, id] = [spec.id(row), list.id(ordinals[i]!)]
      if (found !== id) throw new SnapshotError('malformed', `the row of ${id} in ${list.name} is that of ${found}`)
      return row
    })
  }

  /** Returns where the entry of an id is in the catalog shard of the list's name; null for an unknown id. */
  async function located(name: ListName, id: string): Promise<{ id: string; span: Span } | null> {
    if (!tables.has(name) && keys.has(name)) {
      const found = await keys.find(name, id)
      return found && { id: specOf<object>(name).id(found.row), span: await keys.entryOf(name, found) }
    }
    const list = await table(name)
    const ordinal = list.ordinalOf(id)
    if (ordinal === undefined) return null
    if (!list.entries) throw new SnapshotError('malformed', `${name} has no entries`)
    return { id: list.id(ordinal), span: { at: list.entries.at[ordinal]!, length: list.entries.length[ordinal]! } }
  }

  /** Returns the position after a key in a stored order; null if only the table knows it. */
  async function positionAfter({ list, sort }: ListQuery, after: RowKey | null): Promise<number | null> {
    if (after === null) return 0
    const known = issued.get(issuedKey(list, sort.key, after))
    if (known) return known.position
    const spec = specOf<object>(list)
    if (sort.key !== spec.main || !keys.has(list)) return null
    const found = await keys.find(list, after.id)
    const isSame = found && spec.id(found.row) === after.id && keyOf(sort.key, list, found.row).value === after.value
    return isSame ? found.ordinal + 1 : null
  }

  /** Returns the ascending positions in the main order that pass; null if all rows do. */
  async function passingWithoutTable({ list, filters: { q, equal = {} } }: ListQuery): Promise<Uint32Array | null> {
    const { vendor } = equal
    const matches = q === undefined ? null : texts.matches(TEXT_SETS[list]!, q)
    const products =
      vendor === undefined
        ? null
        : keys.find('vendors', vendor).then((found) => (found ? keys.productsOf(found) : new Uint32Array()))
    const sets = (await Promise.all([matches, products])).filter((set) => set !== null)
    return sets.length === 0 ? null : intersection(sets)
  }

  /** Returns a page of a stored order without the table of the list; null if it is necessary. */
  async function pageWithoutTable(
    query: ListQuery,
    binding: CursorBinding,
    after: RowKey | null,
  ): Promise<Page | null> {
    const { list, sort, filters, limit } = query
    const { q, equal: { vendor, ...others } = {}, between = {} } = filters
    const spec = specOf<object>(list)
    if (tables.has(list) || sort.descending !== spec.sorts[sort.key]!.descending) return null
    const isBounded = Object.values(between).some(({ least, most }) => least !== undefined || most !== undefined)
    if (isBounded || Object.values(others).some((value) => value !== undefined)) return null
    const isFiltered = q !== undefined || vendor !== undefined
    if (isFiltered) {
      if (sort.key !== spec.main || !keys.has(list) || (vendor !== undefined && !keys.has('vendors'))) return null
      await keys.locate(list)
    }
    const position = await positionAfter(query, after)
    if (position === null) return null
    const passing = isFiltered ? await passingWithoutTable(query) : null
    const count = passing?.length ?? fileOf(manifest, 'list', list).count
    const start = passing ? lowerBound(passing, position) : position
    const end = Math.min(start + limit, count)
    const positions = Array.from({ length: Math.max(0, end - start) }, (_, i) => passing?.[start + i] ?? start + i)
    const data = await pages.rows(list, sort.key, positions)
    const last = data.at(-1)
    if (last === undefined || end === count) return { data, pagination: { limit, next_cursor: null } }
    const key = keyOf(sort.key, list, last)
    issued.set(issuedKey(list, sort.key, key), { position: positions.at(-1)! + 1 })
    return { data, pagination: { limit, next_cursor: cursorAfter(snapshot, binding, key) } }
  }

  return {
    table,
    keys,
    async page(query) {
      const { list: name, sort, filters, limit, cursor } = query
      const binding = cursorBinding(name, sort, filters)
      const { after } = resume(open, cursor, binding, ({ id }) => id !== '')
      const none = { data: [], pagination: { limit, next_cursor: null } }
      if (fileOf(manifest, 'list', name).count === 0) return none
      const page = await pageWithoutTable(query, binding, after)
      if (page) return page
      const searched = filters.q === undefined ? null : texts.matches(TEXT_SETS[name]!, filters.q)
      const [list, matches] = await Promise.all([table(name), searched])
      const order = listOrderView(list, sort)
      const { end, count, ordinals } = sliceAfter(order, passingPositions(list, order, filters, matches), after, limit)
      const last = ordinals.at(-1)
      const more = end < count && last !== undefined
      return {
        data: await rowsOf(list, sort.key, ordinals),
        pagination: {
          limit,
          next_cursor: more ? cursorAfter(snapshot, binding, order.keyOf(last)) : null,
        },
      }
    },

    async row(name, id) {
      if (!tables.has(name) && keys.has(name)) return (await keys.find(name, id))?.row ?? null
      const list = await table(name)
      const ordinal = list.ordinalOf(id)
      if (ordinal === undefined) return null
      return (await rowsOf(list, specOf<object>(name).main, [ordinal]))[0]!
    },

    async entry(name, id) {
      const found = await located(name, id)
      if (!found) return null
      const bytes = (await objects.parts(fileOf(manifest, 'catalog', name), [found.span]))[0]!
      const { key, segments } = decodeMemberHead(bytes)
      const wanted = catalogKey(found.id)
      if (key !== wanted) throw new SnapshotError('malformed', `a list points to ${key} for ${wanted}`)
      const [segment] = segments
      if (segment?.kind !== ENTRY_KIND) throw new SnapshotError('malformed', `${key} is not a catalog entry`)
      return parsedJson(plainBytes(bytes, segment).toString()) as object
    },
  }
}

const keyOf = (sort: string, list: ListName, row: object): RowKey => {
  const { sorts, id } = specOf<object>(list)
  return { value: cursorValue(sorts[sort]!.key(row)), id: cursorId(id(row)) }
}

const issuedKey = (list: ListName, sort: string, key: RowKey) => JSON.stringify([list, sort, key.value, key.id])
