/** Reads a feed's files item by item, large ones on several threads, in order. */

import type { Progress } from '../../corpus/command/progress.ts'
import type { Batch, BatchFeed, ClaimFeed, FeedFile, FeedItem, ReadOptions } from '../../corpus/feeds/feed.ts'
import type { FeedName } from '../../corpus/feeds/table.ts'
import { type Pool, runInOrder } from '../../corpus/runtime/pool.ts'
import { type PackedItem, packedItem, type ReadResult, type ReadTask } from './tasks.ts'

/** A string is the key of an unchanged item. */
export type ReadItem = PackedItem | string

export interface Reading {
  options: ReadOptions
  pool: Pool
  progress: Progress
}

/** Yields the items of a file in file order. */
export async function* readFile(
  feed: ClaimFeed | BatchFeed,
  file: FeedFile,
  { options, pool, progress }: Reading,
): AsyncIterable<Iterable<ReadItem>> {
  if (feed.kind === 'claims') {
    const items = feed.read(file, options)
    if (Symbol.iterator in items) yield packedItems(items)
    else for await (const item of items) yield [packedItem(item)]
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

function* packedItems(items: Iterable<FeedItem>): Iterable<PackedItem> {
  for (const item of items) yield packedItem(item)
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
