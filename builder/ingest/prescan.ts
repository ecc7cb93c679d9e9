/**
 * Prescan: workers compare the bytes of a feed's items with the corpus and return the new ones. It starts before the
 * feed's turn, while the main thread reads other feeds.
 */
import { statSync } from 'node:fs'
import type { BatchFeed, Feed, FeedFile, SiftedFile } from '../../corpus/feeds/feed.ts'
import { tableOf } from '../../corpus/feeds/nvd/raw-digest-table.ts'
import type { FeedName } from '../../corpus/feeds/table.ts'
import { handleLater, type Pool } from '../../corpus/runtime/pool.ts'
import type { Staging } from '../../corpus/store/staging.ts'
import type { FeedState } from '../../corpus/store/state.ts'
import type { FeedSource } from './sources.ts'
import type { SiftTask } from './tasks.ts'

/** Returns null if the file must be read as a whole. Call it in order. */
export type Sifting = (index: number) => Promise<SiftedFile | null>

const NO_SIFTING: Sifting = async () => null

export interface SiftContext {
  staging: Pick<Staging, 'knownItems'>
  pool: Pool
}

/** Some 2 s of work for two threads while the main thread is busy. */
const AHEAD = 8
/** Before the feed's turn, other feeds then wait for at most one file per thread. */
const AHEAD_OF_TURN = 1
/** Results in memory before another file starts. */
const MAX_WAITING_BYTES = 64 << 20

/** Requires that the current adapter wrote the corpus's claims. */
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
      started.push(handleLater(start(files[started.length]!)))
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

/** Starts the prescan of feeds with another number or other sizes of files. Reads no file. */
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
