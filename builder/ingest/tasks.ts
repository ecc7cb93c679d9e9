/** The work of an ingest that any thread can do: taking a file's digest, reading a batch of a large feed, merging a batch of records. */
import {
  type Batch,
  type BatchFeed,
  type FeedFile,
  type FeedItem,
  type FileDigest,
  fileDigest,
  type SiftedFile,
} from '../../corpus/feeds/feed.ts'
import { digestAt } from '../../corpus/feeds/packed-digests.ts'
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import type { WrappingTable } from '../../corpus/feeds/wrapping-table.ts'
import type { TaskResult } from '../../corpus/snapshot/pool.ts'
import { type MergeSettings, mergeRecord, type RecordToMerge } from './record.ts'

export interface ReadTask {
  feed: FeedName
  batch: Batch
}

export interface SiftTask {
  feed: FeedName
  file: FeedFile
  known: WrappingTable
}

/**
 * Null stands for an item that lies there to the byte as the corpus has it: most of a night's do, and an object for each
 * was most of what came back from a thread.
 */
export type ReadResult = (FeedItem | null)[]

export interface MergeTask {
  records: RecordToMerge[]
  settings: MergeSettings
}

export const tasks = {
  digest: (path: string): TaskResult => ({ value: fileDigest(path) satisfies FileDigest }),
  sift: async ({ feed, file, known }: SiftTask): Promise<TaskResult> => ({
    value: ((await batchFeed(feed).sift?.(file, known)) ?? null) satisfies SiftedFile | null,
  }),
  read: ({ feed, batch }: ReadTask): TaskResult => {
    const items = batchFeed(feed).readBatch(batch)
    return {
      value: items.map((item, i) => (isSame(item, digestAt(batch.known, i)) ? null : item)) satisfies ReadResult,
    }
  },
  merge: ({ records, settings }: MergeTask): TaskResult => ({
    value: records.map((record) => mergeRecord(record, settings)),
  }),
}

function batchFeed(name: FeedName): BatchFeed {
  const feed = FEEDS.find((one) => one.name === name)
  if (feed?.kind !== 'batches') throw new TypeError(`${name} is not read in batches`)
  return feed
}

function isSame(item: FeedItem, known: Uint8Array | null): boolean {
  return item.kind === 'known' && known !== null && Buffer.compare(item.digest, known) === 0
}
