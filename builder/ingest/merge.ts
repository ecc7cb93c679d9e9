/** What turns staged claims into records: touched ones are merged again, the feeds' states move on. */
import type Database from 'better-sqlite3'
import type { CveListRecord, KevEntry } from '../../corpus/model/claim.ts'
import { type MergedParts, type Mission, mergeCve } from '../../corpus/model/merge.ts'
import { PART_NAMES, type PartName, type RecordParts } from '../../corpus/model/record.ts'
import { firstTimeline, nextTimeline } from '../../corpus/model/timeline.ts'
import { type KeptClaim, type Merging, openMerging, type PreviousRecord } from '../../corpus/store/merging.ts'
import { type FeedState, readFeedStates, readMeta, writeFeedState, writeMeta } from '../../corpus/store/state.ts'
import type { FeedReport, IngestReport } from './report.ts'
import type { FeedSource } from './sources.ts'

/** Raised with every change in what `mergeCve` makes of the same claims: then all records are merged again. */
const MERGE_RULES = 1

export interface MergeOptions {
  mission: Mission
  now: () => Date
}

type Merged = Pick<IngestReport, 'corpusDate' | 'records' | 'rejected' | 'withoutRecord'>

/** Makes records of what was staged, inside the same transaction. */
export function mergeStaged(
  database: Database.Database,
  sources: readonly FeedSource[],
  reports: readonly FeedReport[],
  options: MergeOptions,
): Merged {
  const merging = openMerging(database)
  const read = reports.filter(({ status }) => status === 'read')
  for (const { name } of read) {
    if (name === 'epss') merging.settleScores()
    else merging.settleClaims(name, name === 'cvelist')
  }
  const corpusDate = merging.newestDate('cvelist')
  const states = read.map((report) => feedState(report, sources, corpusDate))
  for (const state of states) writeFeedState(database, state)
  if (corpusDate !== null) writeMeta(database, 'corpus_date', corpusDate)

  const kevFeed = readFeedStates(database).some(({ name }) => name === 'kev')
  const rules = JSON.stringify({ rules: MERGE_RULES, mission: options.mission, kevFeed })
  if (readMeta(database, 'merge_rules') !== rules) {
    merging.touchAll()
    writeMeta(database, 'merge_rules', rules)
  }

  // A change that the CVE list does not date is dated by the feed that brought it, else by the corpus, else by now.
  const ofOthers = states.filter(({ name }) => name !== 'cvelist' && name !== 'epss').map(({ date }) => date)
  const otherDate = ofOthers.reduce((newest, date) => (date && date > (newest ?? '') ? date : newest), null)
  const changedAt = (record: CveListRecord, listed: boolean): string =>
    (listed ? record.dateUpdated : otherDate) ?? corpusDate ?? options.now().toISOString()

  const tally = { added: 0, changed: 0, removed: 0, merged: 0 }
  for (const { cveKey, listed } of merging.touched()) {
    const outcome = mergeOne(merging, cveKey, {
      ...options,
      kevFeed,
      changedAt: (record) => changedAt(record, listed === 1),
    })
    if (outcome === null) continue
    if (outcome !== 'removed') tally.merged++
    if (outcome !== 'same') tally[outcome]++
  }
  const { records, rejected } = merging.counts()
  const others = ['kev', 'epss']
  const withoutRecord = others.map((feed) => ({ feed, cveIds: merging.withoutRecord(feed) }))
  return { corpusDate, records: { total: records, ...tally }, rejected, withoutRecord }
}

function feedState(report: FeedReport, sources: readonly FeedSource[], corpusDate: string | null): FeedState {
  const { feed } = sources.find((source) => source.feed.name === report.name)!
  const { name, version, files, read, kept, skipped, held } = report
  return {
    name,
    version,
    date: name === 'cvelist' ? corpusDate : report.date,
    files,
    records: kept + held,
    licence: feed.licence,
    attribution: feed.attribution,
    adapter: feed.adapter,
    reading: { read, kept, skipped },
  }
}

interface MergeContext {
  mission: Mission
  kevFeed: boolean
  changedAt: (record: CveListRecord) => string
}

/** What became of a record; null where there was none before nor is one now. */
type Outcome = 'added' | 'changed' | 'same' | 'removed' | null

function mergeOne(merging: Merging, cveKey: string, context: MergeContext): Outcome {
  const claims = merging.claims(cveKey)
  const record = claimOf<CveListRecord>(claims, 'cvelist')
  if (!record || record.state === 'REJECTED') {
    if (record) merging.putRejected(record.cveId, record.dateRejected ?? record.dateUpdated)
    else merging.removeRejected(cveKey)
    return merging.removeRecord(cveKey) ? 'removed' : null
  }
  merging.removeRejected(cveKey)
  const parts = mergeCve({
    record,
    kev: claimOf<KevEntry>(claims, 'kev'),
    kevFeed: context.kevFeed,
    claims: [],
    exploits: [],
    catalogue: null,
    mission: context.mission,
  })
  const texts = partTexts(parts)
  const previous = merging.previous(cveKey)
  if (!previous) {
    merging.putRecord(record.cveId, 1, { ...texts, timeline: JSON.stringify(firstTimeline(parts, record)) })
    return 'added'
  }
  if (MERGED_PARTS.every((name) => texts[name] === previous[name])) return 'same'
  const timeline = nextTimeline(recordParts(previous), parts, context.changedAt(record))
  merging.putRecord(record.cveId, previous.version + 1, { ...texts, timeline: JSON.stringify(timeline) })
  return 'changed'
}

function claimOf<Claim>(claims: readonly KeptClaim[], feed: string): Claim | null {
  const claim = claims.find((one) => one.feed === feed)
  return claim ? (JSON.parse(claim.body) as Claim) : null
}

type MergedPart = Exclude<PartName, 'timeline'>

const MERGED_PARTS = PART_NAMES.filter((name): name is MergedPart => name !== 'timeline')

function partTexts(parts: MergedParts): Record<MergedPart, string> {
  return Object.fromEntries(MERGED_PARTS.map((name) => [name, JSON.stringify(parts[name])])) as Record<
    MergedPart,
    string
  >
}

function recordParts(previous: PreviousRecord): RecordParts & { version: number } {
  const parts = Object.fromEntries(
    PART_NAMES.map((name) => [name, JSON.parse(previous[name])]),
  ) as unknown as RecordParts
  return { ...parts, version: previous.version }
}
