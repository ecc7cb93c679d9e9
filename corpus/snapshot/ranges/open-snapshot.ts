/** A snapshot that is read by ranges: its tables and members are fetched when answers need them. */
import { remembered } from '../../runtime/remembered.ts'
import { awaited } from '../../runtime/steps.ts'
import {
  type About,
  decodeCatalog,
  decodeStats,
  fileOf,
  gunzipFile,
  type Manifest,
  type ReportType,
  SNAPSHOT_PREFIX_LENGTH,
  type SnapshotData,
  type StoredStats,
  type TextData,
} from '../index.ts'
import { openAliasLookup } from './alias-lookup.ts'
import { openChangeOrders } from './change-orders.ts'
import { openCveLookup } from './cve-lookup.ts'
import { openFilterTables } from './cve-tables.ts'
import { rangeCves } from './cves.ts'
import type { FileParts } from './file-parts.ts'
import { openHashedLookup } from './hashed-lookup.ts'
import { openIndexBlocks } from './index-blocks.ts'
import { rangeLists } from './lists.ts'
import { rangePackages } from './packages.ts'
import { openRows, parsedJson } from './rows.ts'
import { openStoredOrders } from './stored-orders.ts'
import { openTables } from './tables.ts'

export function openRangeSnapshot(manifest: Manifest, about: About, files: FileParts, texts: TextData): SnapshotData {
  const rangeTables = openTables(files)
  const index = openIndexBlocks(manifest, rangeTables)
  const lists = rangeLists(manifest, files, rangeTables)
  const rows = openRows(manifest, files)
  const lookup = openCveLookup(files, index)
  const orders = openStoredOrders(manifest, rangeTables, rows)
  const changes = openChangeOrders(manifest, files, lookup)
  const tables = openFilterTables(manifest, files, index, lists)
  const aliases = openAliasLookup(manifest, rangeTables)
  const read = {
    stats: new Map<string, Promise<StoredStats>>(),
    reportTypes: new Map<string, Promise<readonly ReportType[]>>(),
  }
  return {
    id: manifest.snapshot,
    prefix: manifest.snapshot.slice(0, SNAPSHOT_PREFIX_LENGTH),
    createdAt: Date.parse(manifest.created_at),
    manifest,
    about,
    cves: rangeCves(manifest, { files, lookup, rows, orders, changes, tables }),
    lists: lists.data,
    packages: rangePackages(openHashedLookup(manifest, files, rangeTables), aliases),
    texts,
    *stats() {
      return yield* awaited(remembered(read.stats, '', () => readStats(manifest, files)))
    },
    *reportTypes() {
      return yield* awaited(remembered(read.reportTypes, '', () => readReportTypes(manifest, files)))
    },
  }
}

async function readStats(manifest: Manifest, files: FileParts): Promise<StoredStats> {
  const file = fileOf(manifest, 'stats')
  const gzip = await files.whole(file)
  decodeStats(gunzipFile('stats', gzip))
  return { gzip, content: file.content }
}

async function readReportTypes(manifest: Manifest, files: FileParts): Promise<ReportType[]> {
  const shard = await files.whole(fileOf(manifest, 'catalog', 'report-types'))
  return decodeCatalog('report-types', shard).map(({ text }) => parsedJson(text) as ReportType)
}
