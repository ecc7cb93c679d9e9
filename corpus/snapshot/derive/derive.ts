/**
 * Derives indexes, columns, orders, lists, pages, aliases and `query.db` from the shards, catalogs and EPSS scores, for
 * builder and mirror. Equal input gives equal content digests everywhere.
 */

import { setImmediate } from 'node:timers/promises'
import type { LastUpdate } from '../../model/last-update.ts'
import { sha256 } from '../../runtime/digest.ts'
import { handleLater, type Pool, type TaskResult } from '../../runtime/pool.ts'
import { gzipFile } from '../codec/deflate.ts'
import { LIST_NAMES, LISTS, type ListName, listPagesName } from '../cursor/lists.ts'
import { CVE_SORTS } from '../cursor/order.ts'
import type { Role } from '../files/manifest.ts'
import { encodeStats } from '../files/stats.ts'
import { type WordSource, writeEntries, writeWords } from '../query/build.ts'
import { openTexts, type PackedTexts } from '../query/sets.ts'
import { CATALOGS, type CatalogName, catalogKey, type LocatedEntry } from '../record/catalog.ts'
import { type EpssColumns, NO_EPSS } from '../record/epss.ts'
import type { AdvisoryRows, HashedRows, PackageRows } from './advisory-rows.ts'
import { encodeAliasBuckets } from './alias-buckets.ts'
import { type AliasSets, aliasSets, encodeAliases } from './aliases.ts'
import { type Columns, decodeColumns, encodeColumns } from './columns.ts'
import { encodeHashedTable, hashedContent, hashedTable } from './hashed-index.ts'
import { encodeIndex, type Index, indexContent, indexOf } from './index-table.ts'
import { encodeListKeys, hasListKeys, listKeysName } from './list-keys.ts'
import {
  countListed,
  cvesOfPackages,
  encodeListPostings,
  forEachFilter,
  LISTED,
  type ListedCves,
  type ListPostings,
  listPostings,
} from './list-postings.ts'
import { type CatalogEntries, type ListRows, listRows, packageRows } from './list-rows.ts'
import { encodeList, type ListPositions, listContent, storedListContent } from './lists.ts'
import { noNamed, noNames } from './name-counts.ts'
import {
  encodeOrders,
  type Order,
  type Orders,
  ordersContent,
  type SortedOrders,
  type SortKeys,
  sortOrders,
} from './orders.ts'
import { encodePageStarts, pageStarts, pageStartsContent } from './page-starts.ts'
import { type PageSource, type WrittenPages, writePages } from './pages.ts'
import { encodeRowTable } from './row-table.ts'
import type { Rows } from './rows.ts'
import { mainOrder, ordered, type SortedList, sortList } from './sorted-list.ts'
import { statsOf } from './stats.ts'
import { advisoryIds, cveTexts, listTexts, packageTexts, wordSource } from './texts.ts'

/** A temporary file, with its digest and size when its writer computed them. */
export interface TemporaryFile {
  path: string
  known?: { sha256: string; size: number }
}

export interface DerivedFile {
  role: Role
  name: string
  content: string
  count: number
  from: Uint8Array | TemporaryFile
}

/** The worker thread tasks. Task modules include them in their own `tasks`. */
export const deriveTasks = {
  pages({ path, source }: { path: string; source: PageSource }): TaskResult {
    return { value: writePages(source, path) }
  },
  words({ path, source }: { path: string; source: WordSource }): TaskResult {
    writeWords(path, source)
    return { value: null }
  },
  query({ path, texts }: { path: string; texts: PackedTexts }): TaskResult {
    return { value: writeEntries(path, openTexts(texts)) }
  },
}

export interface DeriveInput {
  rows: Rows
  epss: EpssColumns
  catalogs: Record<CatalogName, readonly LocatedEntry[]>
  /** The newest date in the CVE list. "The last year" counts back from it. */
  corpusDate: string | null
  lastUpdate: LastUpdate | null
  advisories: AdvisoryRows
  packages: PackageRows
}

export interface DerivedCves {
  index: Index
  columns: Columns
  columnBytes: Buffer
  keys: SortKeys
  sorted: SortedOrders
}

export function deriveCves({ rows, epss }: DeriveInput): DerivedCves {
  const columnBytes = encodeColumns(rows)
  const columns = decodeColumns(columnBytes)
  const { published, updated, score: cvss, row } = columns
  const epssKeys = Float64Array.from(row, (one) => scoreOf(epss, one))
  const keys = { published, updated, cvss, epss: epssKeys }
  return { index: indexOf(rows), columns, columnBytes, keys, sorted: sortOrders(keys, row) }
}

/**
 * Returns the lists, their posting lists, all searchable texts, the alias sets, and the figures as JSON. Empties
 * `rows.names`, `rows.titles`, and what packages and advisories state. Yields to the event loop between steps, so that
 * threads get work.
 */
export async function deriveLists(
  { rows, epss, catalogs, corpusDate, lastUpdate, advisories, packages }: DeriveInput,
  { row }: Columns,
): Promise<{
  lists: SortedList[]
  postings: ListPostings
  texts: PackedTexts
  aliases: AliasSets
  stats: Buffer
}> {
  const parsed = <T>(name: CatalogName) => catalogs[name].map(({ text }) => JSON.parse(text) as T)
  const entries: CatalogEntries = {
    cwes: parsed('cwes'),
    capecs: parsed('capecs'),
    cnas: parsed('cnas'),
    exploits: parsed('exploits'),
  }
  await setImmediate()
  const { lists: ofRecords, stats: cnaStats, cves } = listRows(rows, entries, corpusDate)
  const stats = encodeStats(
    statsOf({ rows, epss, corpusDate, lastUpdate }, { ...ofRecords, cvesOfVendor: cves.vendor }),
  )
  // The lists contain all of it now. Frees as much memory again.
  rows.names = noNames()
  await setImmediate()
  const sets = [cveTexts(rows, row), ...listTexts(ofRecords)]
  rows.titles = []
  const sorted: Partial<Record<ListName, SortedList>> = {}
  const sort = async (lists: Partial<ListRows>) => {
    for (const name of LIST_NAMES) {
      if (!lists[name]) continue
      await setImmediate()
      sorted[name] = sortList(name, lists[name] as never, name === 'cnas' ? cnaStats : null)
      // Frees the rows of a list as soon as its texts exist.
      delete lists[name]
    }
  }
  await sort(ofRecords)
  await setImmediate()
  const aliases = aliasSets(advisories)
  await setImmediate()
  const unsorted = packageRows(packages, aliases)
  const order = mainOrder(LISTS.packages, unsorted)
  const listed = { packages: ordered(unsorted, order) }
  await setImmediate()
  const ofPackages = ordered(cvesOfPackages(packages, advisories, aliases, rows.ids), order)
  await setImmediate()
  const texts = { sets: [...sets, packageTexts(listed.packages)], advisories: advisoryIds(advisories, rows, row) }
  // The tables need only keys and positions.
  packages.packages = []
  packages.advisories = []
  advisories.aliases = []
  advisories.cveIds = []
  await sort(listed)
  await setImmediate()
  const lists = LIST_NAMES.map((name) => sorted[name]!)
  return { lists, postings: postingsIn({ ...cves, package: ofPackages }, row), texts, aliases, stats }
}

function postingsIn(cves: ListedCves, row: Uint32Array): ListPostings {
  const ordinalOfRow = new Uint32Array(row.length)
  row.forEach((one, ordinal) => {
    ordinalOfRow[one] = ordinal
  })
  return listPostings(cves, ordinalOfRow)
}

/** Yields all derived files. `temporary` returns the path to write a file of that name. */
export async function* deriveFiles(
  pool: Pool,
  input: DeriveInput,
  temporary: (name: string) => string,
): AsyncGenerator<DerivedFile> {
  const { rows, epss, catalogs, advisories, packages } = input
  const { index, columns, columnBytes, keys, sorted } = deriveCves(input)
  const pages = openPages(pool, temporary)
  const queryPath = temporary('query.db')
  for (const sort of CVE_SORTS) pages.start(sort, cvePages(rows, epss, rowsOf(columns, sorted[sort])))
  const words = handleLater(pool.run('words', { path: queryPath, source: wordSource(rows, columns.row) }))
  // A third of the memory in use; only the pages and words need it.
  rows.cores = []
  rows.named = noNamed()
  const { lists, postings, texts, aliases, stats } = await deriveLists(input, columns)
  await pages.written()
  await words
  // Idle threads collect no garbage.
  await pool.renew()
  // They work while this thread encodes the tables.
  const query = handleLater(pool.run<{ content: string; count: number }>('query', { path: queryPath, texts }))
  for (const list of lists) {
    for (const sort of Object.keys(list.orders)) pages.start(listPagesName(list.name, sort), listPages(list, sort))
  }
  yield table('stats', 'cve', gzipFile(stats), sha256(stats), 1)
  yield table('index', 'cve', encodeIndex(index), indexContent(index), rows.count)
  if (advisories.keys.length > 0) {
    yield hashedIndex('advisories', advisories)
    const bytes = encodeAliases(aliases)
    yield table('aliases', 'cve', bytes, sha256(bytes), aliases.ids.length)
    const buckets = encodeAliasBuckets(aliases)
    yield table('aliases', 'buckets', buckets, sha256(buckets), aliases.ids.length)
  }
  if (packages.keys.length > 0) yield hashedIndex('packages', packages)
  yield table('columns', 'cve', columnBytes, sha256(columnBytes), rows.count)
  const rowBytes = encodeRowTable(index, epss)
  yield table('columns', 'rows', rowBytes, sha256(rowBytes), rows.count)
  const listBytes = encodeListPostings(postings)
  yield table('columns', 'lists', listBytes, sha256(listBytes), countListed(postings))
  const orders: Partial<Orders> = {}
  for (const sort of CVE_SORTS) {
    const { at, file } = await pages.take(sort)
    yield file
    orders[sort] = { ...sorted[sort], pagesAt: at } satisfies Order
    const starts = pageStarts(index, columns, sorted[sort], keys[sort], at)
    yield table('orders', sort, encodePageStarts(starts), pageStartsContent(starts), at.length)
  }
  yield table('orders', 'cve', encodeOrders(orders as Orders), ordersContent(sorted), rows.count)

  for (const list of lists) {
    const pagesAt: ListPositions['pagesAt'] = {}
    for (const sort of Object.keys(list.orders)) {
      const { at, file } = await pages.take(listPagesName(list.name, sort))
      yield file
      pagesAt[sort] = at
    }
    const positions = { pagesAt, entries: entryPositions(list, catalogs) }
    yield table('list', list.name, encodeList(list, positions), listContent(list), list.ids.length)
    if (hasListKeys(list.name)) {
      const bytes = listKeys(list, positions, postings, lists)
      yield table('list', listKeysName(list.name), bytes, storedListContent(bytes), list.ids.length)
    }
  }
  yield { role: 'query', name: 'cve', ...(await query), from: { path: queryPath } }
}

/** Returns the keys of a list. */
export function listKeys(
  list: SortedList,
  positions: ListPositions,
  postings: ListPostings,
  lists: readonly SortedList[],
): Buffer {
  const filter = forEachFilter((one) => (LISTED[one] === list.name ? postings[one] : null))
  const products = list.name === 'vendors' ? (lists.find(({ name }) => name === 'products') ?? null) : null
  return encodeListKeys(list, positions, filter.vendor ?? filter.product ?? filter.package, products)
}

/** Returns the number of files that `deriveFiles` yields. */
export function countDerivedFiles({ advisories, packages }: Pick<DeriveInput, 'advisories' | 'packages'>): number {
  const pagesOfLists = Object.values(LISTS).reduce((sum, { sorts }) => sum + Object.keys(sorts).length, 0)
  const ofLists = LIST_NAMES.length + LIST_NAMES.filter(hasListKeys).length + pagesOfLists
  return 7 + (advisories.keys.length > 0 ? 3 : 0) + (packages.keys.length > 0 ? 1 : 0) + 2 * CVE_SORTS.length + ofLists
}

function hashedIndex(name: 'advisories' | 'packages', rows: HashedRows): DerivedFile {
  const hashed = hashedTable(rows)
  return table('index', name, encodeHashedTable(hashed), hashedContent(hashed), rows.keys.length)
}

function table(role: Role, name: string, bytes: Buffer, content: string, count: number): DerivedFile {
  return { role, name, content, count, from: bytes }
}

function openPages(pool: Pool, temporary: (name: string) => string) {
  const under = new Map<string, Promise<WrittenPages>>()
  const pathOf = (name: string) => temporary(`pages.${name}`)
  return {
    start: (name: string, source: PageSource) =>
      void under.set(name, handleLater(pool.run('pages', { path: pathOf(name), source }))),
    /** Waits for all pages. @throws the first error */
    written: async () => void (await Promise.all(under.values())),
    async take(name: string): Promise<{ at: Uint32Array; file: DerivedFile }> {
      const { at, content, ...known } = await under.get(name)!
      under.delete(name)
      const from = { path: pathOf(name), known }
      return { at, file: { role: 'pages', name, content, count: at.length, from } }
    },
  }
}

/** Returns the positions of a list's entries in its catalog shard; null for a list without one. */
export function entryPositions(list: SortedList, catalogs: DeriveInput['catalogs']): ListPositions['entries'] {
  if (!isCatalog(list.name)) return null
  const byKey = new Map(catalogs[list.name].map((entry) => [entry.key, entry]))
  const located = list.ids.map((id) => byKey.get(catalogKey(id))!)
  return {
    at: Uint32Array.from(located, ({ at }) => at),
    length: Uint32Array.from(located, ({ length }) => length),
  }
}

const isCatalog = (name: ListName): name is ListName & CatalogName => CATALOGS.includes(name as CatalogName)

export function rowsOf(columns: Columns, { ordinals }: Pick<Order, 'ordinals'>): Uint32Array {
  return ordinals.map((ordinal) => columns.row[ordinal]!)
}

const scoreOf = (epss: EpssColumns, row: number) => (epss.scores[row] === NO_EPSS ? Number.NaN : epss.scores[row]!)

export const cvePages = (
  { cores, shard, coreFrom, coreTo }: Rows,
  epss: EpssColumns,
  rows: Uint32Array,
): PageSource => ({
  texts: { chunks: cores, chunkOf: shard, from: coreFrom, to: coreTo },
  epss,
  rows,
})

export const listPages = ({ texts: { bytes, at }, orders }: SortedList, sort: string): PageSource => ({
  texts: { chunks: [bytes], chunkOf: null, from: at, to: at.subarray(1) },
  epss: null,
  rows: orders[sort]!.ordinals,
})
