/**
 * Feeds into the corpus: every feed is staged and judged by itself, then their claims are merged, all in one
 * transaction. Until its commit the corpus is yesterday's, whatever happens.
 */
import { availableParallelism } from 'node:os'
import type { Effects } from '../../corpus/command/effects.ts'
import { noProgress, type Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { daysBetween } from '../../corpus/model/date.ts'
import type { Mission } from '../../corpus/model/merge.ts'
import { readFeedStates } from '../../corpus/store/state.ts'
import { bytesOf, takeDigests } from './file-digests.ts'
import type { Floors } from './floors.ts'
import { judgeEdition, judgeFigures, remarkOnEditions } from './judge.ts'
import { mergeStaged } from './merge.ts'
import type { FeedReport, IngestReport } from './report.ts'
import { startSiftings } from './sift.ts'
import { findSources } from './sources.ts'
import { stageFeed } from './stage.ts'
import { closeFormers } from './tasks.ts'
import { openThreads } from './threads.ts'
import { openWorkspace } from './workspace.ts'

export type { IngestReport } from './report.ts'

export interface IngestOptions {
  /** The feeds folder. */
  feeds: string
  /** The corpus's file; it is made where there is none. */
  corpus: string
  /** `YYYY-MM-DD`: takes, of each feed, the newest file dated up to then. */
  asOf?: string
  /** Lets a feed through that is empty or lost more than a tenth of its records. */
  acceptShrink?: boolean
  /** Lets a feed through whose edition is older than the one that the corpus has. */
  acceptOlder?: boolean
  /** The fewest usable records of a feed, which must then be there. */
  floors?: Floors
  /** Mission and well-being of CISA's decision table, `medium` by default (rule 20). */
  mission?: Mission
  /** Worker threads for large feeds; 0 does everything in this one. Default: as many as there are cores. */
  jobs?: number
}

/** Below this much to do, starting threads takes longer than they save: 12,000 records were read sooner without. */
const BYTES_FOR_THREADS = 64 << 20
const RECORDS_FOR_THREADS = 30_000

/**
 * Throws `IngestError` (feeds), `StoreError` (the corpus is none), `DiskError`; either way the corpus is as it was.
 */
export function ingest(
  options: IngestOptions,
  effects: Effects,
  progress: Progress = noProgress,
): Promise<IngestReport> {
  return writingTo(options.corpus, () => ingestInto(options, effects, progress))
}

async function ingestInto(options: IngestOptions, effects: Effects, progress: Progress): Promise<IngestReport> {
  const {
    feeds,
    corpus,
    asOf = null,
    acceptShrink = false,
    acceptOlder = false,
    floors = {},
    mission = 'medium',
    jobs = availableParallelism(),
  } = options
  const started = performance.now()
  const lap = () => (performance.now() - started) / 1000
  const sources = await findSources(feeds, asOf)
  const workspace = await openWorkspace(corpus, effects)
  const threads = openThreads(jobs)
  try {
    const previous = new Map(readFeedStates(workspace.database).map((state) => [state.name, state]))
    // Where one of the feeds will need them threads can begin at once.
    const isLarge = sources.some(({ files }) => bytesOf(files) >= BYTES_FOR_THREADS)
    const files = sources.flatMap((source) => source.files)
    const digestOf = takeDigests(files, threads.pool(isLarge))
    const siftings = isLarge
      ? startSiftings(sources, previous, { staging: workspace.staging, pool: threads.pool(true) })
      : null
    const reports: FeedReport[] = []
    for (const source of sources) {
      const before = previous.get(source.feed.name) ?? null
      const remarks = judgeEdition(source, before, { acceptOlder })
      const report = await stageFeed(source, before, workspace, {
        log: effects.log,
        progress,
        digestOf,
        sifting: siftings?.get(source.feed.name),
        poolFor: (bytes) => threads.pool(bytes >= BYTES_FOR_THREADS),
      })
      judgeFigures(report, source.feed, before, { acceptShrink, floors })
      reports.push({ ...report, remarks })
    }
    remarkOnEditions(sources, reports)
    // A claim that an older adapter wrote may lack what today's rules ask for.
    const isComparable = sources.some(
      ({ feed }) => feed.name === 'cvelist' && previous.get(feed.name)?.adapter === feed.adapter,
    )
    const stage = lap()
    const merged = await mergeStaged(workspace.database, sources, reports, {
      mission,
      now: effects.now,
      log: effects.log,
      progress,
      former: workspace.former,
      isComparable,
      poolFor: (records) => threads.pool(records >= RECORDS_FOR_THREADS),
    })
    await workspace.commit()
    const total = lap()
    for (const report of reports) {
      if (report.name === 'cvelist') report.date = merged.corpusDate
      if (report.date && merged.corpusDate) report.ageDays = daysBetween(report.date, merged.corpusDate)
    }
    return { asOf, feeds: reports, ...merged, seconds: { stage, merge: total - stage, total } }
  } finally {
    await threads.close()
    closeFormers()
    await workspace.close()
  }
}
