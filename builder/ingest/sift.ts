/**
 * Sifting: threads go through a feed's files by the bytes of the items and bring back what is new. It begins before the
 * feed's turn, while the caller's thread reads others.
 */
import { statSync } from 'node:fs'
import type { BatchFeed, Feed, FeedFile, SiftedFile } from '../../corpus/feeds/feed.ts'
import type { FeedName } from '../../corpus/feeds/table.ts'
import { tableOf } from '../../corpus/feeds/wrapping-table.ts'
import { heard, type Pool } from '../../corpus/snapshot/pool.ts'
import type { Staging } from '../../corpus/store/staging.ts'
import type { FeedState } from '../../corpus/store/state.ts'
import type { FeedSource } from './sources.ts'
import type { SiftTask } from './tasks.ts'

/** What is new in the file of that number, asked for in their order; null where it has to be read whole. */
export type Sifting = (index: number) => Promise<SiftedFile | null>

const NO_SIFTING: Sifting = async () => null

export interface SiftContext {
  staging: Pick<Staging, 'knownItems'>
  pool: Pool
}

/** Files under way at once: some 2 s of work for two threads, while nobody looks after them. */
const AHEAD = 8
/** Before the feed's turn: whoever reads another feed then waits for the other threads only as long as one file takes. */
const AHEAD_OF_TURN = 1
/** What waits for its turn may be so much before no other file is begun. */
const MAX_WAITING_BYTES = 64 << 20

/** Begins, where the feed can be sifted and today's adapter read what the corpus has of it. */
export function startSifting(
  feed: Feed,
  files: readonly FeedFile[],
  previous: FeedState | null,
  { staging, pool }: SiftContext,
): Sifting {
  if (!isSiftable(feed, previous)) return NO_SIFTING
  const known = tableOf(staging.knownItems(feed.name), feed.adapter)
  const started: Promise<SiftedFile | null>[] = []
  let [underWay, waitingBytes, ahead] = [0, 0, AHEAD_OF_TURN]
  const start = async (file: FeedFile): Promise<SiftedFile | null> => {
    const task: SiftTask = { feed: feed.name as FeedName, file, known }
    const sifted = await pool.run<SiftedFile | null>('sift', task)
    underWay--
    waitingBytes += sifted?.bytes ?? 0
    goOn()
    return sifted
  }
  const goOn = (needed = 0) => {
    while (started.length < files.length) {
      const isNeeded = started.length < needed
      if (!isNeeded && (underWay >= ahead || waitingBytes >= MAX_WAITING_BYTES)) return
      underWay++
      started.push(heard(start(files[started.length]!)))
    }
  }
  goOn()
  return async (index) => {
    ahead = AHEAD
    goOn(index + 1)
    const sifted = await started[index]!
    started[index] = Promise.resolve(null)
    waitingBytes -= sifted?.bytes ?? 0
    goOn()
    return sifted
  }
}

/** Begins with all feeds whose files are others for certain: by their sizes, without reading them. */
export function startSiftings(
  sources: readonly FeedSource[],
  previous: ReadonlyMap<string, FeedState>,
  context: SiftContext,
): Map<string, Sifting> {
  const siftings = new Map<string, Sifting>()
  for (const { feed, files } of sources) {
    const before = previous.get(feed.name) ?? null
    if (!isSiftable(feed, before)) continue
    const sizes = before?.files.map(({ bytes }) => bytes) ?? []
    const isOther = files.length !== sizes.length || files.some(({ path }, i) => statSync(path).size !== sizes[i])
    if (files.length > 0 && isOther) siftings.set(feed.name, startSifting(feed, files, before, context))
  }
  return siftings
}

function isSiftable(feed: Feed, previous: FeedState | null): feed is BatchFeed {
  return feed.kind === 'batches' && feed.sift !== undefined && previous?.adapter === feed.adapter
}
