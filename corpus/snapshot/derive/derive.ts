/**
 * What is rebuilt from the CVE shards, the catalogues and the EPSS scores: index, columns, orders, lists, pages and
 * `query.db`. The builder writes it, a mirror may rebuild it: the same input gives the same content digests anywhere.
 */

import { setImmediate } from 'node:timers/promises'
import { CATALOGS, type CatalogName, catalogKey, type PlacedEntry } from '../catalog.ts'
import { collect } from '../collect.ts'
import { sha256 } from '../digest.ts'
import { type EpssColumns, NO_EPSS } from '../epss.ts'
import { LIST_NAMES, LISTS, type ListName } from '../lists.ts'
import type { Role } from '../manifest.ts'
import { CVE_SORTS } from '../order.ts'
import { heard, type Pool, type TaskResult } from '../pool.ts'
import { buildQueryDb } from '../query/build.ts'
import { openSet, type PackedSet } from '../query/sets.ts'
import { type Columns, decodeColumns, encodeColumns } from './columns.ts'
import { encodeIndex, type Index, indexContent, indexOf } from './index-table.ts'
import { type CatalogEntries, listRows } from './list-rows.ts'
import { encodeList, type ListPlaces, listContent } from './lists.ts'
import { noNames } from './name-counts.ts'
import { encodeOrders, type Order, type Orders, ordersContent, type SortedOrders, sortOrders } from './orders.ts'
import { type PageSource, type WrittenPages, writePages } from './pages.ts'
import type { Rows } from './rows.ts'
import { type SortedList, sortList } from './sorted-list.ts'
import { cveTexts, listTexts } from './texts.ts'

/** A temporary file; its digest and size where whoever wrote it has taken them. */
export interface TemporaryFile {
  path: string
  known?: { sha256: string; size: number }
}

/** A derived file, ready to be put into a `dist`: its bytes, or the temporary file that holds them. */
export interface DerivedFile {
  role: Role
  name: string
  content: string
  count: number
  from: Uint8Array | TemporaryFile
}

/** The tasks that run in worker threads: a task module spreads them into its own `tasks`. */
export const deriveTasks = {
  pages({ path, source }: { path: string; source: PageSource }): TaskResult {
    return { value: writePages(source, path) }
  },
  query({ path, texts }: { path: string; texts: PackedSet[] }): TaskResult {
    return { value: buildQueryDb(path, texts.map(openSet)) }
  },
}

/** What everything is derived from. */
export interface DeriveInput {
  rows: Rows
  epss: EpssColumns
  catalogs: Record<CatalogName, readonly PlacedEntry[]>
  /** The newest date that the CVE list states: what "the last year" counts back from. */
  corpusDate: string | null
  /** Work of the caller's on the rows while they are whole and the threads are busy. */
  meanwhile?(): void
}

/** What is derived of the CVEs by themselves, before anything of it is encoded or compressed. */
export interface DerivedCves {
  index: Index
  columns: Columns
  columnBytes: Buffer
  sorted: SortedOrders
}

export function deriveCves({ rows, epss }: DeriveInput): DerivedCves {
  const columnBytes = encodeColumns(rows)
  const columns = decodeColumns(columnBytes)
  const { published, updated, score: cvss, row } = columns
  const epssKeys = Float64Array.from(row, (one) => scoreOf(epss, one))
  return {
    index: indexOf(rows),
    columns,
    columnBytes,
    sorted: sortOrders({ published, updated, cvss, epss: epssKeys }, row),
  }
}

/**
 * The lists and all that can be searched; the rows have no `names` afterwards. Between its steps it lets the caller's
 * thread see to others: those who wait for their next task would otherwise stand still for seconds.
 */
export async function deriveLists(
  { rows, catalogs, corpusDate }: DeriveInput,
  { row }: Columns,
): Promise<{ lists: SortedList[]; texts: PackedSet[] }> {
  const parsed = <T>(name: CatalogName) => catalogs[name].map(({ text }) => JSON.parse(text) as T)
  const entries: CatalogEntries = {
    cwes: parsed('cwes'),
    capecs: parsed('capecs'),
    cnas: parsed('cnas'),
    exploits: parsed('exploits'),
  }
  await setImmediate()
  const { lists, stats } = listRows(rows, entries, corpusDate)
  // The lists have all of it now, and it is as much again.
  rows.names = noNames()
  await setImmediate()
  const texts = [cveTexts(rows, row), ...listTexts(lists)]
  const sorted: SortedList[] = []
  for (const name of LIST_NAMES) {
    await setImmediate()
    sorted.push(sortList(name, lists[name] as never, name === 'cnas' ? stats : null))
    // The rows of a list are let go as soon as their text is there.
    lists[name] = []
  }
  return { lists: sorted, texts }
}

/** Derives everything; `temporary` says where a file of that name may be written. */
export async function* deriveFiles(
  pool: Pool,
  input: DeriveInput,
  temporary: (name: string) => string,
): AsyncGenerator<DerivedFile> {
  const { rows, epss, catalogs } = input
  const { index, columns, columnBytes, sorted } = deriveCves(input)
  const pages = openPages(pool, temporary)
  const queryPath = temporary('query.db')
  // What is left of putting the shards together.
  collect()
  for (const sort of CVE_SORTS) pages.start(sort, cvePages(rows, epss, rowsOf(columns, sorted[sort])))
  // A third of all that is held, and nothing but the pages is made of it.
  rows.cores = []
  input.meanwhile?.()
  const { lists, texts } = await deriveLists(input, columns)
  yield table('index', 'cve', encodeIndex(index), indexContent(index), rows.count)
  yield table('columns', 'cve', columnBytes, sha256(columnBytes), rows.count)
  const orders: Partial<Orders> = {}
  for (const sort of CVE_SORTS) {
    const { at, file } = await pages.take(sort)
    yield file
    orders[sort] = { ...sorted[sort], pagesAt: at } satisfies Order
  }
  yield table('orders', 'cve', encodeOrders(orders as Orders), ordersContent(sorted), rows.count)

  // Threads that stand idle collect nothing, and neither does this one while it waits for them.
  await pool.renew()
  collect()
  const query = heard(pool.run<{ content: string; count: number }>('query', { path: queryPath, texts }))
  for (const list of lists) {
    for (const sort of Object.keys(list.orders)) pages.start(listPagesName(list.name, sort), listPages(list, sort))
  }
  for (const list of lists) {
    const pagesAt: ListPlaces['pagesAt'] = {}
    for (const sort of Object.keys(list.orders)) {
      const { at, file } = await pages.take(listPagesName(list.name, sort))
      yield file
      pagesAt[sort] = at
    }
    const places = { pagesAt, entries: entryPlaces(list, catalogs) }
    yield table('list', list.name, encodeList(list, places), listContent(list), list.ids.length)
  }
  yield { role: 'query', name: 'cve', ...(await query), from: { path: queryPath } }
}

/** How many files `deriveFiles` gives. */
export const DERIVED_FILES =
  4 + CVE_SORTS.length + LIST_NAMES.reduce((sum, name) => sum + 1 + Object.keys(LISTS[name].sorts).length, 0)

function table(role: Role, name: string, bytes: Buffer, content: string, count: number): DerivedFile {
  return { role, name, content, count, from: bytes }
}

/** Page shards under way, by name. */
function openPages(pool: Pool, temporary: (name: string) => string) {
  const under = new Map<string, Promise<WrittenPages>>()
  const pathOf = (name: string) => temporary(`pages.${name}`)
  return {
    start: (name: string, source: PageSource) =>
      void under.set(name, heard(pool.run('pages', { path: pathOf(name), source }))),
    async take(name: string): Promise<{ at: Uint32Array; file: DerivedFile }> {
      const { at, content, ...known } = await under.get(name)!
      under.delete(name)
      const from = { path: pathOf(name), known }
      return { at, file: { role: 'pages', name, content, count: at.length, from } }
    },
  }
}

/** What the page shard of a list in one of its sorts is called. */
export const listPagesName = (list: ListName, sort: string) => `${list}.${sort}`

/** Where the entries of a list lie in its catalog shard; null for a list without one. */
export function entryPlaces(list: SortedList, catalogs: DeriveInput['catalogs']): ListPlaces['entries'] {
  if (!isCatalog(list.name)) return null
  const byKey = new Map(catalogs[list.name].map((entry) => [entry.key, entry]))
  const placed = list.ids.map((id) => byKey.get(catalogKey(id))!)
  return {
    at: Uint32Array.from(placed, ({ at }) => at),
    length: Uint32Array.from(placed, ({ length }) => length),
  }
}

const isCatalog = (name: ListName): name is ListName & CatalogName => CATALOGS.includes(name as CatalogName)

/** The rows of an order. */
export function rowsOf(columns: Columns, { ordinals }: Pick<Order, 'ordinals'>): Uint32Array {
  return ordinals.map((ordinal) => columns.row[ordinal]!)
}

const scoreOf = (epss: EpssColumns, row: number) => (epss.scores[row] === NO_EPSS ? Number.NaN : epss.scores[row]!)

/** The CVEs in one order. */
export const cvePages = (
  { cores, shard, coreFrom, coreTo }: Rows,
  epss: EpssColumns,
  rows: Uint32Array,
): PageSource => ({
  texts: { chunks: cores, chunkOf: shard, from: coreFrom, to: coreTo },
  epss,
  rows,
})

/** A list in one order. */
export const listPages = ({ texts: { bytes, at }, orders }: SortedList, sort: string): PageSource => ({
  texts: { chunks: [bytes], chunkOf: null, from: at, to: at.subarray(1) },
  epss: null,
  rows: orders[sort]!.ordinals,
})
