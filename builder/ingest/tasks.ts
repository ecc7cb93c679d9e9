/** The work of an ingest that any thread can do: reading a batch of a large feed, merging a batch of records. */
import type { FeedItem } from '../../corpus/feeds/feed.ts'
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import type { TaskResult } from '../../corpus/snapshot/pool.ts'
import { type MergeSettings, mergeRecord, type RecordToMerge } from './record.ts'

export interface ReadTask {
  feed: FeedName
  batch: unknown
}

export interface MergeTask {
  records: RecordToMerge[]
  settings: MergeSettings
}

export const tasks = {
  read: ({ feed: name, batch }: ReadTask): TaskResult => {
    const feed = FEEDS.find((one) => one.name === name)
    if (feed?.kind !== 'batches') throw new TypeError(`${name} is not read in batches`)
    return { value: feed.readBatch(batch) satisfies FeedItem[] }
  },
  merge: ({ records, settings }: MergeTask): TaskResult => ({
    value: records.map((record) => mergeRecord(record, settings)),
  }),
}
