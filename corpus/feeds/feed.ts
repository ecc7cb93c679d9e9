/** The interface between feeds and the ingest: files to choose from, and adapters that read them item by item. */
import { createHash, hash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { MAX_NAME_LENGTH } from '../model/affected/products.ts'
import type { EpssScore, PastEpssScore, PublishedAdvisory, RecordNote } from '../model/claim.ts'
import type { CveId } from '../model/ids/cve-id.ts'
import { isSameContent, type PackedDigests } from '../model/item-digest.ts'
import { jsonText } from '../model/values/json-text.ts'
import { openRegularFile } from '../runtime/regular-file.ts'
import { FeedError, type FeedErrorCode } from './error.ts'
import { assertNesting } from './json.ts'

export interface FeedFile {
  path: string
  /** Path relative to the feeds folder, with `/`. Reports and errors use it. */
  name: string
  /** Deltas are read after the newest baseline. A feed without deltas has only baselines. */
  role: 'baseline' | 'delta'
  /** The part of the feed in this file (a year, an ecosystem); '' for the whole feed. */
  part: string
  /** Publication date, as text that sorts by time and begins with `YYYY-MM-DD`; null when unknown. */
  date: string | null
  /**
   * The day in the file name, `YYYY-MM-DD`, for feeds that name files by edition. The date inside the file takes
   * precedence.
   */
  namedDay?: string | null
  /** The edition as numbered upstream. */
  version: string | null
  folder: boolean
}

/** The output of an adapter: a new claim, an unchanged item, or a skipped item with its key. */
export type FeedItem =
  | {
      kind: 'claim'
      key: string
      /** The CVEs that the item concerns; may be empty. */
      cveIds: readonly CveId[]
      digest: Uint8Array
      /** The item's own date, ISO 8601 in UTC. */
      statedAt: string | null
      body: string
      notes: readonly RecordNote[]
      /** Bits of what it states (facets.ts). Null if it need not state anything: a rejected record, the operator's line. */
      facets: number | null
      /** What the item states about packages. */
      advisory?: PublishedAdvisory | undefined
    }
  | { kind: 'known'; key: string; digest: Uint8Array }
  | FeedSkip

export interface FeedSkip {
  kind: 'skip'
  key: string
  reason: FeedErrorCode
  detail: string
}

export interface ReadOptions {
  /**
   * Returns the stored digest of an item; equal items are not parsed. Null when there is none, or when the key was
   * requested before: the first copy may not be stored yet.
   */
  digestOf(key: string): Uint8Array | null
  /** Writes bytes that cannot be read in place to a temporary file and returns its path. The caller deletes it. */
  spill(chunks: AsyncIterable<Uint8Array>): Promise<string>
}

interface FeedBase {
  name: string
  /** Display name. */
  title: string
  /** The expected files in the feeds folder, for the error when they are missing. */
  lookedFor: string
  licence: string
  attribution: string
  /** The ingest fails without this feed. */
  required: boolean
  /** Whether each file stands alone: one that is missing, broken or old leaves the others as they are. */
  independentFiles?: true
  /** Whether `find` takes the date from the records: one with a wrong date does not date the file. */
  datedByRecords?: true
  /**
   * Days between this feed's edition and the CVE list's before the report warns: 1 for daily feeds. Null for irregular
   * feeds, and for feeds dated only by their newest record.
   */
  maxDaysApart: number | null
  /** Days after which the edition is old: its publisher or a copy has stopped. Null for irregular feeds. */
  maxAgeDays: number | null
  /** Version of the adapter. A change makes the ingest read all items again. */
  adapter: number
  /**
   * Returns the existing files.
   * @throws FeedError when a file's date is unknown because it cannot be read
   */
  find(feedsFolder: string): FeedFile[] | Promise<FeedFile[]>
}

export interface ClaimFeed extends FeedBase {
  kind: 'claims'
  read(file: FeedFile, options: ReadOptions): Iterable<FeedItem> | AsyncIterable<FeedItem>
}

/** Items to read, as plain data. It is copied to another thread, so it should contain few objects. */
export interface Batch {
  /** Null for an item without a key before it is parsed. */
  keys: readonly (string | null)[]
  known: PackedDigests
}

export interface OpenFeed {
  /** Number of items in the batches; null when counting takes too long. */
  items: number | null
  batches: Iterable<Batch> | AsyncIterable<Batch>
}

/** A large feed that several threads read. Batches are plain data, and any thread can read each one. */
export interface BatchFeed extends FeedBase {
  kind: 'batches'
  open(file: FeedFile, options: ReadOptions): Promise<OpenFeed>
  readBatch(batch: Batch): FeedItem[]
}

/** EPSS: one row of scores per CVE, all new every day. */
export interface ScoreFeed extends FeedBase {
  kind: 'scores'
  read(file: FeedFile): Iterable<({ kind: 'score' } & EpssScore) | FeedSkip>
  /** Reads an edition for the history. */
  readPast(file: FeedFile): Iterable<({ kind: 'score' } & PastEpssScore) | FeedSkip>
}

export type Feed = ClaimFeed | BatchFeed | ScoreFeed

/**
 * Maximum bytes of an item. The largest upstream have about 4 MB: thousands of affected kernel versions. Line-based
 * feeds have lower limits.
 */
export const MAX_ITEM_BYTES = 32 << 20

/**
 * Maximum characters of a claim's JSON: the limit of a record part (SPEC.md, "Segment"). Short items can make long
 * claims, because each affected product repeats all fields.
 */
export const MAX_CLAIM_LENGTH = 64 << 20

/**
 * Maximum characters of what a record states about all its packages. It fits into a segment with up to three bytes per
 * character. Each package repeats the facts of the record.
 */
export const MAX_STATEMENTS_LENGTH = 16 << 20

/**
 * Maximum characters of a catalog entry. 25 rows, with up to three bytes per character, share a segment (SPEC.md, "Page
 * shard").
 */
export const MAX_ENTRY_LENGTH = 512 << 10

/**
 * Returns the JSON of a claim.
 * @throws FeedError `entry_too_large`
 */
export function claimText(claim: unknown, maxLength = MAX_CLAIM_LENGTH): string {
  const text = jsonText(claim)
  if (text !== null && text.length <= maxLength) return text
  const length = text === null ? 'too many' : String(text.length)
  throw new FeedError('entry_too_large', `its claim has ${length} characters; the limit is ${maxLength}`)
}

/** Returns the digest of an item's upstream bytes: the adapter's version, then 16 bytes of SHA-256. */
export function itemDigest(adapter: number, bytes: Uint8Array | string): Uint8Array {
  const digest = new Uint8Array(17)
  digest[0] = adapter
  digest.set(hash('sha256', bytes, 'buffer').subarray(0, 16), 1)
  return digest
}

/**
 * Returns the digest of an item's JSON, when its byte range in the file is unknown.
 * @throws FeedError when the item is nested too deep or too large
 */
export function jsonItemDigest(adapter: number, json: unknown): Uint8Array {
  assertNesting(json)
  return itemDigest(adapter, withinLimit(JSON.stringify(json)))
}

/** @throws FeedError when the item is too large */
export function withinLimit(json: string): string {
  if (json.length <= MAX_ITEM_BYTES) return json
  throw new FeedError('entry_too_large', `${json.length} characters; the limit is ${MAX_ITEM_BYTES}`)
}

/** Whether two digests have the same content, regardless of the raw bytes. */
export function isSameDigest(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && isSameContent(a, b)
}

/** Returns a skip for a `FeedError`. Rethrows all other errors, which are our own faults. */
export function skipOf(key: string, cause: unknown): FeedSkip {
  if (!(cause instanceof FeedError)) throw cause
  return { kind: 'skip', key, reason: cause.code, detail: cause.message }
}

/** Maximum percent-encoded bytes of a catalog entry's name (SPEC.md, "Catalog shard"). */
const MAX_NAME_BYTES = 200

const nameBytes = (name: string): number => encodeURI(name.toWellFormed()).length

/** Whether a name fits into a snapshot. A longer one would fail every build. */
export const isEntryName = (name: string): boolean => nameBytes(name) <= MAX_NAME_BYTES

/** @throws FeedError when the name is too long for an entry */
export function assertName(name: string): void {
  if (isEntryName(name)) return
  const what = `its percent-encoded name has ${nameBytes(name)} bytes; the limit is ${MAX_NAME_BYTES}`
  throw new FeedError('item_invalid', what)
}

/**
 * Rejects long names, because many claims would repeat them.
 * @throws FeedError `item_invalid`
 */
export function assertNameLength(what: string, name: string | null): void {
  if (name === null || name.length <= MAX_NAME_LENGTH) return
  throw new FeedError('item_invalid', `${what} has ${name.length} characters; the limit is ${MAX_NAME_LENGTH}`)
}

/** Maximum weaknesses per claim, because they are compared with those of every other claim. */
const MAX_WEAKNESSES = 1000

/** @throws FeedError `item_invalid` when there are too many weaknesses */
export function boundedWeaknesses(ids: Iterable<string>): string[] {
  const all = [...ids]
  if (all.length <= MAX_WEAKNESSES) return all
  throw new FeedError('item_invalid', `it lists ${all.length} weaknesses; the limit is ${MAX_WEAKNESSES}`)
}

const CHUNK_BYTES = 1 << 20

export interface FileDigest {
  bytes: number
  sha256: string
}

/** Returns size and SHA-256 of a file; reads it in chunks. */
export function fileDigest(path: string): FileDigest {
  const sha256 = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const file = openRegularFile(path)
  try {
    let bytes = 0
    for (let got = readSync(file, chunk); got > 0; got = readSync(file, chunk)) {
      sha256.update(chunk.subarray(0, got))
      bytes += got
    }
    return { bytes, sha256: sha256.digest('hex') }
  } finally {
    closeSync(file)
  }
}
