/**
 * What is rebuilt from the CVE shards, the catalogues and the EPSS scores: index, columns, orders, lists, pages and
 * `query.db`. The builder writes it, a mirror may rebuild it: the same input gives the same content digests anywhere.
 */

import { CATALOGS, type CatalogName, catalogKey, type PlacedEntry } from '../catalog.ts'
import { sha256 } from '../digest.ts'
import { type EpssColumns, NO_EPSS } from '../epss.ts'
import { readObject } from '../layout.ts'
import { LIST_NAMES, LISTS, type ListName } from '../lists.ts'
import type { FileEntry, Role } from '../manifest.ts'
import { CVE_SORTS } from '../order.ts'
import { type Pool, runInOrder, type TaskResult } from '../pool.ts'
import { buildQueryDb } from '../query/build.ts'
import type { TextSet } from '../query/sets.ts'
import { type Columns, decodeColumns, encodeColumns } from './columns.ts'
import { type GatheredShard, gatherShard } from './gather.ts'
import { encodeIndex, type Index, indexContent, indexOf } from './index-table.ts'
import { type CatalogEntries, listRows } from './list-rows.ts'
import { encodeList, type ListPlaces, listContent, type SortedList, sortList } from './lists.ts'
import { encodeOrders, type Order, type Orders, ordersContent, type SortedOrders, sortOrders } from './orders.ts'
import {
  type CvePageRun,
  cvePages,
  type EncodedPages,
  encodePages,
  type PageRun,
  type PageSource,
  pagesDigest,
  runsOf,
} from './pages.ts'
import type { Rows } from './rows.ts'
import { cveTexts, listTexts } from './texts.ts'

/** A derived file, ready to be put into a `dist`: its bytes, or the path of a temporary file that holds them. */
export interface DerivedFile {
  role: Role
  name: string
  content: string
  count: number
  from: Uint8Array | { path: string }
}

/** The tasks that run in worker threads: a task module spreads them into its own `tasks`. */
export const deriveTasks = {
  gather({ dist, file }: { dist: string; file: FileEntry }): TaskResult {
    const value = gatherShard(readObject(dist, file))
    return { value, transfer: [value.cores.buffer as ArrayBuffer] }
  },
  cvePages({ source, run }: { source: PageSource; run: CvePageRun }): TaskResult {
    return encoded(cvePages(source, run))
  },
  listPages(run: PageRun): TaskResult {
    return encoded(run)
  },
  query({ path, texts }: { path: string; texts: TextSet[] }): TaskResult {
    return { value: buildQueryDb(path, texts) }
  },
}

function encoded(run: PageRun): TaskResult {
  const value = encodePages(run)
  return { value, transfer: [value.bytes.buffer as ArrayBuffer] }
}

/** Reads the CVE shards `files`, in order, from `dist`. */
export async function* gatherShards(
  pool: Pool,
  dist: string,
  files: readonly FileEntry[],
): AsyncGenerator<{ name: string; shard: GatheredShard }> {
  const inputs = files.map((file) => ({ dist, file }))
  let next = 0
  for await (const shard of runInOrder<GatheredShard>(pool, 'gather', inputs))
    yield { name: files[next++]!.name, shard }
}

/** What everything is derived from. */
export interface DeriveInput {
  rows: Rows
  epss: EpssColumns
  catalogs: Record<CatalogName, readonly PlacedEntry[]>
  /** The newest date that the CVE list states: what "the last year" counts back from. */
  corpusDate: string | null
}

/** What is derived, before anything of it is encoded or compressed. */
export interface Derived {
  index: Index
  columns: Columns
  columnBytes: Buffer
  sorted: SortedOrders
  lists: SortedList[]
  texts: TextSet[]
}

export function derive({ rows, epss, catalogs, corpusDate }: DeriveInput): Derived {
  const columnBytes = encodeColumns(rows)
  const columns = decodeColumns(columnBytes)
  const { published, updated, score: cvss, row } = columns
  const epssKeys = Float64Array.from(row, (one) => scoreOf(epss, one))
  const parsed = <T>(name: CatalogName) => catalogs[name].map(({ text }) => JSON.parse(text) as T)
  const entries: CatalogEntries = {
    cwes: parsed('cwes'),
    capecs: parsed('capecs'),
    cnas: parsed('cnas'),
    exploits: parsed('exploits'),
  }
  const { lists, stats } = listRows(rows, entries, corpusDate)
  return {
    index: indexOf(rows),
    columns,
    columnBytes,
    sorted: sortOrders({ published, updated, cvss, epss: epssKeys }, row),
    lists: LIST_NAMES.map((name) => sortList(name, lists[name] as never, name === 'cnas' ? stats : null)),
    texts: [cveTexts(rows, row), ...listTexts(lists)],
  }
}

/** Derives everything; `queryPath` is where `query.db` may be written. */
export async function* deriveFiles(pool: Pool, input: DeriveInput, queryPath: string): AsyncGenerator<DerivedFile> {
  const { rows, epss, catalogs } = input
  const { index, columns, columnBytes, sorted, lists, texts } = derive(input)
  const query = pool.run<{ content: string; count: number }>('query', { path: queryPath, texts })
  // Awaited at the end; until then a failure elsewhere must not leave this one unheard.
  query.catch(() => {})

  yield table('index', 'cve', encodeIndex(index), indexContent(index), rows.count)
  yield table('columns', 'cve', columnBytes, sha256(columnBytes), rows.count)
  const source = pageSource(rows, epss)
  const orders: Partial<Orders> = {}
  for (const sort of CVE_SORTS) {
    const pages = await joined(runInOrder(pool, 'cvePages', cvePageInputs(source, rowsOf(columns, sorted[sort]))))
    yield { role: 'pages', name: sort, ...pages.file }
    orders[sort] = { ...sorted[sort], pagesAt: pages.at } satisfies Order
  }
  yield table('orders', 'cve', encodeOrders(orders as Orders), ordersContent(sorted), rows.count)
  for (const list of lists) {
    const pagesAt: ListPlaces['pagesAt'] = {}
    for (const sort of Object.keys(list.orders)) {
      const pages = await joined(runInOrder(pool, 'listPages', listPageInputs(list, sort)))
      yield { role: 'pages', name: listPagesName(list.name, sort), ...pages.file }
      pagesAt[sort] = pages.at
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

/** The inputs of the page tasks of an order of CVEs. */
export function* cvePageInputs(
  source: PageSource,
  rows: Uint32Array,
): Generator<{ source: PageSource; run: CvePageRun }> {
  for (const run of runsOf(rows)) yield { source, run }
}

/** The inputs of the page tasks of an order of a list. */
export function* listPageInputs({ texts, orders }: SortedList, sort: string): Generator<PageRun> {
  for (const { rows, firstPage } of runsOf(orders[sort]!.ordinals)) {
    yield { texts: Array.from(rows, (ordinal) => texts[ordinal]!), firstPage }
  }
}

async function joined(encodedRuns: AsyncIterable<EncodedPages>) {
  const runs: EncodedPages[] = []
  for await (const run of encodedRuns) runs.push(run)
  const at: number[] = []
  let end = 0
  for (const { lengths } of runs) {
    for (const length of lengths) {
      at.push(end)
      end += length
    }
  }
  const bytes = Buffer.concat(runs.map((run) => run.bytes))
  const content = pagesDigest(runs.flatMap(({ heads }) => heads))
  return { at: Uint32Array.from(at), file: { content, count: at.length, from: bytes } }
}

/** What page tasks read, in memory that all threads share. */
export function pageSource(rows: Rows, epss: EpssColumns): PageSource {
  return {
    cores: rows.cores,
    coreAt: rows.coreAt,
    epss: { ...epss, scores: shared(epss.scores), percentiles: shared(epss.percentiles) },
  }
}

function shared(values: Uint32Array): Uint32Array {
  const copy = new Uint32Array(new SharedArrayBuffer(values.byteLength))
  copy.set(values)
  return copy
}
