/**
 * Feeds of one JSON file an item, in a zip or in a folder (a checkout of the same repository): listed here, read in
 * batches that any thread can take.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isSameWrapping, withWrapping } from '../../model/item-digest.ts'
import { FeedError } from '../error.ts'
import {
  type FeedFile,
  type FeedItem,
  isSameDigest,
  itemDigest,
  MAX_ITEM_BYTES,
  type OpenFeed,
  type ReadOptions,
  skipOf,
} from '../feed.ts'
import { parseJson } from '../json.ts'
import type { FileWindow } from './file-window.ts'
import { openZip, storedEntry, withZip, type ZipEntry, type ZipPlace } from './zip.ts'

/** How deep below its folder an item may lie: `advisories/github-reviewed/2024/01/<id>/<id>.json`. */
const FOLDER_DEPTH = 6

/** Items that are read at one go, some 2 MB of JSON: enough to be worth the way to another thread. */
const BATCH_ITEMS = 256
/** A batch of larger ones ends here, so that a hostile archive cannot fill the memory with 256 of the largest. */
const BATCH_BYTES = 32 << 20

/** Deflate cannot do better: what states more than this, beyond a margin, has entries that lie on each other. */
const MAX_RATIO = 1032
const RATIO_MARGIN_BYTES = 2 ** 30

/** An item to read: its key as the file's name states it, what the corpus has for it, and where it lies. */
interface ListedItem {
  key: string
  known: Uint8Array | null
  at: ZipEntry | string
}

export interface TreeBatch {
  /** The archive that the items lie in; null for a folder, where each has its own path. */
  zip: ZipPlace | null
  items: ListedItem[]
}

/** What is special to a feed. */
export interface TreeFormat {
  adapter: number
  /** The key of the item that lies at a path, or null where that is no item of the feed. */
  keyOf(path: string): string | null
  /**
   * What the JSON of an item says.
   * @throws FeedError for one that cannot be used
   */
  read(json: unknown, key: string): Omit<Extract<FeedItem, { kind: 'claim' }>, 'kind' | 'key' | 'digest'>
}

/** The items of a file in the order in which they lie there. Throws `FeedError` where it cannot be opened. */
export async function openTree(
  file: FeedFile,
  options: ReadOptions,
  { keyOf }: Pick<TreeFormat, 'keyOf'>,
): Promise<OpenFeed> {
  if (file.folder) return { items: null, batches: batches(null, listFolder(file.path, FOLDER_DEPTH, keyOf), options) }
  const { place, entries } = await openZip(file.path, options.spill).catch((cause: unknown) => {
    throw cause instanceof FeedError ? new FeedError(cause.code, `${file.name}: ${cause.message}`, { cause }) : cause
  })
  const listing = entries.flatMap((at) => {
    const key = keyOf(at.name)
    return key === null ? [] : [{ key, at }]
  })
  const stated = listing.reduce((sum, { at: { size } }) => sum + (size > MAX_ITEM_BYTES ? 0 : size), 0)
  const stored = place.part?.size ?? statSync(place.path).size
  if (stated > MAX_RATIO * stored + RATIO_MARGIN_BYTES) {
    throw new FeedError('file_damaged', `${file.name}: its entries state ${stated} bytes, more than ${stored} can hold`)
  }
  return { items: listing.length, batches: batches(place, listing, options) }
}

type Listing = Pick<ListedItem, 'key' | 'at'>

function* batches(zip: ZipPlace | null, listing: Iterable<Listing>, options: ReadOptions): Iterable<TreeBatch> {
  let items: ListedItem[] = []
  let bytes = 0
  for (const { key, at } of listing) {
    items.push({ key, known: options.digestOf(key), at })
    if (typeof at !== 'string') bytes += Math.min(at.size, MAX_ITEM_BYTES)
    if (items.length < BATCH_ITEMS && bytes < BATCH_BYTES) continue
    yield { zip, items }
    items = []
    bytes = 0
  }
  if (items.length > 0) yield { zip, items }
}

function* listFolder(path: string, depth: number, keyOf: TreeFormat['keyOf']): Iterable<Listing> {
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const child = join(path, entry.name)
    const key = entry.isFile() ? keyOf(child) : null
    if (entry.isDirectory() && depth > 0) yield* listFolder(child, depth - 1, keyOf)
    else if (key !== null) yield { key, at: child }
  }
}

export function readTreeBatch({ zip, items }: TreeBatch, format: TreeFormat): FeedItem[] {
  if (zip === null) {
    return items.map(({ key, known, at }) =>
      readItem(key, () => itemOf(key, readItemFile(at as string), known, format)),
    )
  }
  return withZip(zip, (window) =>
    items.map(({ key, known, at }) => readItem(key, () => archivedItem(key, at as ZipEntry, window, known, format))),
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
  entry: ZipEntry,
  window: FileWindow,
  known: Uint8Array | null,
  format: TreeFormat,
): FeedItem {
  const stored = storedEntry(window, entry, MAX_ITEM_BYTES)
  const wrapping = stored.digest()
  if (known !== null && isSameWrapping(known, format.adapter, wrapping)) return { kind: 'known', key, digest: known }
  const item = itemOf(key, stored.bytes(), known, format)
  return item.kind === 'skip' ? item : { ...item, digest: withWrapping(item.digest, wrapping) }
}

function itemOf(key: string, bytes: Buffer, known: Uint8Array | null, { adapter, read }: TreeFormat): FeedItem {
  const digest = itemDigest(adapter, bytes)
  if (isSameDigest(known, digest)) return { kind: 'known', key, digest: known ?? digest }
  return { kind: 'claim', key, digest, ...read(parseJson(bytes), key) }
}

function readItemFile(path: string): Buffer {
  try {
    const { size } = statSync(path)
    if (size > MAX_ITEM_BYTES) {
      throw new FeedError('entry_too_large', `${size} bytes, the limit is ${MAX_ITEM_BYTES}`)
    }
    return readFileSync(path)
  } catch (cause) {
    if (cause instanceof FeedError) throw cause
    throw new FeedError('entry_damaged', `it cannot be read: ${(cause as Error).message}`, { cause })
  }
}
