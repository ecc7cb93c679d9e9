/**
 * The tables of a snapshot that are held in memory: read, checked, and made ready, in numbers and short texts alone, so
 * that a thread can do it and hand them over.
 */
import { type About, decodeAbout } from '../../corpus/snapshot/about.ts'
import { decodeCatalog } from '../../corpus/snapshot/catalog.ts'
import { type CveTables, decodeCveTables } from '../../corpus/snapshot/cve-tables.ts'
import { gunzipFile } from '../../corpus/snapshot/deflate.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { fileOf, openObject, readObject } from '../../corpus/snapshot/layout.ts'
import type { Manifest, Role } from '../../corpus/snapshot/manifest.ts'
import { checkQuerySchema, MAX_PAGE_BYTES } from '../../corpus/snapshot/query/schema.ts'
import { type ListTables, readListTables } from './open-lists.ts'

/** A type of report as its catalogue has it. */
export interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema: object | null
}

export interface SnapshotTables extends CveTables {
  manifest: Manifest
  about: About
  /** Rejected ids and when they were rejected. */
  rejected: Map<string, string | null>
  lists: ListTables
  reportTypes: ReportType[]
}

/**
 * Reads the tables of a snapshot and checks them against their digests and each other. At 350,000 CVEs that takes half a
 * second, and they hold 70 MB.
 * @throws SnapshotError
 */
export function readTables(dist: string, manifest: Manifest): SnapshotTables {
  checkQuery(dist, manifest)
  const read = (role: Role) => readObject(dist, fileOf(manifest, role))
  const tables = decodeCveTables({
    index: read('index'),
    columns: read('columns'),
    orders: read('orders'),
    epss: read('epss'),
  })
  const reportTypes = decodeCatalog('report-types', readObject(dist, fileOf(manifest, 'catalog', 'report-types')))
  return {
    manifest,
    about: decodeAbout(gunzipFile('about', read('about'))),
    ...tables,
    rejected: decodeRejected(gunzipFile('rejected', read('rejected'))),
    lists: readListTables(dist, manifest),
    reportTypes: reportTypes.map(({ text }) => JSON.parse(text) as ReportType),
  }
}

/** A `query.db` with anything but its tables would be refused by each search. */
function checkQuery(dist: string, manifest: Manifest): void {
  const object = openObject(dist, fileOf(manifest, 'query'))
  try {
    checkQuerySchema(object.read(0, Math.min(object.size, MAX_PAGE_BYTES)))
  } finally {
    object.close()
  }
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
