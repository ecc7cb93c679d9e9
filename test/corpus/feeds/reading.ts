/** Reads a feed file in a test: all items, in order. */
import { writeFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { cveList } from '../../../corpus/feeds/cvelist/cvelist.ts'
import { FeedError } from '../../../corpus/feeds/error.ts'
import type { BatchFeed, ClaimFeed, Feed, FeedFile, FeedItem, ReadOptions } from '../../../corpus/feeds/feed.ts'

/** No item is known; an inner zip is written to `<path>.spill`. */
export function readOptions(path: string): ReadOptions {
  return {
    digestOf: () => null,
    async spill(chunks) {
      const parts: Uint8Array[] = []
      for await (const chunk of chunks) parts.push(chunk)
      writeFileSync(`${path}.spill`, Buffer.concat(parts))
      return `${path}.spill`
    },
  }
}

export function feedFile(path: string, folder = false): FeedFile {
  return { path, name: path.split('/').at(-1)!, role: 'baseline', part: '', date: null, version: null, folder }
}

export async function cveListItems(path: string, folder = false, options = readOptions(path)): Promise<FeedItem[]> {
  const { items: total, batches } = await cveList.open(feedFile(path, folder), options)
  const items = (await listOf(batches)).flatMap(cveList.readBatch)
  assert.is(total, folder ? null : items.length)
  return items
}

/** Returns all items that a feed yields for a file. */
export async function feedItems(feed: Feed, file: FeedFile): Promise<({ kind: string } & object)[]> {
  if (feed.kind === 'scores') return [...feed.read(file)]
  const options = readOptions(file.path)
  if (feed.kind === 'claims') return itemsOf(feed.read(file, options))
  return batchItems(feed, file, options)
}

/** Returns all items of a feed that is read in batches, in order. */
export async function batchItems(
  { open, readBatch }: Pick<BatchFeed, 'open' | 'readBatch'>,
  file: FeedFile,
  options = readOptions(file.path),
): Promise<FeedItem[]> {
  return (await listOf((await open(file, options)).batches)).flatMap(readBatch)
}

export async function listOf<T>(all: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const one of all) list.push(one)
  return list
}

/** Returns all items that a reader of claims yields, in order. */
export async function itemsOf(reading: ReturnType<ClaimFeed['read']>): Promise<FeedItem[]> {
  const items: FeedItem[] = []
  for await (const item of reading) items.push(item)
  return items
}

/** Returns the error of the work as text: `file_invalid: …`. */
export async function errorOf(work: () => unknown): Promise<string> {
  try {
    await work()
  } catch (error) {
    assert.instance(error, FeedError)
    return `${(error as FeedError).code}: ${(error as FeedError).message}`
  }
  return 'no error'
}

/** Returns `CVE-2024-0001`, or `CVE-2024-0002 entry_damaged` for a skipped item. */
export function outcomes(items: readonly FeedItem[]): string[] {
  return items.map((item) => (item.kind === 'skip' ? `${item.key} ${item.reason}` : item.key))
}
