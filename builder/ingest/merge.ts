/** Settles staged feeds: deletes claims, merges the changed CVEs, and updates the feed states. */

import type Database from 'better-sqlite3'
import { VERSION } from '../../corpus/command/version.ts'
import type { CweEntry } from '../../corpus/model/catalog.ts'
import { lastUpdate } from '../../corpus/model/last-update.ts'
import { DAY_MS, dayOf, utcTimestamp } from '../../corpus/model/values/date.ts'
import { MAX_SHARDS } from '../../corpus/snapshot/index.ts'
import { readCatalog } from '../../corpus/store/corpus.ts'
import { type Merging, openMerging } from '../../corpus/store/merging.ts'
import {
  type FeedState,
  readCorpusDate,
  readFeedStates,
  readMeta,
  writeFeedState,
  writeMeta,
} from '../../corpus/store/state.ts'
import { IngestError } from './error.ts'
import { type MergeContext, mergeTouched, type WithheldClaims } from './merge-records.ts'
import { rulesText, weaknessNames } from './record.ts'
import type { FeedReport, IngestReport } from './report.ts'
import type { FeedSource } from './sources.ts'

/** Each exploit module states its date of publication or change. */
const MODULE_FEEDS: ReadonlySet<string> = new Set(['metasploit', 'exploitdb'])

type Merged = Pick<
  IngestReport,
  | 'corpusDate'
  | 'previousCorpusDate'
  | 'records'
  | 'changes'
  | 'rejected'
  | 'advisories'
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
      merging.settleClaims(name, false, context.committed === null ? null : dates)
    }
  }
  const previousCorpusDate = readCorpusDate(database)
  const corpusDate = settleCorpusDate(database, merging, read)
  for (const report of read) writeFeedState(database, feedState(report, sources, corpusDate))
  noteOddDates(merging, reports)
  if (corpusDate !== null) writeMeta(database, 'corpus_date', corpusDate)

  const { mission } = context
  const kevFeed = readFeedStates(database).some(({ name }) => name === 'kev')
  const weaknesses = weaknessNames(readCatalog<CweEntry>(database, 'cwe'))
  const rules = rulesText({ mission, kevFeed, weaknesses })
  if (readMeta(database, 'merge_rules') !== rules) {
    merging.touchAll()
    writeMeta(database, 'merge_rules', rules)
  }
  writeMeta(database, 'written_by', VERSION)
  // Changes get the upstream's date (rule 26), or the clock's if no feed states one.
  const settings = { mission, kevFeed, weaknesses, corpusDate: corpusDate ?? context.now().toISOString() }
  const { merged, changes, withheld } = await mergeTouched(merging, settings, context)
  for (const report of reports.filter((one) => noteWithheld(one, withheld))) {
    writeFeedState(database, feedState(report, sources, corpusDate))
  }
  if (previousCorpusDate !== null && corpusDate !== null) {
    const update = lastUpdate(changes, previousCorpusDate, corpusDate)
    if (update) writeMeta(database, 'last_update', JSON.stringify(update))
  }
  const counts = merging.counts()
  assertFits(counts)
  const { records: total, rejected } = counts
  const advisories = merging.advisoryCounts()
  const withoutRecord = sources
    .filter(({ feed }) => !feed.required)
    .map(({ feed: { name: feed } }) => ({ feed, cveIds: merging.withoutRecord(feed) }))
    .filter(({ cveIds }) => cveIds.length > 0)
  const { added, changed, removed } = changes
  const records = { total, added: added.length, changed: changed.length, removed: removed.length, merged }
  return { corpusDate, previousCorpusDate, records, changes, rejected, advisories, withoutRecord, ...reviewed(merging) }
}

/** Bounds of a snapshot (SPEC.md, "Bounds"). A rejected id takes some 60 bytes of 16 MiB, an EPSS record 8 of 64 MiB. */
const MOST = { blocks: MAX_SHARDS, rejected: 250_000, records: 8_000_000 }
const COUNTED = { blocks: 'blocks of 1,000 CVE ids', rejected: 'rejected CVEs', records: 'CVEs' }

/** @throws IngestError `too-large`, because no build could succeed */
export function assertFits(counts: ReturnType<Merging['counts']>): void {
  for (const name of ['blocks', 'rejected', 'records'] as const) {
    if (counts[name] <= MOST[name]) continue
    const what = `the feeds have ${counts[name]} ${COUNTED[name]}, but a snapshot holds at most ${MOST[name]}`
    throw new IngestError('too-large', `${what}; replace the CVE list with a valid one`)
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
  const { name, version, files, read, kept, skipped, notes, held, retained } = report
  return {
    name,
    version,
    date: name === 'cvelist' ? corpusDate : report.date,
    published: report.published,
    files,
    records: kept + held + retained,
    licence: feed.licence,
    attribution: feed.attribution,
    adapter: feed.adapter,
    reading: { read, kept, held, retained, skipped, notes },
  }
}

/** Moves withheld items from kept to skipped. Returns false if the feed has none. */
function noteWithheld(report: FeedReport, withheld: readonly WithheldClaims[]): boolean {
  const details = new Map<string, string>()
  for (const { feed, cveId, why, items } of withheld) {
    if (feed !== report.name) continue
    for (const { item, isNew } of items) {
      const isAgain = details.has(item)
      details.set(item, `${isAgain ? `${details.get(item)}; ` : ''}it does not fit into ${cveId}: ${why}`)
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
