/** The CVE list v5, record by record, from a zip or a folder. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseCveId } from '../../model/cve-id.ts'
import { FeedError } from '../error.ts'
import { type FeedFile, type FeedItem, itemDigest, type ReadOptions, skipOf } from '../feed.ts'
import { openZip } from '../zip.ts'
import { parseCveRecord } from './record.ts'

/** Raise it with every change in what `parseCveRecord` makes of the same bytes. */
export const CVE_LIST_ADAPTER = 1

/** The largest records upstream are some 4 MB: thousands of affected kernel versions. */
const MAX_RECORD_BYTES = 32 << 20

/** Everything else that lies between the records (`delta.json`, `deltaLog.json`, folders) is no item of the feed. */
const RECORD_NAME = /(?:^|\/)(CVE-\d{4}-\d{4,19})\.json$/i

/** `cves/2024/3xxx`: the levels of upstream's folders. */
const FOLDER_DEPTH = 3

/** The records of a file, in the order in which they lie there. Throws `FeedError` where it cannot be opened. */
export async function* readCveList(file: FeedFile, options: ReadOptions): AsyncIterable<FeedItem> {
  if (file.folder) {
    yield* readFolder(file.path, options, FOLDER_DEPTH)
    return
  }
  const zip = await openZip(file.path, options.spill).catch((cause: unknown) => {
    throw cause instanceof FeedError ? new FeedError(cause.code, `${file.name}: ${cause.message}`, { cause }) : cause
  })
  try {
    for (const entry of zip.entries) {
      const name = RECORD_NAME.exec(entry.name)?.[1]
      if (name) yield readRecord(name, () => zip.read(entry, MAX_RECORD_BYTES), options)
    }
  } finally {
    zip.close()
  }
}

function* readFolder(path: string, options: ReadOptions, depth: number): Iterable<FeedItem> {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const child = join(path, entry.name)
    const name = RECORD_NAME.exec(entry.name)?.[1]
    if (entry.isDirectory() && depth > 0) yield* readFolder(child, options, depth - 1)
    else if (entry.isFile() && name) yield readRecord(name, () => readRecordFile(child), options)
  }
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

/** One record; `name` is its id as the file states it. */
function readRecord(name: string, bytesOf: () => Buffer, options: ReadOptions): FeedItem {
  const key = parseCveId(name)!
  try {
    const bytes = bytesOf()
    const digest = itemDigest(CVE_LIST_ADAPTER, bytes)
    if (options.known(key, digest)) return { kind: 'known', key, cveId: key, digest }
    const record = parseCveRecord(parseJson(bytes))
    if (record.cveId !== key) {
      throw new FeedError('id_differs_from_name', `the file of ${key} holds ${record.cveId}`)
    }
    const statedAt = [record.dateUpdated, record.datePublished, record.dateRejected].reduce(
      (newest, date) => (date !== null && (newest === null || date > newest) ? date : newest),
      null,
    )
    return { kind: 'claim', key, cveId: key, digest, statedAt, claim: record, notes: record.notes }
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
