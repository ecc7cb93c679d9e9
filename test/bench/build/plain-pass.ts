/**
 * The reference of a full ingest and build, a separate program. It decompresses everything that an ingest reads as of a
 * night. It parses each record (`JSON.parse`) and compresses it (zlib, level 6) in one thread, and discards the result.
 *
 *     plain-pass.ts <feeds> <night>
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, gunzipSync } from 'node:zlib'
import { findSources } from '../../../builder/ingest/sources.ts'
import type { FeedFile } from '../../../corpus/feeds/feed.ts'
import { openZip, readEntry, withZip } from '../../../corpus/feeds/files/zip.ts'

export interface PassTally {
  files: number
  records: number
  /** Bytes of the records as JSON, and compressed. */
  bytes: number
  compressedBytes: number
}

/** @throws Error for an invalid feeds folder, or for an invalid record, which an ingest would skip */
export async function plainPass(feeds: string, night: string | null): Promise<PassTally> {
  const tally: PassTally = { files: 0, records: 0, bytes: 0, compressedBytes: 0 }
  const compress = (record: Buffer) => {
    tally.records++
    tally.bytes += record.length
    tally.compressedBytes += deflateSync(record, { level: 6 }).length
  }
  const parseAndCompress = (record: Buffer) => {
    JSON.parse(record.toString())
    compress(record)
  }
  for (const { files } of await findSources(feeds, night, '9999-12-31', [])) {
    for (const file of files) {
      tally.files++
      const read = READERS.find(({ named }) => named.test(file.name))?.read ?? unpacked
      await read(file, { compress, parseAndCompress })
    }
  }
  return tally
}

interface Steps {
  /** For records that were parsed as a part of a larger value. */
  compress(record: Buffer): void
  parseAndCompress(record: Buffer): void
}

type Reader = (file: FeedFile, steps: Steps) => void | Promise<void>

/** Readers of each kind of file, by name. Files that match none (CSV, XML) are only decompressed. */
const READERS: readonly { named: RegExp; read: Reader }[] = [
  { named: /\.zip$/, read: zipped },
  { named: /\/(?:cves|advisories|all)$/, read: folder },
  { named: /\.ndjson$|^nuclei\//, read: lines },
  { named: /\.json(?:\.gz)?$/, read: list },
]

/** Larger than every entry of a zip. */
const MAX_ENTRY_BYTES = 2 ** 30

/** Random access, as in an ingest: a slower way to read a zip would make the ingest look better. */
async function zipped({ path, name }: FeedFile, { parseAndCompress }: Steps): Promise<void> {
  const { position, entries } = await openZip(path, () => {
    throw new Error(`${name} has a compressed zip in it: unpack that one first`)
  })
  withZip(position, (window) => {
    for (const entry of entries) {
      const bytes = readEntry(window, entry, MAX_ENTRY_BYTES)
      if (entry.name.endsWith('.json')) parseAndCompress(bytes)
    }
  })
}

function folder({ path }: FeedFile, { parseAndCompress }: Steps): void {
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('.json')) parseAndCompress(readFileSync(join(path, name)))
  }
}

function lines(file: FeedFile, { parseAndCompress }: Steps): void {
  for (const line of unpacked(file).toString().split('\n')) if (line !== '') parseAndCompress(Buffer.from(line))
}

/** A list in one JSON value: NVD, KEV, STIX, the CNA list, Metasploit. */
function list(file: FeedFile, { compress }: Steps): void {
  const json = JSON.parse(unpacked(file).toString()) as object & { vulnerabilities?: object; objects?: object }
  for (const record of Object.values(json.vulnerabilities ?? json.objects ?? json)) {
    compress(Buffer.from(JSON.stringify(record)))
  }
}

function unpacked({ path }: FeedFile): Buffer {
  const bytes = readFileSync(path)
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

if (import.meta.main) {
  const [feeds, night] = process.argv.slice(2)
  process.stdout.write(`${JSON.stringify(await plainPass(feeds ?? '', night ?? null))}\n`)
}
