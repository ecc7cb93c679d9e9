/** Reads a feed's files item by item, large ones on several threads, in order. */

import type { Progress } from '../../corpus/command/progress.ts'
import type {
  Batch,
  BatchFeed,
  ClaimFeed,
  FeedFile,
  FeedItem,
  ReadOptions,
  SiftedFile,
} from '../../corpus/feeds/feed.ts'
import { packDigests } from '../../corpus/feeds/packed-digests.ts'
import type { FeedName } from '../../corpus/feeds/table.ts'
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import type { Staging } from '../../corpus/store/staging.ts'
import type { Sifting } from './prescan.ts'
import type { ReadResult, ReadTask } from './tasks.ts'

/** A string is the key of an unchanged item. */
export type ReadItem = FeedItem | string

export interface Reading {
  options: ReadOptions
  staging: Pick<Staging, 'knownItems' | 'digestsOf'>
  pool: Pool
  progress: Progress
  sift: Sifting
}

export async function* readFiles(
  feed: ClaimFeed | BatchFeed,
  files: readonly FeedFile[],
  reading: Reading,
): AsyncIterable<{ index: number; items: Iterable<ReadItem> }> {
  for (const [index, file] of files.entries()) {
    const sifted = await reading.sift(index)
    const batches = sifted && asked(feed, sifted, reading)
    if (sifted && batches) yield { index, items: await siftedItems(feed, sifted, batches, reading) }
    else for await (const items of readFile(feed, file, reading)) yield { index, items }
  }
}

/** Adds the corpus's digests. Returns null if a known item occurs again, because then the reading order matters. */
function asked(feed: ClaimFeed | BatchFeed, { positions, batches }: SiftedFile, { staging }: Reading): Batch[] | null {
  const keys = batches.flatMap((batch) => batch.keys)
  const digests = staging.digestsOf(feed.name, positions, keys)
  if (digests === null) return null
  let from = 0
  return batches.map((batch) => {
    const known = packDigests(digests.slice(from, from + batch.keys.length))
    from += batch.keys.length
    return { ...batch, known }
  })
}

async function siftedItems(
  feed: ClaimFeed | BatchFeed,
  { positions }: SiftedFile,
  batches: readonly Batch[],
  { staging, pool }: Reading,
): Promise<ReadItem[]> {
  const found: ReadItem[] = []
  for await (const items of readBatches(feed.name, batches, pool)) found.push(...items)
  const { keyAt } = staging.knownItems(feed.name)
  let next = 0
  return Array.from(positions, (position) => (position < 0 ? found[next++]! : keyAt(position)))
}

async function* readFile(
  feed: ClaimFeed | BatchFeed,
  file: FeedFile,
  { options, pool, progress }: Reading,
): AsyncIterable<Iterable<ReadItem>> {
  if (feed.kind === 'claims') {
    const items = feed.read(file, options)
    if (Symbol.iterator in items) yield items
    else for await (const item of items) yield [item]
    return
  }
  const { items: total, batches } = await feed.open(file, options)
  let done = 0
  for await (const items of readBatches(feed.name, batches, pool)) {
    yield items
    done += items.length
    if (total !== null) progress(file.name, done, total)
  }
}

async function* readBatches(
  feed: string,
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  pool: Pool,
): AsyncIterable<ReadItem[]> {
  const underWay: Batch[] = []
  async function* tasks(): AsyncIterable<ReadTask> {
    for await (const batch of batches) {
      underWay.push(batch)
      yield { feed: feed as FeedName, batch }
    }
  }
  for await (const items of runInOrder<ReadResult>(pool, 'read', tasks())) {
    const { keys } = underWay.shift()!
    // Known items were looked up by their key.
    yield items.map((item, i) => item ?? keys[i]!)
  }
}
