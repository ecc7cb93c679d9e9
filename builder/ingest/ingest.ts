/**
 * Ingests feeds into the corpus in one transaction: stages and checks each feed, then merges all claims. Until the
 * commit, readers see the previous corpus.
 */
import { availableParallelism } from 'node:os'
import type { Effects } from '../../corpus/command/effects.ts'
import { noProgress, type Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import type { Mission } from '../../corpus/model/merge.ts'
import { daysBetween } from '../../corpus/model/values/date.ts'
import { readFeedStates } from '../../corpus/store/state.ts'
import { readEditions } from './epss-editions.ts'
import { judgeCounts, judgeShape, type MinimumCounts, remarkOnEditions } from './judge.ts'
import { mergeStaged } from './merge.ts'
import type { FeedReport, HistoryReport, IngestReport } from './report.ts'
import { aheadOf, findSources, horizonAt } from './sources.ts'
import { stageFeed } from './stage.ts'
import { closeCommittedCorpora } from './tasks.ts'
import { bytesOf, openThreads, takeDigests } from './threads.ts'
import { openWorkspace } from './workspace.ts'

export type { IngestReport } from './report.ts'

export interface IngestOptions {
  feeds: string
  /** Created if it does not exist. */
  corpus: string
  /** Reads the newest file of each feed up to this date (`YYYY-MM-DD`). */
  asOf?: string
  /** Accepts a feed that is empty or lost more than a tenth of its records. */
  acceptShrink?: boolean
  /** Accepts an edition older than the corpus's. */
  acceptOlder?: boolean
  /** A feed with a minimum must be present. */
  floors?: MinimumCounts
  /** "Mission and well-being" of CISA's decision table (rule 20). Default: `medium`. */
  mission?: Mission
  /** Worker threads for large feeds; 0 runs everything in this thread. Default: the number of cores. */
  jobs?: number
}

/** Threads cost more than they save below these sizes: 12,000 records are faster without. */
const BYTES_FOR_THREADS = 64 << 20
const RECORDS_FOR_THREADS = 30_000

/**
 * After an error the corpus is unchanged.
 * @throws IngestError (feeds), StoreError (not a corpus), DiskError
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
  const workspace = await openWorkspace(corpus, effects)
  const threads = openThreads(jobs)
  try {
    const known = readFeedStates(workspace.database)
    const horizon = horizonAt(effects.now())
    const sources = await findSources(feeds, asOf, horizon, known)
    const isAhead = { horizon, test: aheadOf(horizon, sources, known) }
    const previous = new Map(known.map((state) => [state.name, state]))
    const isLarge = sources.some(({ files }) => bytesOf(files) >= BYTES_FOR_THREADS)
    const files = sources.flatMap((source) => source.files)
    const digestOf = takeDigests(files, threads.pool(isLarge))
    const reports: FeedReport[] = []
    let epssHistory: HistoryReport = { read: 0, editions: 0, first: null, last: null, points: 0 }
    for (const source of sources) {
      const before = previous.get(source.feed.name) ?? null
      const report = await stageFeed(source, before, workspace, {
        ...{ asOf, acceptOlder, acceptShrink, isAhead },
        log: effects.log,
        progress,
        digestOf,
        poolFor: (bytes) => threads.pool(bytes >= BYTES_FOR_THREADS),
      })
      judgeCounts(report, source.feed, before, { acceptShrink, floors })
      judgeShape(report, before, { acceptShrink })
      if (source.feed.kind === 'scores') {
        epssHistory = readEditions(source.feed, source, report, workspace, { acceptShrink, log: effects.log, progress })
      }
      reports.push(report)
    }
    remarkOnEditions(sources, reports)
    // An older adapter's claims may lack fields that the current rules need.
    const isComparable = sources.some(
      ({ feed }) => feed.name === 'cvelist' && previous.get(feed.name)?.adapter === feed.adapter,
    )
    const stage = lap()
    const merged = await mergeStaged(workspace.database, sources, reports, {
      mission,
      now: effects.now,
      log: effects.log,
      progress,
      committed: workspace.committed,
      isComparable,
      poolFor: (records) => threads.pool(records >= RECORDS_FOR_THREADS),
    })
    await workspace.commit()
    const total = lap()
    for (const report of reports) {
      if (report.name === 'cvelist') report.date = merged.corpusDate
      if (report.date && merged.corpusDate) report.ageDays = daysBetween(report.date, merged.corpusDate)
    }
    return { asOf, feeds: reports, ...merged, epssHistory, seconds: { stage, merge: total - stage, total } }
  } finally {
    await threads.close()
    closeCommittedCorpora()
    await workspace.close()
  }
}
