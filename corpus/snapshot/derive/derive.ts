/**
 * What is rebuilt from the CVE shards and the EPSS scores: index, columns, orders, pages and `query.db`. The builder
 * writes it, a mirror may rebuild it: the same input gives the same content digests on any machine.
 */

import { sha256 } from '../digest.ts'
import { type EpssColumns, NO_EPSS } from '../epss.ts'
import { readObject } from '../layout.ts'
import type { FileEntry, Role } from '../manifest.ts'
import { CVE_SORTS, type CveSort } from '../order.ts'
import { type Pool, runInOrder, type TaskResult } from '../pool.ts'
import { decodeColumns, encodeColumns } from './columns.ts'
import { type GatheredShard, gatherShard } from './gather.ts'
import { encodeIndex } from './index-table.ts'
import { encodeOrders, type Order, type Orders, sortOrders } from './orders.ts'
import { type EncodedPages, encodePages, type PageRun, type PageSource, pagesDigest, ROWS_PER_PAGE } from './pages.ts'
import { buildQueryDb, type QueryTexts } from './query.ts'
import type { Rows } from './rows.ts'

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
  query({ path, texts }: { path: string; texts: QueryTexts }): TaskResult {
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

/** Derives everything; `queryPath` is where `query.db` may be written. */
export async function* deriveFiles(
  pool: Pool,
  rows: Rows,
  epss: EpssColumns,
  queryPath: string,
): AsyncGenerator<DerivedFile> {
  yield table('index', encodeIndex(rows), rows.count)
  const columnBytes = encodeColumns(rows)
  yield table('columns', columnBytes, rows.count)
  const columns = decodeColumns(columnBytes)

  const texts: QueryTexts = {
    ids: Array.from(columns.row, (row) => rows.ids[row]!),
    titles: Array.from(columns.row, (row) => rows.titles[row]!),
  }
  const query = pool.run<{ content: string; count: number }>('query', { path: queryPath, texts })
  // Awaited at the end; until then a failure elsewhere must not leave this one unheard.
  query.catch(() => {})

  const { published, updated, score: cvss } = columns
  const sorted = sortOrders(
    { published, updated, cvss, epss: Float64Array.from(columns.row, (row) => scoreOf(epss, row)) },
    columns.row,
  )
  const source = sharedSource(rows, epss)
  const orders: Partial<Orders> = {}
  for (const sort of CVE_SORTS) {
    const pages = await encodeOrder(
      pool,
      source,
      sorted[sort].ordinals.map((ordinal) => columns.row[ordinal]!),
    )
    yield { role: 'pages', name: sort, ...pages.file }
    orders[sort] = { ...sorted[sort], pagesAt: pages.at } satisfies Order
  }
  yield table('orders', encodeOrders(orders as Record<CveSort, Order>), rows.count)
  yield { role: 'query', name: 'cve', ...(await query), from: { path: queryPath } }
}

function table(role: Role, bytes: Buffer, count: number): DerivedFile {
  return { role, name: 'cve', content: sha256(bytes), count, from: bytes }
}

const scoreOf = (epss: EpssColumns, row: number) => (epss.scores[row] === NO_EPSS ? Number.NaN : epss.scores[row]!)

async function encodeOrder(pool: Pool, source: PageSource, rows: Uint32Array) {
  const inputs = function* () {
    for (let from = 0; from < rows.length; from += ROWS_PER_TASK) {
      const run: PageRun = { rows: rows.slice(from, from + ROWS_PER_TASK), firstPage: from / ROWS_PER_PAGE }
      yield { source, run }
    }
  }
  const runs: EncodedPages[] = []
  for await (const run of runInOrder<EncodedPages>(pool, 'pages', inputs())) runs.push(run)
  const at: number[] = []
  let end = 0
  for (const { lengths } of runs) {
    for (const length of lengths) {
      at.push(end)
      end += length
    }
  }
  const bytes = Buffer.concat(runs.map((run) => run.bytes))
  return { at: Uint32Array.from(at), file: { content: pagesDigest(runs), count: at.length, from: bytes } }
}

/** What page tasks read, in memory that all threads share. */
function sharedSource(rows: Rows, epss: EpssColumns): PageSource {
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
