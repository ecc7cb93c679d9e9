/** The CVE list v5, record by record, from a zip or a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CveId, parseCveId } from '../../model/cve-id.ts'
import { FeedError } from '../error.ts'
import {
  type FeedFile,
  type FeedItem,
  isSameDigest,
  itemDigest,
  type OpenFeed,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import { openZip, readEntry, withZip, type ZipEntry, type ZipPlace } from '../zip.ts'
import { parseCveRecord } from './record.ts'

/** Raise it with every change in what `parseCveRecord` makes of the same bytes. */
export const CVE_LIST_ADAPTER = 2

/** The largest records upstream are some 4 MB: thousands of affected kernel versions. */
const MAX_RECORD_BYTES = 32 << 20

/** Everything else that lies between the records (`delta.json`, `deltaLog.json`, folders) is no item of the feed. */
const RECORD_NAME = /(?:^|\/)(CVE-\d{4}-\d{4,19})\.json$/i

/** `cves/2024/3xxx`: the levels of upstream's folders. */
const FOLDER_DEPTH = 3

/** Records that are read at one go, some 2 MB of JSON: enough to be worth the way to another thread. */
const BATCH_RECORDS = 256

/** A record to read: its id as the file's name states it, what the corpus has for it, and where it lies. */
interface ListedRecord {
  key: CveId
  known: Uint8Array | null
  at: ZipEntry | string
}

export interface RecordBatch {
  /** The archive that the records lie in; null for a folder, where each has its own path. */
  zip: ZipPlace | null
  records: ListedRecord[]
}

/** The records of a file in the order in which they lie there. Throws `FeedError` where it cannot be opened. */
export async function openCveList(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  if (file.folder) return { items: null, batches: batches(null, listFolder(file.path, FOLDER_DEPTH), options) }
  const { place, entries } = await openZip(file.path, options.spill).catch((cause: unknown) => {
    throw cause instanceof FeedError ? new FeedError(cause.code, `${file.name}: ${cause.message}`, { cause }) : cause
  })
  const listing = listZip(entries)
  return { items: listing.length, batches: batches(place, listing, options) }
}

type Listing = Pick<ListedRecord, 'key' | 'at'>

function* batches(zip: ZipPlace | null, listing: Iterable<Listing>, options: ReadOptions): Iterable<RecordBatch> {
  let records: ListedRecord[] = []
  // Batches are listed ahead of being kept: of an id that comes twice, the corpus may not have yet what came first.
  const listed = new Set<CveId>()
  for (const { key, at } of listing) {
    records.push({ key, known: listed.has(key) ? null : options.digestOf(key), at })
    listed.add(key)
    if (records.length < BATCH_RECORDS) continue
    yield { zip, records }
    records = []
  }
  if (records.length > 0) yield { zip, records }
}

function listZip(entries: readonly ZipEntry[]): Listing[] {
  return entries.flatMap((at) => {
    const name = RECORD_NAME.exec(at.name)?.[1]
    return name ? [{ key: parseCveId(name)!, at }] : []
  })
}

function* listFolder(path: string, depth: number): Iterable<Listing> {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const child = join(path, entry.name)
    const name = RECORD_NAME.exec(entry.name)?.[1]
    if (entry.isDirectory() && depth > 0) yield* listFolder(child, depth - 1)
    else if (entry.isFile() && name) yield { key: parseCveId(name)!, at: child }
  }
}

export function readRecordBatch({ zip, records }: RecordBatch): FeedItem[] {
  if (zip === null) return records.map((record) => readRecord(record, () => readRecordFile(record.at as string)))
  return withZip(zip, (window) =>
    records.map((record) => readRecord(record, () => readEntry(window, record.at as ZipEntry, MAX_RECORD_BYTES))),
  )
}

function readRecordFile(path: string): Buffer {
  const { size } = statSync(path)
  if (size > MAX_RECORD_BYTES) {
    throw new FeedError('entry_too_large', `${size} bytes, the limit is ${MAX_RECORD_BYTES}`)
  }
  try {
    return readFileSync(path)
  } catch (cause) {
    throw new FeedError('entry_damaged', `it cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function readRecord({ key, known }: ListedRecord, bytesOf: () => Buffer): FeedItem {
  try {
    const bytes = bytesOf()
    const digest = itemDigest(CVE_LIST_ADAPTER, bytes)
    if (isSameDigest(known, digest)) return { kind: 'known', key, cveId: key, digest }
    const record = parseCveRecord(parseJson(bytes))
    if (record.cveId !== key) {
      throw new FeedError('id_differs_from_name', `the file of ${key} holds ${record.cveId}`)
    }
    const statedAt = [record.dateUpdated, record.datePublished, record.dateRejected].reduce(
      (newest, date) => (date !== null && (newest === null || date > newest) ? date : newest),
      null,
    )
    return { kind: 'claim', key, cveId: key, digest, statedAt, body: JSON.stringify(record), notes: record.notes }
  } catch (cause) {
    return skipOf(key, cause)
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new FeedError('json_invalid', (cause as Error).message, { cause })
  }
}
