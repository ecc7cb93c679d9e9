/** An open snapshot: small tables in memory, everything else as open files that `prune` cannot take away. */

import { type About, decodeAbout } from '../../corpus/snapshot/about.ts'
import { decodeCatalog } from '../../corpus/snapshot/catalog.ts'
import { SNAPSHOT_PREFIX_LENGTH } from '../../corpus/snapshot/cursor.ts'
import { gunzipFile } from '../../corpus/snapshot/deflate.ts'
import { type Columns, decodeColumns } from '../../corpus/snapshot/derive/columns.ts'
import { decodeIndex, type Index } from '../../corpus/snapshot/derive/index-table.ts'
import { decodeOrders, type Orders } from '../../corpus/snapshot/derive/orders.ts'
import { decodeEpss, type EpssColumns } from '../../corpus/snapshot/epss.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import {
  checkObject,
  fileOf,
  type OpenObject,
  objectPath,
  openObject,
  readObject,
} from '../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/manifest.ts'
import { decodeMemberHead, type MemberHead } from '../../corpus/snapshot/member.ts'
import { CVE_SORTS, type CveSort } from '../../corpus/snapshot/order.ts'
import { type Ancestors, openAncestors } from './ancestors.ts'
import { type OpenLists, openLists } from './open-lists.ts'

/** A member as it was read; `bytes` begins where the member begins and holds at least what was asked for. */
export interface ReadMember extends MemberHead {
  bytes: Buffer
}

export interface OpenSnapshot {
  id: string
  /** What cursors name it by. */
  prefix: string
  createdAt: number
  manifest: Manifest
  about: About
  index: Index
  columns: Columns
  orders: Orders
  /** The ordinal of each row. */
  ordinalOfRow: Uint32Array
  /** The place of each ordinal in each order. */
  places: Record<CveSort, Uint32Array>
  epss: EpssColumns
  /** Rejected ids and when they were rejected. */
  rejected: Map<string, string | null>
  lists: OpenLists
  reportTypes: ReportType[]
  /** The snapshots before it. */
  ancestors: Ancestors
  /** Where `query.db` lies, and what it is called in the manifest. */
  query: { path: string; file: FileEntry }
  /** The whole member of a row. */
  member(row: number): ReadMember
  /** The member of a row up to the end of its core segment, which is its first. */
  core(row: number): ReadMember
  /** Heads of the members at these rows, in the same order. */
  heads(rows: readonly number[]): MemberHead[]
  /** A page of an order. */
  page(sort: CveSort, page: number): ReadMember
  close(): void
}

/** A type of report as its catalogue has it. */
export interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema: object | null
}

/** A plain file may grow to this many times its compressed size before it is taken for a bomb. */
const MAX_EXPANSION = 1100

/**
 * Opens a snapshot and checks all that is held in memory against its digests, and `query.db` unless the caller is going
 * to check every file anyway, without blocking.
 * @throws SnapshotError
 */
export function openSnapshot(dist: string, manifest: Manifest, { checkQuery = true } = {}): OpenSnapshot {
  const opened: OpenObject[] = []
  const open = (file: FileEntry) => {
    const object = openObject(dist, file)
    opened.push(object)
    return object
  }
  const close = () => {
    for (const object of opened.splice(0)) object.close()
  }
  try {
    const plain = (file: FileEntry) => gunzipFile(readObject(dist, file), file.size * MAX_EXPANSION)
    const index = decodeIndex(readObject(dist, fileOf(manifest, 'index')))
    const columns = decodeColumns(readObject(dist, fileOf(manifest, 'columns')))
    const orders = decodeOrders(readObject(dist, fileOf(manifest, 'orders')), columns.count)
    const epss = decodeEpss(plain(fileOf(manifest, 'epss')))
    const about = decodeAbout(plain(fileOf(manifest, 'about')))
    const rejected = decodeRejected(plain(fileOf(manifest, 'rejected')))
    if (
      columns.count !== index.count ||
      epss.scores.length !== index.count ||
      columns.row.some((r) => r >= index.count)
    ) {
      throw new SnapshotError('malformed', 'index, columns and EPSS do not speak of the same CVEs')
    }
    const shards = index.shards.map((name) => open(fileOf(manifest, 'cve', name)))
    if (index.shard.some((shard) => shard >= shards.length)) {
      throw new SnapshotError('malformed', 'the index names a shard that it does not list')
    }
    const pages = bySort((sort) => open(fileOf(manifest, 'pages', sort)))
    const lists = openLists(dist, manifest, open)
    const reportTypes = decodeCatalog(readObject(dist, fileOf(manifest, 'catalog', 'report-types')))
    // Its rows have digests of their own, but a tree that rotted would only show with the first questions.
    const query = fileOf(manifest, 'query')
    if (checkQuery) checkObject(dist, query)

    const read = (object: OpenObject, at: number, length: number): ReadMember => {
      const bytes = object.read(at, length)
      return { ...decodeMemberHead(bytes), bytes }
    }
    const core = (row: number) => read(shards[index.shard[row]!]!, index.at[row]!, index.coreEnd[row]!)
    return {
      id: manifest.snapshot,
      prefix: manifest.snapshot.slice(0, SNAPSHOT_PREFIX_LENGTH),
      createdAt: Date.parse(manifest.created_at),
      manifest,
      about,
      index,
      columns,
      orders,
      ordinalOfRow: invert(columns.row),
      places: bySort((sort) => invert(orders[sort].ordinals)),
      epss,
      rejected,
      lists,
      ancestors: openAncestors(dist, manifest),
      reportTypes: reportTypes.map(({ text }) => JSON.parse(text) as ReportType),
      query: { path: objectPath(dist, query.sha256), file: query },
      member: (row) => read(shards[index.shard[row]!]!, index.at[row]!, index.length[row]!),
      core,
      heads: (rows) => rows.map(core),
      page(sort, page) {
        const { pagesAt } = orders[sort]
        const at = pagesAt[page]
        if (at === undefined) throw new SnapshotError('malformed', `there is no page ${page} by ${sort}`)
        return read(pages[sort], at, (pagesAt[page + 1] ?? pages[sort].size) - at)
      },
      close,
    }
  } catch (error) {
    close()
    throw error
  }
}

const bySort = <T>(make: (sort: CveSort) => T): Record<CveSort, T> =>
  Object.fromEntries(CVE_SORTS.map((sort) => [sort, make(sort)])) as Record<CveSort, T>

function invert(ordinals: Uint32Array): Uint32Array {
  const places = new Uint32Array(ordinals.length)
  ordinals.forEach((ordinal, place) => {
    places[ordinal] = place
  })
  return places
}

function decodeRejected(bytes: Buffer): Map<string, string | null> {
  try {
    const rejected: unknown = JSON.parse(bytes.toString())
    if (typeof rejected === 'object' && rejected !== null) return new Map(Object.entries(rejected))
  } catch (cause) {
    throw new SnapshotError('malformed', 'the rejected ids are no JSON', { cause })
  }
  throw new SnapshotError('malformed', 'the rejected ids are no JSON object')
}
