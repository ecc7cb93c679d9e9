/**
 * Derives indexes, columns, orders, lists, pages, aliases and `query.db` from the shards, catalogs and EPSS scores, for
 * builder and mirror. Equal input gives equal content digests everywhere.
 */

import { setImmediate } from 'node:timers/promises'
import type { Rejection } from '../../model/claim.ts'
import type { KevRow } from '../../model/directory.ts'
import type { LastUpdate } from '../../model/last-update.ts'
import { sha256 } from '../../runtime/digest.ts'
import { handleLater, type Pool, type TaskResult } from '../../runtime/pool.ts'
import { gzipFile } from '../codec/deflate.ts'
import { decodeTable, tableContent } from '../codec/table.ts'
import { LIST_NAMES, LISTS, type ListName, listPagesName } from '../cursor/lists.ts'
import { STORED_SORTS } from '../cursor/order.ts'
import { readObject } from '../files/layout.ts'
import type { Role } from '../files/manifest.ts'
import { encodeStats } from '../files/stats.ts'
import { type WordSource, writeEntries, writeWords } from '../query/build.ts'
import { openTexts, type PackedTexts } from '../query/sets.ts'
import { CATALOGS, type CatalogName, catalogKey, type LocatedEntry } from '../record/catalog.ts'
import { type EpssColumns, NO_EPSS } from '../record/epss.ts'
import { encodeEpssChanges, scoresBefore } from '../record/epss-changes.ts'
import type { AdvisoryRows, PackageRows } from './advisory-rows.ts'
import { type AliasSets, aliasSets, encodeAliases } from './aliases.ts'
import { type Columns, decodeColumns, encodeColumns } from './columns.ts'
import { epssChanges, type HistoryFile, type HistorySource } from './epss-changes.ts'
import { encodeIndex, type Index, indexOf } from './index-table.ts'
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
import {
  advisoryRows,
  type CatalogEntries,
  kevRows,
  type ListRows,
  listRows,
  packageRows,
  rejectedRows,
} from './list-rows.ts'
import { encodeList, type ListPositions, type ListReferences } from './lists.ts'
import { noNamed, noNames } from './name-counts.ts'
import { encodeOrder, type SortedOrder, type SortedOrders, type SortKeys, sortOrders } from './orders.ts'
import { encodeHashedIndex } from './package-tables.ts'
import { type PageSource, type WrittenPages, writePages } from './pages.ts'
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
  scoresBefore({ dist, file, since }: HistoryFile): TaskResult {
    return { value: scoresBefore(readObject(dist, file), since) }
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
  history: HistorySource
  catalogs: Record<CatalogName, readonly LocatedEntry[]>
  /** The newest date in the CVE list. "The last year" counts back from it. */
  corpusDate: string | null
  lastUpdate: LastUpdate | null
  advisories: AdvisoryRows
  rejected: ReadonlyMap<string, Rejection>
  packages: PackageRows
}

interface DerivedCves {
  index: Index
  columns: Columns
  columnBytes: Buffer
  keys: SortKeys
  sorted: SortedOrders
}

function deriveCves({ rows, epss }: DeriveInput): DerivedCves {
  const columnBytes = encodeColumns(rows)
  const columns = decodeColumns(columnBytes)
  const { published, updated, score: cvss, row } = columns
  const epssKeys = Float64Array.from(row, (one) => scoreOf(epss, one))
  const keys = { published, updated, cvss, epss: epssKeys }
  return { index: indexOf(rows, epss), columns, columnBytes, keys, sorted: sortOrders(keys, row) }
}

/**
 * Returns the lists, their posting lists, all searchable texts, the alias sets, and the figures as JSON. Empties
 * `rows.names`, `rows.titles`, and what packages and advisories state. Yields to the event loop between steps, so that
 * threads get work.
 */
async function deriveLists(
  { rows, epss, catalogs, corpusDate, lastUpdate, advisories, rejected, packages }: DeriveInput,
  { row }: Columns,
  kev: KevRow[],
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
  await sort({ ...ofRecords, kev, rejected: rejectedRows(rejected) })
  await sort({ advisories: advisoryRows(advisories) })
  advisories.rows = []
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

/** Makes the pages of a sort in a thread. */
export interface PageMaker {
  start(name: string, source: PageSource): void
  /** Waits for all pages. @throws the first error */
  made(): Promise<void>
  /** Returns the pages, and the offset of each. */
  take(name: string): Promise<{ at: Uint32Array; content: string; from: TemporaryFile }>
}

/**
 * Yields all derived files. `temporary` returns the path to write a file of that name. By default, pages are written to
 * such files.
 */
export async function* deriveFiles(
  pool: Pool,
  input: DeriveInput,
  temporary: (name: string) => string,
  pages: PageMaker = pageWriter(pool, temporary),
): AsyncGenerator<DerivedFile> {
  const { rows, epss, history, catalogs, advisories, packages } = input
  const { index, columns, columnBytes, keys, sorted } = deriveCves(input)
  const queryPath = temporary('query.db')
  for (const sort of STORED_SORTS) pages.start(sort, cvePages(rows, epss, rowsOf(columns, sorted[sort])))
  const words = handleLater(pool.run('words', { path: queryPath, source: wordSource(rows, columns.row) }))
  const changes = handleLater(epssChanges(pool, rows.ids, epss, history))
  const kev = kevRows(rows, epss)
  // A third of the memory in use; only the pages and words need it.
  rows.cores = []
  rows.named = noNamed()
  const { lists, postings, texts, aliases, stats } = await deriveLists(input, columns, kev)
  await pages.made()
  await words
  const changeTable = encodeEpssChanges(await changes)
  // Idle threads collect no garbage.
  await pool.renew()
  // They work while this thread encodes the tables.
  const query = handleLater(pool.run<{ content: string; count: number }>('query', { path: queryPath, texts }))
  for (const list of lists) {
    for (const sort of Object.keys(list.orders)) pages.start(listPagesName(list.name, sort), listPages(list, sort))
  }
  yield { role: 'stats', name: 'cve', content: sha256(stats), count: 1, from: gzipFile(stats) }
  yield {
    role: 'epss-changes',
    name: 'cve',
    content: sha256(changeTable),
    count: rows.count,
    from: gzipFile(changeTable),
  }
  yield table('index', 'cve', encodeIndex(index), rows.count)
  if (advisories.keys.length > 0) {
    yield table('index', 'advisories', encodeHashedIndex(advisories), advisories.keys.length)
    yield table('aliases', 'cve', encodeAliases(aliases), aliases.ids.length)
  }
  if (packages.keys.length > 0) yield table('index', 'packages', encodeHashedIndex(packages), packages.keys.length)
  yield table('columns', 'cve', columnBytes, rows.count)
  yield table('columns', 'lists', encodeListPostings(postings), countListed(postings))
  for (const sort of STORED_SORTS) {
    const { at, ...made } = await pages.take(sort)
    yield { role: 'pages', name: sort, count: at.length, ...made }
    const order = encodeOrder({ ...sorted[sort], pagesAt: at }, index, columns.row, keys[sort])
    yield table('orders', sort, order, rows.count)
  }
  for (const list of lists) {
    const pagesAt: ListPositions['pagesAt'] = {}
    for (const sort of Object.keys(list.orders)) {
      const { at, ...made } = await pages.take(listPagesName(list.name, sort))
      yield { role: 'pages', name: listPagesName(list.name, sort), count: at.length, ...made }
      pagesAt[sort] = at
    }
    const positions = { pagesAt, entries: entryPositions(list, catalogs) }
    yield table('list', list.name, encodeList(list, positions, referencesOf(list, postings, lists)), list.ids.length)
  }
  yield { role: 'query', name: 'cve', ...(await query), from: { path: queryPath } }
}

function referencesOf(list: SortedList, postings: ListPostings, lists: readonly SortedList[]): ListReferences {
  const filter = forEachFilter((one) => (LISTED[one] === list.name ? postings[one] : null))
  const products = list.name === 'vendors' ? (lists.find(({ name }) => name === 'products') ?? null) : null
  return { cves: filter.vendor ?? filter.product ?? filter.package, products }
}

function table(role: Role, name: string, bytes: Buffer, count: number): DerivedFile {
  return { role, name, content: tableContent(decodeTable(bytes)), count, from: bytes }
}

function pageWriter(pool: Pool, temporary: (name: string) => string): PageMaker {
  const under = new Map<string, Promise<WrittenPages>>()
  const pathOf = (name: string) => temporary(`pages.${name}`)
  return {
    start: (name, source) => void under.set(name, handleLater(pool.run('pages', { path: pathOf(name), source }))),
    made: async () => void (await Promise.all(under.values())),
    async take(name) {
      const { at, content, ...known } = await under.get(name)!
      under.delete(name)
      return { at, content, from: { path: pathOf(name), known } }
    },
  }
}

/** Returns the positions of a list's entries in its catalog shard; null for a list without one. */
function entryPositions(list: SortedList, catalogs: DeriveInput['catalogs']): ListPositions['entries'] {
  if (!isCatalog(list.name)) return null
  const byKey = new Map(catalogs[list.name].map((entry) => [entry.key, entry]))
  const located = list.ids.map((id) => byKey.get(catalogKey(id))!)
  return {
    at: Uint32Array.from(located, ({ at }) => at),
    length: Uint32Array.from(located, ({ length }) => length),
  }
}

const isCatalog = (name: ListName): name is ListName & CatalogName => CATALOGS.includes(name as CatalogName)

function rowsOf(columns: Columns, { ordinals }: Pick<SortedOrder, 'ordinals'>): Uint32Array {
  return ordinals.map((ordinal) => columns.row[ordinal]!)
}

const scoreOf = (epss: EpssColumns, row: number) => (epss.scores[row] === NO_EPSS ? Number.NaN : epss.scores[row]!)

const cvePages = ({ cores, shard, coreFrom, coreTo }: Rows, epss: EpssColumns, rows: Uint32Array): PageSource => ({
  texts: { chunks: cores, chunkOf: shard, from: coreFrom, to: coreTo },
  epss,
  rows,
})

const listPages = ({ texts: { bytes, at }, orders }: SortedList, sort: string): PageSource => ({
  texts: { chunks: [bytes], chunkOf: null, from: at, to: at.subarray(1) },
  epss: null,
  rows: orders[sort]!.ordinals,
})
