/** What a feed is to the ingest: files to choose from, and an adapter that reads them item by item. */
import { createHash, hash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import type { EpssScore, RecordNote } from '../model/claim.ts'
import type { CveId } from '../model/cve-id.ts'
import { isSameContent } from '../model/item-digest.ts'
import { jsonText } from '../model/json-text.ts'
import { MAX_NAME_LENGTH } from '../model/products.ts'
import { FeedError, type FeedErrorCode } from './error.ts'
import { assertNesting } from './json.ts'
import type { PackedDigests } from './packed-digests.ts'
import type { WrappingTable } from './wrapping-table.ts'

/** A file (or folder of files) that a feed can be read from. */
export interface FeedFile {
  path: string
  /** Relative to the feeds folder, with `/`: what reports and errors call it. */
  name: string
  /** A delta is read on top of the newest baseline; a feed without deltas has baselines only. */
  role: 'baseline' | 'delta'
  /** Which part of the feed it holds, where the publisher splits it (by year, by ecosystem); '' for the whole. */
  part: string
  /** When it was published, as text that sorts by time and begins with `YYYY-MM-DD`; null where nothing says so. */
  date: string | null
  /** The day in its name, `YYYY-MM-DD`, where that is meant to be the edition's: the one stated inside counts. */
  namedDay?: string | null
  /** The edition as the upstream counts it. */
  version: string | null
  folder: boolean
}

/** What an adapter yields: a claim to keep, one that the corpus has already, or an item left out, named. */
export type FeedItem =
  | {
      kind: 'claim'
      /** The feed's own key of the item, unique within the feed. */
      key: string
      /** The CVEs that it is about; none for an entry that is about none. */
      cveIds: readonly CveId[]
      digest: Uint8Array
      /** The date that the item states for itself, ISO 8601 in UTC. */
      statedAt: string | null
      /** The claim, JSON. */
      body: string
      notes: readonly RecordNote[]
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
   * The digest that the corpus has for an item: of the same bytes nothing is parsed, and no claim is yielded. Null where
   * it has none, and where the key was asked for before: what came first may be on its way into the corpus.
   */
  digestOf(key: string): Uint8Array | null
  /** Puts bytes that cannot be read in place into a scratch file and gives its path; the caller removes it. */
  spill(chunks: AsyncIterable<Uint8Array>): Promise<string>
}

interface FeedBase {
  name: string
  /** For people. */
  title: string
  /** What is looked for in the feeds folder, for the message when it is not there. */
  lookedFor: string
  licence: string
  attribution: string
  /** Without it there is nothing to ingest. */
  required: boolean
  /**
   * How many days its edition may lie from the CVE list's before the report says so: 1 for what is published daily.
   * Null for what comes out now and then, or says of itself only when its newest record changed.
   */
  maxDaysApart: number | null
  /** Version of the adapter: raised when it reads the same bytes differently, so that everything is read anew. */
  adapter: number
  /** The files that are there. Throws `FeedError` for one whose date cannot be told because it cannot be read. */
  find(feedsFolder: string): FeedFile[] | Promise<FeedFile[]>
}

export interface ClaimFeed extends FeedBase {
  kind: 'claims'
  read(file: FeedFile, options: ReadOptions): Iterable<FeedItem> | AsyncIterable<FeedItem>
}

/** Items to read, as plain data: on its way to another thread it is copied, so that it had better have few objects. */
export interface Batch {
  /** Null for an item whose key cannot be told before it is read. */
  keys: readonly (string | null)[]
  /** What the corpus has for each. */
  known: PackedDigests
}

export interface OpenFeed {
  /** How many items the batches hold; null where it takes too long to count them. */
  items: number | null
  batches: Iterable<Batch> | AsyncIterable<Batch>
}

/** What a file holds beside what the corpus has to the byte. */
export interface SiftedFile {
  /** Of each item, in the file's order, its place among those that the corpus has, or -1: then it is the next in `batches`. */
  places: Int32Array
  /** Nothing is told here of what the corpus has for them. */
  batches: Batch[]
  /** What these hold. */
  bytes: number
}

/** A feed so large that other threads help to read it: batches are plain data, and each can be read anywhere. */
export interface BatchFeed extends FeedBase {
  kind: 'batches'
  open(file: FeedFile, options: ReadOptions): Promise<OpenFeed>
  /** The items of a batch, in its order. */
  readBatch(batch: Batch): FeedItem[]
  /** Goes through a file without reading what the corpus has; null where most is new, or an item cannot be named. */
  sift?(file: FeedFile, known: WrappingTable): Promise<SiftedFile | null>
}

/** EPSS: one row of figures per CVE, all of them new every day. */
export interface ScoreFeed extends FeedBase {
  kind: 'scores'
  read(file: FeedFile): Iterable<({ kind: 'score' } & EpssScore) | FeedSkip>
}

export type Feed = ClaimFeed | BatchFeed | ScoreFeed

/**
 * The longest an item may be, in whatever form it comes; the largest upstream have some 4 MB: thousands of affected kernel
 * versions. Feeds whose items are lines have smaller limits of their own.
 */
export const MAX_ITEM_BYTES = 32 << 20

/**
 * The longest a claim may be, in characters of its JSON: what a snapshot can hold of one part of a record (SPEC.md,
 * "Segment"). A short item can make a long claim: each affected product is repeated with all of its fields.
 */
export const MAX_CLAIM_LENGTH = 64 << 20

/** The same of an entry of a catalogue: 25 rows, of up to three bytes a character, share a segment (SPEC.md, "Page shard"). */
export const MAX_ENTRY_LENGTH = 512 << 10

/**
 * The JSON of a claim.
 * @throws FeedError `entry_too_large`
 */
export function claimText(claim: unknown, maxLength = MAX_CLAIM_LENGTH): string {
  const text = jsonText(claim)
  if (text !== null && text.length <= maxLength) return text
  const length = text === null ? 'too many' : String(text.length)
  throw new FeedError('entry_too_large', `its claim has ${length} characters, the limit is ${maxLength}`)
}

/** The digest of an item's upstream bytes: the adapter's version, then 16 bytes of SHA-256. */
export function itemDigest(adapter: number, bytes: Uint8Array | string): Uint8Array {
  const digest = new Uint8Array(17)
  digest[0] = adapter
  digest.set(hash('sha256', bytes, 'buffer').subarray(0, 16), 1)
  return digest
}

/**
 * The digest of an item that is known by its own JSON, because its bytes have no border in the file.
 * @throws FeedError for one that is nested too deep, or too large
 */
export function jsonItemDigest(adapter: number, json: unknown): Uint8Array {
  assertNesting(json)
  return itemDigest(adapter, withinLimit(JSON.stringify(json)))
}

/** @throws FeedError for an item that is too large */
export function withinLimit(json: string): string {
  if (json.length <= MAX_ITEM_BYTES) return json
  throw new FeedError('entry_too_large', `${json.length} characters, the limit is ${MAX_ITEM_BYTES}`)
}

/** Whether an item says what it said, however its bytes are wrapped. */
export function isSameDigest(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && isSameContent(a, b)
}

/** A skip for what was thrown, which must be a `FeedError`: anything else is a fault of ours and passes through. */
export function skipOf(key: string, cause: unknown): FeedSkip {
  if (!(cause instanceof FeedError)) throw cause
  return { kind: 'skip', key, reason: cause.code, detail: cause.message }
}

/** What a snapshot has room for in the name of a catalogue's entry, percent-encoded (SPEC.md, "Catalog shard"). */
const MAX_NAME_BYTES = 200

const nameBytes = (name: string): number => encodeURI(name.toWellFormed()).length

/** Whether a snapshot has room for this name of an entry: a longer one would stop every build. */
export const isEntryName = (name: string): boolean => nameBytes(name) <= MAX_NAME_BYTES

/** @throws FeedError for a name too long to be that of an entry */
export function assertName(name: string): void {
  if (isEntryName(name)) return
  const what = `its name takes ${nameBytes(name)} bytes percent-encoded, more than ${MAX_NAME_BYTES}`
  throw new FeedError('item_invalid', what)
}

/**
 * Refuses a name that many statements would repeat.
 * @throws FeedError `item_invalid`
 */
export function assertNameLength(what: string, name: string | null): void {
  if (name === null || name.length <= MAX_NAME_LENGTH) return
  throw new FeedError('item_invalid', `${what} has ${name.length} characters, the limit is ${MAX_NAME_LENGTH}`)
}

/** The most weaknesses of a claim; they are compared with those of every other claim. */
const MAX_WEAKNESSES = 1000

/** @throws FeedError `item_invalid` for too many weaknesses */
export function boundedWeaknesses(ids: Iterable<string>): string[] {
  const all = [...ids]
  if (all.length <= MAX_WEAKNESSES) return all
  throw new FeedError('item_invalid', `it names ${all.length} weaknesses, the limit is ${MAX_WEAKNESSES}`)
}

const CHUNK_BYTES = 1 << 20

export interface FileDigest {
  bytes: number
  /** In hex. */
  sha256: string
}

/** Size and SHA-256 of a file, read in pieces. */
export function fileDigest(path: string): FileDigest {
  const sha256 = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  const file = openSync(path, 'r')
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
