/**
 * A page of a filtered list in one process, by the gateway's planner and by SQLite: timed in turn and compared. Both
 * produce the bytes of a gzip answer.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Random } from '../../../corpus/sample/random.ts'
import { cursorBinding } from '../../../corpus/snapshot/cursor/cursor.ts'
import type { CveSort } from '../../../corpus/snapshot/cursor/order.ts'
import { objectPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { toBillionths } from '../../../corpus/snapshot/record/epss.ts'
import { cvePageAnswer } from '../../../gateway/plan/cve-answer.ts'
import { planCvePage } from '../../../gateway/plan/cve-page.ts'
import { fill, hold } from '../../../gateway/snapshots/hold.ts'
import { type OpenSnapshot, openSnapshot } from '../../../gateway/snapshots/open-snapshot.ts'
import { openDatabase } from './database.ts'
import { cursorOf, type ListRequest, listQueries, pageJson } from './list-query.ts'
import type { ListQuery, SampledCve } from './queries.ts'

/** A corpus, open for both. */
export interface Both {
  snapshot: OpenSnapshot
  list: ReturnType<typeof listQueries>
  /** Returns the CVE at a position in the order of ids. */
  cve(n: number): SampledCve
  close(): void
}

/** Reads the data of both into memory, as servers have it soon after their start. */
export async function openBoth(dist: string, databasePath: string): Promise<Both> {
  const { manifest } = readCurrent(dist)
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  hold(snapshot, Number.POSITIVE_INFINITY)
  await fill(snapshot)
  const database = openDatabase(databasePath)
  readThrough([databasePath, ...manifest.files.map(({ sha256 }) => objectPath(dist, sha256))])
  const cve = database.prepare(
    `SELECT n, id, name AS assigner, cwe, epss, published, updated, cvss
     FROM cve LEFT JOIN assigner USING (assigner) WHERE n = ?`,
  )
  return {
    snapshot,
    list: listQueries(database),
    cve: (n) => cve.get(n) as SampledCve,
    close() {
      snapshot.close()
      database.close()
    },
  }
}

const CHUNK_BYTES = 1024 * 1024

/** Reads files once, so that neither of the two waits for the disk. */
export function readThrough(paths: readonly string[]): void {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  for (const path of paths) {
    const file = openSync(path, 'r')
    while (readSync(file, chunk) > 0);
    closeSync(file)
  }
}

/** A query with its drawn parameters. */
export interface DrawnQuery extends Omit<ListRequest, 'after'> {
  name: string
  /** The CVE after which a cursor continues; null for the first page. */
  behind: SampledCve | null
}

export function drawn({ snapshot, cve }: Both, query: ListQuery, round: number): DrawnQuery {
  const random = new Random('plans', round, query.name)
  const any = () => cve(random.int(snapshot.columns.count))
  const { name, sort, limit } = query
  const filters = query.filters({ random, cve: any })
  return { name, sort, limit, filters, behind: query.start === 'deep' ? any() : null }
}

/** Times of one page in µs, and the page. */
interface Timed {
  /** JSON of its rows, as in the answer. */
  data: string
  more: boolean
  /** Planning or querying, and the answer: gzip from the gateway, which compresses nothing, and JSON from SQLite. */
  page: number
  /** Compression at zlib's default level and at its fastest. */
  gzip6: number
  gzip1: number
}

export type Way = (both: Both, query: DrawnQuery) => Timed

const microseconds = (since: number) => (performance.now() - since) * 1000

export const byPlan: Way = ({ snapshot }, { sort, filters, limit, behind }) => {
  const after = behind && { value: cursorKey(sort.key, behind), id: behind.id }
  const began = performance.now()
  const plan = planCvePage(
    snapshot,
    { binding: cursorBinding('cves', sort, filters), sort, filters, limit, after },
    null,
  )
  const answer = cvePageAnswer(snapshot, plan)
  const gzip = answer.gzip()
  const page = microseconds(began)
  const data = dataOf(gunzipSync(gzip).toString())
  return { data, more: plan.nextCursor !== null, page, gzip6: 0, gzip1: 0 }
}

export const bySqlite: Way = ({ list }, { sort, filters, limit, behind }) => {
  const began = performance.now()
  const found = list({ sort, filters, limit, after: behind && [behind[sort.key], behind.n] })
  const json = pageJson(found, limit, found.next && cursorOf(found.next))
  const page = microseconds(began)
  const compress = (level: number) => {
    const from = performance.now()
    gzipSync(json, { level })
    return microseconds(from)
  }
  return { data: dataOf(json), more: found.next !== null, page, gzip6: compress(6), gzip1: compress(1) }
}

const dataOf = (json: string) => json.slice(0, json.lastIndexOf(',"pagination":'))

/** Returns the sort key in a gateway's cursor: EPSS in billionths, other keys unchanged. */
function cursorKey(sort: CveSort, cve: SampledCve): number | null {
  const key = cve[sort]
  return sort === 'epss' && key !== null ? toBillionths(key) : key
}

/** @throws Error if the rows differ, or only one of the two has a next page */
export function compare(query: DrawnQuery, ours: Timed, theirs: Timed): void {
  if (ours.more === theirs.more && ours.data === theirs.data) return
  const { name, filters, behind } = query
  throw new Error(`${name}: plan and SQL differ for ${JSON.stringify({ filters, behind })}`)
}
