/**
 * The tables of a snapshot that are held in memory: read, checked, and made ready, in numbers and short texts alone, so
 * that a thread can do it and hand them over.
 */
import { type About, decodeAbout } from '../../corpus/snapshot/about.ts'
import { decodeCatalog } from '../../corpus/snapshot/catalog.ts'
import { gunzipFile } from '../../corpus/snapshot/deflate.ts'
import { type Columns, decodeColumns } from '../../corpus/snapshot/derive/columns.ts'
import { decodeIndex, type Index } from '../../corpus/snapshot/derive/index-table.ts'
import { decodeOrders, type Orders } from '../../corpus/snapshot/derive/orders.ts'
import { decodeEpss, type EpssColumns } from '../../corpus/snapshot/epss.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { fileOf, readObject } from '../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/manifest.ts'
import { CVE_SORTS, type CveSort } from '../../corpus/snapshot/order.ts'
import { type ListTables, readListTables } from './open-lists.ts'

/** A type of report as its catalogue has it. */
export interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema: object | null
}

export interface SnapshotTables {
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
  lists: ListTables
  reportTypes: ReportType[]
}

/** A plain file may grow to this many times its compressed size before it is taken for a bomb. */
const MAX_EXPANSION = 1100

/**
 * Reads the tables of a snapshot and checks them against their digests and each other. At 350,000 CVEs that takes half a
 * second, and they hold 70 MB.
 * @throws SnapshotError
 */
export function readTables(dist: string, manifest: Manifest): SnapshotTables {
  const plain = (file: FileEntry) => gunzipFile(readObject(dist, file), file.size * MAX_EXPANSION)
  const index = decodeIndex(readObject(dist, fileOf(manifest, 'index')))
  const columns = decodeColumns(readObject(dist, fileOf(manifest, 'columns')))
  const orders = decodeOrders(readObject(dist, fileOf(manifest, 'orders')), columns.count)
  const epss = decodeEpss(plain(fileOf(manifest, 'epss')))
  if (
    columns.count !== index.count ||
    epss.scores.length !== index.count ||
    columns.row.some((r) => r >= index.count)
  ) {
    throw new SnapshotError('malformed', 'index, columns and EPSS do not speak of the same CVEs')
  }
  if (index.shard.some((shard) => shard >= index.shards.length)) {
    throw new SnapshotError('malformed', 'the index names a shard that it does not list')
  }
  const reportTypes = decodeCatalog(readObject(dist, fileOf(manifest, 'catalog', 'report-types')))
  return {
    manifest,
    about: decodeAbout(plain(fileOf(manifest, 'about'))),
    index,
    columns,
    orders,
    ordinalOfRow: invert(columns.row),
    places: bySort((sort) => invert(orders[sort].ordinals)),
    epss,
    rejected: decodeRejected(plain(fileOf(manifest, 'rejected'))),
    lists: readListTables(dist, manifest),
    reportTypes: reportTypes.map(({ text }) => JSON.parse(text) as ReportType),
  }
}

export const bySort = <T>(make: (sort: CveSort) => T): Record<CveSort, T> =>
  Object.fromEntries(CVE_SORTS.map((sort) => [sort, make(sort)])) as Record<CveSort, T>

/** Where each number stands; the same array where each stands in its own place, as in the order that numbers them. */
function invert(ordinals: Uint32Array): Uint32Array {
  if (ordinals.every((ordinal, place) => ordinal === place)) return ordinals
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
