/**
 * What is rebuilt from the CVE shards and the EPSS scores: index, columns, orders, pages and `query.db`. The builder
 * writes it, a mirror may rebuild it: the same input gives the same content digests on any machine.
 */

import { sha256 } from '../digest.ts'
import { type EpssColumns, NO_EPSS } from '../epss.ts'
import { readObject } from '../layout.ts'
import type { FileEntry, Role } from '../manifest.ts'
import { CVE_SORTS } from '../order.ts'
import { type Pool, runInOrder, type TaskResult } from '../pool.ts'
import { buildQueryDb } from '../query/build.ts'
import type { TextSet } from '../query/sets.ts'
import { type Columns, decodeColumns, encodeColumns } from './columns.ts'
import { type GatheredShard, gatherShard } from './gather.ts'
import { encodeIndex, type Index, indexContent, indexOf } from './index-table.ts'
import { encodeOrders, type Order, type Orders, ordersContent, type SortedOrders, sortOrders } from './orders.ts'
import { type EncodedPages, encodePages, type PageRun, type PageSource, pagesDigest, ROWS_PER_PAGE } from './pages.ts'
import type { Rows } from './rows.ts'
import { cveTexts } from './texts.ts'

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
  pages({ source, run }: { source: PageSource; run: PageRun }): TaskResult {
    const value = encodePages(source, run)
    return { value, transfer: [value.bytes.buffer as ArrayBuffer] }
  },
  query({ path, texts }: { path: string; texts: TextSet[] }): TaskResult {
    return { value: buildQueryDb(path, texts) }
  },
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

/** Rows of a page task: enough that its message costs nothing beside its work. */
const ROWS_PER_TASK = 50 * ROWS_PER_PAGE

/** What is derived, before anything of it is encoded or compressed. */
export interface Derived {
  index: Index
  columns: Columns
  columnBytes: Buffer
  sorted: SortedOrders
  texts: TextSet[]
}

export function derive(rows: Rows, epss: EpssColumns): Derived {
  const columnBytes = encodeColumns(rows)
  const columns = decodeColumns(columnBytes)
  const { published, updated, score: cvss, row } = columns
  const epssKeys = Float64Array.from(row, (one) => scoreOf(epss, one))
  return {
    index: indexOf(rows),
    columns,
    columnBytes,
    sorted: sortOrders({ published, updated, cvss, epss: epssKeys }, row),
    texts: [cveTexts(rows, row)],
  }
}

/** Derives everything; `queryPath` is where `query.db` may be written. */
export async function* deriveFiles(
  pool: Pool,
  rows: Rows,
  epss: EpssColumns,
  queryPath: string,
): AsyncGenerator<DerivedFile> {
  const { index, columns, columnBytes, sorted, texts } = derive(rows, epss)
  const query = pool.run<{ content: string; count: number }>('query', { path: queryPath, texts })
  // Awaited at the end; until then a failure elsewhere must not leave this one unheard.
  query.catch(() => {})

  yield table('index', encodeIndex(index), indexContent(index), rows.count)
  yield table('columns', columnBytes, sha256(columnBytes), rows.count)
  const source = pageSource(rows, epss)
  const orders: Partial<Orders> = {}
  for (const sort of CVE_SORTS) {
    const pages = await encodeOrder(pool, source, rowsOf(columns, sorted[sort]))
    yield { role: 'pages', name: sort, ...pages.file }
    orders[sort] = { ...sorted[sort], pagesAt: pages.at } satisfies Order
  }
  yield table('orders', encodeOrders(orders as Orders), ordersContent(sorted), rows.count)
  yield { role: 'query', name: 'cve', ...(await query), from: { path: queryPath } }
}

function table(role: Role, bytes: Buffer, content: string, count: number): DerivedFile {
  return { role, name: 'cve', content, count, from: bytes }
}

/** The rows of an order. */
export function rowsOf(columns: Columns, { ordinals }: Pick<Order, 'ordinals'>): Uint32Array {
  return ordinals.map((ordinal) => columns.row[ordinal]!)
}

const scoreOf = (epss: EpssColumns, row: number) => (epss.scores[row] === NO_EPSS ? Number.NaN : epss.scores[row]!)

/** The inputs of the page tasks of an order. */
export function* pageInputs(source: PageSource, rows: Uint32Array): Generator<{ source: PageSource; run: PageRun }> {
  for (let from = 0; from < rows.length; from += ROWS_PER_TASK) {
    yield { source, run: { rows: rows.slice(from, from + ROWS_PER_TASK), firstPage: from / ROWS_PER_PAGE } }
  }
}

async function encodeOrder(pool: Pool, source: PageSource, rows: Uint32Array) {
  const runs: EncodedPages[] = []
  for await (const run of runInOrder<EncodedPages>(pool, 'pages', pageInputs(source, rows))) runs.push(run)
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
