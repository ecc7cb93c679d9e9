/**
 * Feeds with one JSON file per item, in a zip or a checkout. Lists the items, and reads them in batches on any thread.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digestAt, isSameRawDigest, packDigests, withRawDigest } from '../../model/item-digest.ts'
import { FeedError } from '../error.ts'
import {
  type Batch,
  type BatchFeed,
  type FeedFile,
  type FeedItem,
  isSameDigest,
  itemDigest,
  MAX_ITEM_BYTES,
  type OpenFeed,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import { parseJson, utf8Text } from '../json.ts'
import type { FileWindow } from './file-window.ts'
import { readItemFile } from './plain-file.ts'
import { type EntryMeasures, openZip, storedEntry, withZip, type ZipEntry, type ZipPosition } from './zip.ts'

/** Maximum depth of an item below its folder: `advisories/github-reviewed/2024/01/<id>/<id>.json`. */
const FOLDER_DEPTH = 6

/** Items per batch, about 2 MB of JSON: large enough to justify the transfer to a thread. */
const BATCH_ITEMS = 256
/** Maximum bytes per batch, so that a hostile archive cannot fill the memory with 256 items of maximum size. */
const BATCH_BYTES = 32 << 20

/** Deflate's maximum ratio. An archive beyond it, plus a margin, has overlapping entries. */
const MAX_RATIO = 1032
const RATIO_MARGIN_BYTES = 2 ** 30

export interface TreeBatch extends Batch {
  keys: string[]
  /** The items' positions: archive entries, or paths. */
  at: { zip: ZipPosition; entries: Float64Array } | string[]
}

export interface TreeFormat {
  adapter: number
  keyOf(path: string): string | null
  /**
   * Returns the claim of an item's JSON. `text` is the JSON as it is in the file.
   * @throws FeedError when the item is unusable
   */
  read(json: unknown, key: string, text: string): Omit<Extract<FeedItem, { kind: 'claim' }>, 'kind' | 'key' | 'digest'>
}

/** The reading part of a feed's row in the feed table. `open` throws a FeedError when the file cannot be opened. */
export function treeFeed(format: TreeFormat): Pick<BatchFeed, 'kind' | 'adapter' | 'open' | 'readBatch'> {
  return {
    kind: 'batches',
    adapter: format.adapter,
    open: (file, options) => openTree(file, options, format),
    readBatch: (batch) => readTreeBatch(batch as TreeBatch, format),
  }
}

/** Opens the items of a file in stored order. */
async function openTree(file: FeedFile, options: ReadOptions, { keyOf }: Pick<TreeFormat, 'keyOf'>): Promise<OpenFeed> {
  if (file.folder) {
    return { items: null, batches: batches(listFolder(file.path, FOLDER_DEPTH, keyOf), options, (paths) => paths) }
  }
  const { position, entries } = await openZip(file.path, options.spill).catch((cause: unknown) => {
    throw cause instanceof FeedError ? new FeedError(cause.code, `${file.name}: ${cause.message}`, { cause }) : cause
  })
  const listing = entries.flatMap((at) => {
    const key = keyOf(at.name)
    return key === null ? [] : [{ key, at }]
  })
  const stated = listing.reduce((sum, { at: { size } }) => sum + (size > MAX_ITEM_BYTES ? 0 : size), 0)
  const stored = position.part?.size ?? statSync(position.path).size
  if (stated > MAX_RATIO * stored + RATIO_MARGIN_BYTES) {
    throw new FeedError(
      'file_damaged',
      `${file.name}: its entries state ${stated} bytes, too many for a file of ${stored} bytes`,
    )
  }
  const located = (positions: ZipEntry[]) => ({ zip: position, entries: packEntries(positions) })
  return { items: listing.length, batches: batches(listing, options, located) }
}

interface Listing<Position> {
  key: string
  at: Position
}

/** Yields batches. `placed` converts the positions of their items. */
function* batches<Position extends ZipEntry | string>(
  listing: Iterable<Listing<Position>>,
  { digestOf }: ReadOptions,
  located: (positions: Position[]) => TreeBatch['at'],
): Iterable<TreeBatch> {
  let keys: string[] = []
  let known: (Uint8Array | null)[] = []
  let positions: Position[] = []
  let bytes = 0
  const finish = (): TreeBatch => {
    const batch = { keys, known: packDigests(known), at: located(positions) }
    keys = []
    known = []
    positions = []
    bytes = 0
    return batch
  }
  for (const { key, at } of listing) {
    keys.push(key)
    known.push(digestOf(key))
    positions.push(at)
    if (typeof at !== 'string') bytes += Math.min(at.size, MAX_ITEM_BYTES)
    if (keys.length >= BATCH_ITEMS || bytes >= BATCH_BYTES) yield finish()
  }
  if (keys.length > 0) yield finish()
}

function* listFolder(path: string, depth: number, keyOf: TreeFormat['keyOf']): Iterable<Listing<string>> {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const child = join(path, entry.name)
    const key = entry.isFile() ? keyOf(child) : null
    if (entry.isDirectory() && depth > 0) yield* listFolder(child, depth - 1, keyOf)
    else if (key !== null) yield { key, at: child }
  }
}

function readTreeBatch({ keys, known, at }: TreeBatch, format: TreeFormat): FeedItem[] {
  if (Array.isArray(at)) {
    return keys.map((key, i) =>
      readItem(key, () => itemOf(key, readItemFile(at[i]!, MAX_ITEM_BYTES), digestAt(known, i), format)),
    )
  }
  return withZip(at.zip, (window) =>
    keys.map((key, i) =>
      readItem(key, () => archivedItem(key, entryAt(at.entries, i), window, digestAt(known, i), format)),
    ),
  )
}

function readItem(key: string, read: () => FeedItem): FeedItem {
  try {
    return read()
  } catch (cause) {
    return skipOf(key, cause)
  }
}

function archivedItem(
  key: string,
  entry: EntryMeasures,
  window: FileWindow,
  known: Uint8Array | null,
  format: TreeFormat,
): FeedItem {
  const stored = storedEntry(window, entry, MAX_ITEM_BYTES)
  const rawDigest = stored.digest()
  if (known !== null && isSameRawDigest(known, format.adapter, rawDigest)) return { kind: 'known', key, digest: known }
  const item = itemOf(key, stored.bytes(), known, format)
  return item.kind === 'skip' ? item : { ...item, digest: withRawDigest(item.digest, rawDigest) }
}

function itemOf(key: string, bytes: Buffer, known: Uint8Array | null, { adapter, read }: TreeFormat): FeedItem {
  const digest = itemDigest(adapter, bytes)
  if (isSameDigest(known, digest)) return { kind: 'known', key, digest: known ?? digest }
  const text = utf8Text(bytes)
  return { kind: 'claim', key, digest, ...read(parseJson(text), key, text) }
}

const MEASURES = 6

/** Packs archive entries for another thread. Transferring them as objects took longer than finding them. */
function packEntries(entries: readonly EntryMeasures[]): Float64Array {
  const packed = new Float64Array(MEASURES * entries.length)
  for (const [index, entry] of entries.entries()) {
    const { offset, compressedSize, size, crc32, method, encrypted } = entry
    packed.set([offset, compressedSize, size, crc32, method, encrypted ? 1 : 0], MEASURES * index)
  }
  return packed
}

function entryAt(packed: Float64Array, index: number): EntryMeasures {
  const [offset, compressedSize, size, crc32, method, encrypted] = packed.subarray(MEASURES * index)
  return {
    offset: offset!,
    compressedSize: compressedSize!,
    size: size!,
    crc32: crc32!,
    method: method!,
    encrypted: encrypted === 1,
  }
}
