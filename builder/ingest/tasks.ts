/** Worker tasks of an ingest. */
import { type Batch, type BatchFeed, type FeedItem, type FileDigest, fileDigest } from '../../corpus/feeds/feed.ts'
import { FEEDS, type FeedName } from '../../corpus/feeds/table.ts'
import { digestAt } from '../../corpus/model/item-digest.ts'
import type { TaskResult } from '../../corpus/runtime/pool.ts'
import { type PackedAdvisory, packAdvisory } from '../../corpus/store/advisory-rows.ts'
import { openCommittedCorpus } from '../../corpus/store/committed-corpus.ts'
import { connections } from '../../corpus/store/connections.ts'
import type { KeptClaim } from '../../corpus/store/merging.ts'
import { type PackedText, packText, unpackText } from '../../corpus/store/packed-text.ts'
import { type ClaimText, type MergeResult, type MergeSettings, mergeRecord, type RecordToMerge } from './record.ts'

export interface ReadTask {
  feed: FeedName
  batch: Batch
}

type ClaimItem = Extract<FeedItem, { kind: 'claim' }>

/** An item as it is stored. */
export type PackedItem =
  | Exclude<FeedItem, ClaimItem>
  | (Omit<ClaimItem, 'body' | 'advisory'> & { body: PackedText; advisory: PackedAdvisory | null })

export function packedItem(item: FeedItem): PackedItem {
  if (item.kind !== 'claim') return item
  const { body, advisory = null, ...others } = item
  return { ...others, body: packText(body), advisory: advisory && packAdvisory(advisory) }
}

/** Null is an unchanged item. Most are, and objects for them would dominate the transfer between threads. */
export type ReadResult = (PackedItem | null)[]

/** Read by the worker itself. */
type Before = Pick<RecordToMerge, 'previous' | 'gone' | 'rejected' | 'committed'>

export interface TouchedRecord extends Omit<RecordToMerge, keyof Before | 'claims'> {
  cveKey: string
  /** Null if they are too long for a record. */
  claims: KeptClaim[] | null
  isComparable: boolean
}

export interface MergeTask {
  records: TouchedRecord[]
  settings: MergeSettings
  /** The corpus of the last commit; null if there was none. */
  committed: string | null
}

const formers = connections(openCommittedCorpus)

export const closeCommittedCorpora = formers.close

export const tasks = {
  digest: (path: string): TaskResult => ({ value: fileDigest(path) satisfies FileDigest }),
  read: ({ feed, batch }: ReadTask): TaskResult => {
    const items = batchFeed(feed).readBatch(batch)
    return {
      value: items.map((item, i) =>
        isSame(item, digestAt(batch.known, i)) ? null : packedItem(item),
      ) satisfies ReadResult,
    }
  },
  merge: (task: MergeTask): TaskResult => ({ value: mergeInThisThread(task) }),
}

export const committedCorpus = formers.at

export function mergeInThisThread({ records, settings, committed }: MergeTask): MergeResult[] {
  return records.map(({ claims, ...record }) =>
    claims === null
      ? { kind: 'too-large', why: 'the claims on it are longer than a record can be' }
      : mergeRecord({ ...record, claims: claims.map(unpacked), ...before(record, committed) }, settings),
  )
}

const unpacked = ({ feed, body }: KeptClaim): ClaimText => ({ feed, body: unpackText(body) })

function before({ cveKey, isComparable }: Pick<TouchedRecord, 'cveKey' | 'isComparable'>, path: string | null): Before {
  if (path === null) return { previous: null, gone: null, rejected: null, committed: null }
  const corpus = formers.at(path)
  const previous = corpus.record(cveKey)
  return {
    previous,
    gone: previous ? null : corpus.gone(cveKey),
    rejected: previous ? null : corpus.rejected(cveKey),
    committed: isComparable ? corpus.claim('cvelist', cveKey) : null,
  }
}

function batchFeed(name: FeedName): BatchFeed {
  const feed = FEEDS.find((one) => one.name === name)
  if (feed?.kind !== 'batches') throw new TypeError(`${name} is not read in batches`)
  return feed
}

function isSame(item: FeedItem, known: Uint8Array | null): boolean {
  return item.kind === 'known' && known !== null && Buffer.compare(item.digest, known) === 0
}
