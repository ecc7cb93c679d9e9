/** Merges staged claims into records: merges changed CVEs again and updates the feed states. */
import type Database from 'better-sqlite3'
import type { Progress } from '../../corpus/command/progress.ts'
import type { CweEntry } from '../../corpus/model/catalogue.ts'
import type { CveId } from '../../corpus/model/cve-id.ts'
import { DAY_MS, dayOf, utcTimestamp } from '../../corpus/model/date.ts'
import type { Mission } from '../../corpus/model/merge.ts'
import { MAX_SHARDS } from '../../corpus/snapshot/bounds.ts'
import { type Pool, runInOrder } from '../../corpus/snapshot/pool.ts'
import { readCatalogue } from '../../corpus/store/catalogue.ts'
import {
  datesIn,
  type Merging,
  openMerging,
  type TouchedCve,
  type Withheld,
  withoutFeed,
} from '../../corpus/store/merging.ts'
import { idOfSortKey } from '../../corpus/store/sort-key.ts'
import {
  type FeedState,
  readCorpusDate,
  readFeedStates,
  readMeta,
  writeFeedState,
  writeMeta,
} from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'
import type { MergeResult, MergeSettings, RecordNews } from './record.ts'
import type { FeedReport, IngestReport } from './report.ts'
import { rulesText, weaknessNames } from './settings.ts'
import type { FeedSource } from './sources.ts'
import { formerCorpus, type MergeTask, mergeHere, type TouchedRecord } from './tasks.ts'

/** Some 1 MB of claims, and a limit in characters. */
const BATCH_RECORDS = 128
const BATCH_LENGTH = 8 << 20

/** Each exploit module states its date of publication or change. */
const MODULE_FEEDS: ReadonlySet<string> = new Set(['metasploit', 'exploitdb'])

export interface MergeContext {
  mission: Mission
  now: () => Date
  log(line: string): void
  progress: Progress
  poolFor(records: number): Pool
  /** The corpus of the last commit; null in the first ingest. */
  former: string | null
  /** Whether the current rules can read the CVE list's previous claims. */
  isComparable: boolean
}

type Merged = Pick<
  IngestReport,
  | 'corpusDate'
  | 'previousCorpusDate'
  | 'records'
  | 'changes'
  | 'rejected'
  | 'withoutRecord'
  | 'scores'
  | 'disagreements'
>

/** Runs inside the same transaction. */
export async function mergeStaged(
  database: Database.Database,
  sources: readonly FeedSource[],
  reports: readonly FeedReport[],
  context: MergeContext,
): Promise<Merged> {
  const merging = openMerging(database)
  const read = reports.filter(({ status }) => status === 'read')
  for (const { name, date } of read) {
    if (name === 'epss') merging.settleScores()
    else if (name === 'cvelist') merging.settleClaims(name, true, null)
    else {
      const release = date === null ? null : utcTimestamp(date)
      // First timelines have only dates that the claims themselves state.
      const dates = { release, byItem: MODULE_FEEDS.has(name) }
      merging.settleClaims(name, false, context.former === null ? null : dates)
    }
  }
  const previousCorpusDate = readCorpusDate(database)
  const corpusDate = settleCorpusDate(database, merging, read)
  for (const report of read) writeFeedState(database, feedState(report, sources, corpusDate))
  noteOddDates(merging, reports)
  if (corpusDate !== null) writeMeta(database, 'corpus_date', corpusDate)

  const { mission } = context
  const kevFeed = readFeedStates(database).some(({ name }) => name === 'kev')
  const weaknesses = weaknessNames(readCatalogue<CweEntry>(database, 'cwe'))
  const rules = rulesText({ mission, kevFeed, weaknesses })
  if (readMeta(database, 'merge_rules') !== rules) {
    merging.touchAll()
    writeMeta(database, 'merge_rules', rules)
  }
  // Changes get the upstream's date (rule 26), or the clock's if no feed states one.
  const settings = { mission, kevFeed, weaknesses, corpusDate: corpusDate ?? context.now().toISOString() }
  const { merged, changes, withheld } = await mergeTouched(merging, settings, context)
  for (const report of reports.filter((one) => noteWithheld(one, withheld))) {
    writeFeedState(database, feedState(report, sources, corpusDate))
  }
  const counts = merging.counts()
  assertFits(counts)
  const { records: total, rejected } = counts
  const withoutRecord = sources
    .filter(({ feed }) => !feed.required)
    .map(({ feed: { name: feed } }) => ({ feed, cveIds: merging.withoutRecord(feed) }))
    .filter(({ cveIds }) => cveIds.length > 0)
  const { added, changed, removed } = changes
  const records = { total, added: added.length, changed: changed.length, removed: removed.length, merged }
  return { corpusDate, previousCorpusDate, records, changes, rejected, withoutRecord, ...reviewed(merging) }
}

/** Bounds of a snapshot (SPEC.md, "Bounds"). A rejected id takes some 60 bytes of 16 MiB, an EPSS record 8 of 64 MiB. */
const MOST = { blocks: MAX_SHARDS, rejected: 250_000, records: 8_000_000 }
const COUNTED = { blocks: 'blocks of 1,000 CVE ids', rejected: 'rejected CVEs', records: 'CVEs' }

/** @throws IngestError `too-large`, because no build could succeed */
export function assertFits(counts: ReturnType<Merging['counts']>): void {
  for (const name of ['blocks', 'rejected', 'records'] as const) {
    if (counts[name] <= MOST[name]) continue
    const what = `the feeds make ${counts[name]} ${COUNTED[name]}, a snapshot can have ${MOST[name]}`
    throw new IngestError('too-large', `${what}; put a good CVE list in the place of this one`)
  }
}

/** Includes unchanged records. */
function reviewed(merging: Merging): Pick<IngestReport, 'scores' | 'disagreements'> {
  const { scores: compared, unreadable, found } = merging.reviews()
  const mismatches = found.flatMap(({ cveId, mismatches }) => mismatches.map((one) => ({ cveId, ...one })))
  const disagreements: IngestReport['disagreements'] = []
  for (const { cveId, disagreements: all } of found) {
    for (const { about, claims } of all) {
      const same = disagreements.find((one) => one.about === about)
      if (same) same.items.push({ cveId, claims })
      else disagreements.push({ about, items: [{ cveId, claims }] })
    }
  }
  return { scores: { compared, unreadable, mismatches }, disagreements }
}

/** A list's release contains no dates from the second day after it. */
function endOfDates(read: readonly FeedReport[]): string | null {
  const published = read.find(({ name }) => name === 'cvelist')?.published ?? null
  return published === null ? null : new Date(Date.parse(dayOf(published)) + 2 * DAY_MS).toISOString()
}

/** Returns the list's newest date. Dates after its release are ignored, because one wrong record would move it. */
function settleCorpusDate(database: Database.Database, merging: Merging, read: readonly FeedReport[]): string | null {
  if (!read.some(({ name }) => name === 'cvelist')) return readCorpusDate(database)
  return merging.newestDate('cvelist', endOfDates(read)) ?? merging.newestDate('cvelist', null)
}

/** Runs also if the list is unchanged. */
function noteOddDates(merging: Merging, reports: readonly FeedReport[]): void {
  const end = endOfDates(reports)
  const odd = end === null ? [] : merging.datedFrom('cvelist', end)
  const items = odd.map(({ key, date }) => ({ key, detail: `it is dated ${date}, after its release` }))
  const report = reports.find(({ name }) => name === 'cvelist')
  if (items.length > 0 && report) report.notes.push({ reason: 'date-after-release', items })
}

function feedState(report: FeedReport, sources: readonly FeedSource[], corpusDate: string | null): FeedState {
  const { feed } = sources.find((source) => source.feed.name === report.name)!
  const { name, version, files, read, kept, skipped, notes, held } = report
  return {
    name,
    version,
    date: name === 'cvelist' ? corpusDate : report.date,
    published: report.published,
    files,
    records: kept + held,
    licence: feed.licence,
    attribution: feed.attribution,
    adapter: feed.adapter,
    reading: { read, kept, held, skipped, notes },
  }
}

/** Moves withheld items from kept to skipped. Returns false if the feed has none. */
function noteWithheld(report: FeedReport, withheld: readonly WithheldClaims[]): boolean {
  const details = new Map<string, string>()
  for (const { feed, cveId, why, items } of withheld) {
    if (feed !== report.name) continue
    for (const { item, isNew } of items) {
      const isAgain = details.has(item)
      details.set(item, `${isAgain ? `${details.get(item)}; ` : ''}${cveId} has no room for it: ${why}`)
      if (isAgain) continue
      report.kept--
      if (isNew) report.added--
      else {
        report.changed--
        report.held++
      }
    }
  }
  const items = Array.from(details, ([key, detail]) => ({ key, detail }))
  if (items.length > 0) report.skipped.push({ reason: 'record_too_large', items })
  return items.length > 0
}

type WithheldClaims = Withheld & { cveId: CveId; why: string }

async function mergeTouched(
  merging: Merging,
  settings: MergeSettings,
  { log, progress, poolFor, former, isComparable }: MergeContext,
) {
  const changes: IngestReport['changes'] = {
    added: [],
    changed: [],
    removed: [],
    rejected: [],
    kevAdded: [],
    kevRemoved: [],
    severity: [],
    disagreements: [],
  }
  let merged = 0
  const withheld: WithheldClaims[] = []
  const touched = merging.touched()
  if (touched.length > 0) log('merging')
  const pool = poolFor(touched.length)
  let done = 0
  const tasks = mergeTasks(merging, touched, { settings, former, isComparable })
  for await (const results of runInOrder<MergeResult[]>(pool, 'merge', tasks)) {
    for (const first of results) {
      const one = touched[done++]!
      const { cveKey } = one
      const cveId = idOfSortKey(cveKey)
      let result = first
      while (result.kind === 'too-large') {
        const { why } = result
        const claims = merging.withhold(cveKey, former === null ? null : formerCorpus(former))
        if (claims === null) break
        withheld.push({ ...claims, cveId, why })
        one.statedAt = withoutFeed(one.statedAt, claims.feed)
        if (claims.feed === 'cvelist') one.listed = 0
        result = mergeHere({ records: [recordTask(merging, one, isComparable)], settings, former })[0]!
      }
      if (result.kind === 'too-large') {
        log(`${cveId} stays as it is, for nothing of it is new: ${result.why}`)
        continue
      }
      const rejectedBefore = merging.isRejected(cveKey)
      const review = result.kind === 'put' || result.kind === 'same' ? result.review : null
      const disagreements = merging.putReview(cveKey, review)
      changes.disagreements.push(...disagreements.map((one) => ({ cveId, ...one })))
      const outcome = putResult(merging, cveKey, result)
      if (outcome !== null) changes[outcome].push(cveId)
      if (result.kind === 'rejected' && !rejectedBefore) changes.rejected.push(cveId)
      if (result.kind === 'put') addNews(changes, cveId, result.news)
      else if (result.kind !== 'same' && result.wasInKev) changes.kevRemoved.push(cveId)
      if (review !== null) merged++
    }
    progress('merged', done, touched.length)
  }
  return { merged, changes, withheld }
}

function addNews(changes: IngestReport['changes'], cveId: CveId, { kev, severity }: RecordNews): void {
  if (kev === 'added') changes.kevAdded.push(cveId)
  if (kev === 'removed') changes.kevRemoved.push(cveId)
  if (severity) changes.severity.push({ cveId, ...severity })
}

function* mergeTasks(
  merging: Merging,
  touched: readonly TouchedCve[],
  { isComparable, ...task }: Pick<MergeTask, 'settings' | 'former'> & Pick<MergeContext, 'isComparable'>,
): Iterable<MergeTask> {
  let records: TouchedRecord[] = []
  let length = 0
  for (const one of touched) {
    const record = recordTask(merging, one, isComparable)
    records.push(record)
    for (const { body } of record.claims ?? []) length += body.length
    if (records.length < BATCH_RECORDS && length < BATCH_LENGTH) continue
    yield { records, ...task }
    records = []
    length = 0
  }
  if (records.length > 0) yield { records, ...task }
}

const recordTask = (
  merging: Merging,
  { cveKey, listed, statedAt }: TouchedCve,
  isComparable: boolean,
): TouchedRecord => ({
  cveKey,
  claims: merging.claims(cveKey),
  listed: listed === 1,
  isComparable: listed === 1 && isComparable,
  statedAt: datesIn(statedAt),
})

/** `changed` includes changes that no answer shows and no version counts. */
function putResult(merging: Merging, cveKey: string, result: MergeResult): 'added' | 'changed' | 'removed' | null {
  if (result.kind === 'same') return null
  if (result.kind === 'put') {
    merging.removeRejected(cveKey)
    merging.putRecord(result)
    return result.isNew ? 'added' : 'changed'
  }
  const wasRecord = merging.removeRecord(cveKey)
  if (result.kind === 'rejected') merging.putRejected(result.cveId, result.dateRejected)
  else merging.removeRejected(cveKey)
  return wasRecord ? 'removed' : null
}
