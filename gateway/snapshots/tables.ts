/** The tables of a snapshot in memory: numbers and short strings, so that a thread can transfer them. */

import { gunzipFile } from '../../corpus/snapshot/codec/deflate.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { type About, decodeAbout } from '../../corpus/snapshot/files/about.ts'
import { fileOf, openObject, readObject } from '../../corpus/snapshot/files/layout.ts'
import type { Manifest, Role } from '../../corpus/snapshot/files/manifest.ts'
import { checkQuerySchema, MAX_PAGE_BYTES } from '../../corpus/snapshot/query/schema.ts'
import { decodeCatalog } from '../../corpus/snapshot/record/catalog.ts'
import { type CveTables, decodeCveTables } from '../../corpus/snapshot/record/cve-tables.ts'
import { type ListTables, readListTables } from './open-lists.ts'

export interface ReportType {
  prompt_name: string
  enabled: boolean
  output_schema: object | null
}

export interface SnapshotTables extends CveTables {
  manifest: Manifest
  about: About
  /** Dates by id. */
  rejected: Map<string, string | null>
  lists: ListTables
  reportTypes: ReportType[]
}

/**
 * Checks the tables against their digests and each other. For 350,000 CVEs, that takes half a second and 70 MB.
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

/** Every search would reject other tables. */
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
    throw new SnapshotError('malformed', 'the rejected ids are not JSON', { cause })
  }
  throw new SnapshotError('malformed', 'the rejected ids are not a JSON object')
}
