/** The steps between staging and commit: delete claims that no feed states any more, and merge changed records. */
import type Database from 'better-sqlite3'
import type { Rejection } from '../model/claim.ts'
import { type CveId, cveBlock } from '../model/ids/cve-id.ts'
import { CONTENT_BYTES } from '../model/item-digest.ts'
import type { RecordState } from '../model/record.ts'
import type { Disagreement, Review } from '../model/review.ts'
import { rejectedTimeline } from '../model/timeline/timeline.ts'
import { openAdvisoryRows } from './advisory-rows.ts'
import { type PackedText, plainLength } from './packed-text.ts'
import { type PartTexts, packParts, unpackParts } from './record-parts.ts'
import { idOfSortKey, sortKey } from './sort-key.ts'
import { openWithholding, type Withhold } from './withhold.ts'

/** A CVE with a record that must be merged again. */
export interface TouchedCve {
  cveKey: string
  /** Whether the CVE list's own claim is new or changed. */
  listed: 0 | 1
  /** Dates of the new, changed or deleted claims of other feeds, for `datesIn`. */
  statedAt: string
}

/** Returns the newest date of each feed in `TouchedCve.statedAt`: ISO 8601 timestamps in UTC by feed name. */
export function datesIn(statedAt: string): Map<string, string> {
  const dates = new Map<string, string>()
  for (const line of statedAt.split('\n')) {
    const [feed = '', date = ''] = line.split(' ')
    if (date > (dates.get(feed) ?? '')) dates.set(feed, date)
  }
  return dates
}

/** The dates in `TouchedCve.statedAt` without those of a feed. */
export const withoutFeed = (statedAt: string, feed: string): string =>
  statedAt
    .split('\n')
    .filter((line) => !line.startsWith(`${feed} `))
    .join('\n')

/** What dates the changes of a feed: timestamps, ISO 8601 in UTC. */
export interface FeedDate {
  /** Date of the feed's release. Null if unknown. */
  release: string | null
  /** Whether an item's own date replaces the release date, if the item states one and still exists. */
  byItem: boolean
}

export interface KeptClaim {
  feed: string
  body: PackedText
}

/** Maximum plain size of all claims on a CVE: that of one part of a record in a snapshot. */
const MAX_CLAIMS_BYTES = 64 << 20

/** A record as it was before this ingest. */
export type PreviousRecord = { version: number } & PartTexts

export interface RecordToPut {
  cveId: CveId
  version: number
  digest: Uint8Array
  parts: PackedText
}

type ReviewFindings = Pick<Review, 'mismatches' | 'disagreements'>

export interface Merging {
  /**
   * Deletes claims and advisories that a staged feed no longer states, and collects the records to merge again. `date` dates these
   * changes. It is null for the CVE list, which dates each record itself.
   */
  settleClaims(feed: string, isList: boolean, date: FeedDate | null): void
  /** Replaces the scores of the corpus with the staged ones. */
  settleScores(): void
  /** Marks every record for merging, because the rules changed. */
  touchAll(): void
  /** Returns the marked CVEs sorted by id. It contains only keys, so it is small. */
  touched(): TouchedCve[]
  /** Returns null, and does not read them all, if they exceed `MAX_CLAIMS_BYTES`. */
  claims(cveKey: string): KeptClaim[] | null
  withhold: Withhold
  putRecord(record: RecordToPut): void
  /** Deletes the record and keeps a copy, in case it returns. Returns false if there was none. */
  removeRecord(cveKey: string): boolean
  /** Call it after the record's removal. */
  putRejected(cveId: CveId, rejection: Rejection): void
  isRejected(cveKey: string): boolean
  /** Returns false if the CVE was not rejected. */
  removeRejected(cveKey: string): boolean
  /** Returns the newest date in the claims of a feed. With `end` (ISO 8601 in UTC), only dates before `end` count. */
  newestDate(feed: string, end: string | null): string | null
  /** Returns the claims of a feed with a date of `end` or later, with that date. */
  datedFrom(feed: string, end: string): { key: string; date: string }[]
  /** `blocks`: blocks of 1,000 ids with records. A build writes a shard for each. */
  counts(): { records: number; rejected: number; blocks: number }
  /** Returns the number of advisories, and of those whose claim names no CVE. An id in two feeds counts once. */
  advisoryCounts(): { total: number; withoutCve: number }
  /** Stores what is odd about a record; null once there is no record. Returns the disagreements that it did not have. */
  putReview(cveKey: string, review: Review | null): Disagreement[]
  /** Returns the sums of compared and unreadable scores, and the records with findings, sorted by id. */
  reviews(): { scores: number; unreadable: number; found: ({ cveId: CveId } & ReviewFindings)[] }
  /** Returns the ids, sorted, that a feed knows and the CVE list does not (rule 10). */
  withoutRecord(feed: 'epss' | (string & {})): CveId[]
}

/** Text that sorts after every date. */
const BEHIND_ALL_DATES = '~'

const TABLES = `
  CREATE TEMP TABLE touched (cve_key TEXT PRIMARY KEY, listed INTEGER NOT NULL, stated_at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TEMP TABLE lost (id INTEGER PRIMARY KEY, cve_key TEXT NOT NULL);
`

/** Prepares merging on the connection and transaction that staged the feeds. Its SQL uses the marks of staging. */
export function openMerging(database: Database.Database): Merging {
  database.exec(TABLES)
  const advisories = openAdvisoryRows(database)
  // One line per date without repeats: most items of a feed have the same date.
  const again = `
      ON CONFLICT DO UPDATE SET listed = max(listed, excluded.listed), stated_at =
        CASE instr(stated_at, excluded.stated_at) WHEN 0 THEN stated_at || excluded.stated_at ELSE stated_at END`
  // Every scan uses only the index: the claim rows themselves contain the large bodies.
  const rowsOfFeed = 'FROM claim INDEXED BY claim_by_feed WHERE feed = $feed'
  const touch = (date: string) =>
    `INSERT INTO touched SELECT cve_key, $isList, coalesce($feed || ' ' || ${date} || char(10), '')`
  const ofItem = 'coalesce(CASE $byItem WHEN 1 THEN stated_at END, $release)'
  const touchNew = `${touch(ofItem)} ${rowsOfFeed} AND cve_key <> '' AND is_new(rowid) ${again}`
  const touchAltered = `${touch(ofItem)} FROM altered CROSS JOIN claim AS c ON c.rowid = id
      WHERE feed = $feed AND cve_key <> '' AND substr(before, 1, ${CONTENT_BYTES}) <> substr(digest, 1, ${CONTENT_BYTES}) ${again}`
  const touchRemoved = `${touch('$release')} FROM lost WHERE cve_key <> '' ${again}`
  const lose = `INSERT INTO lost SELECT rowid, cve_key ${rowsOfFeed} AND NOT is_seen(rowid)`
  const remove = 'DELETE FROM claim WHERE rowid IN (SELECT id FROM lost); DELETE FROM lost'

  const claims = database.prepare<[string], KeptClaim>(
    'SELECT feed, body FROM claim WHERE cve_key = ? ORDER BY feed, item',
  )
  const putRecord = database.prepare(
    `INSERT INTO record (cve_key, cve_id, block, version, digest, parts) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (cve_key) DO UPDATE SET version = excluded.version, digest = excluded.digest, parts = excluded.parts`,
  )
  const removeRecord = database.prepare('DELETE FROM record WHERE cve_key = ?')
  const putGone = database.prepare(
    'INSERT INTO gone (cve_key, version, parts) SELECT cve_key, version, parts FROM record WHERE cve_key = ?',
  )
  const removeGone = database.prepare('DELETE FROM gone WHERE cve_key = ?')
  const putRejected = database.prepare(
    `INSERT INTO rejected VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
      date_rejected = excluded.date_rejected, reason = excluded.reason, replaced_by = excluded.replaced_by`,
  )
  const gone = database.prepare<[string], { version: number; parts: PackedText }>(
    'SELECT version, parts FROM gone WHERE cve_key = ?',
  )
  const replaceGone = database.prepare('UPDATE gone SET version = ?, parts = ? WHERE cve_key = ?')
  const isRejected = database.prepare<[string], number>('SELECT 1 FROM rejected WHERE cve_key = ?').pluck()
  const removeRejected = database.prepare('DELETE FROM rejected WHERE cve_key = ?')

  const foundBefore = database.prepare<[string], string | null>('SELECT found FROM review WHERE cve_key = ?').pluck()
  const putReview = database.prepare('INSERT OR REPLACE INTO review VALUES (?, ?, ?, ?)')
  const removeReview = database.prepare('DELETE FROM review WHERE cve_key = ?')

  /** A rejection is a version of the record that nobody is served. The timeline shows it if the record returns. */
  function rejectGone(cveKey: string, rejection: Rejection): void {
    const row = gone.get(cveKey)
    if (!row) return
    const parts = unpackParts(row.parts)
    const core = JSON.parse(parts.core) as { state: RecordState | 'REJECTED' }
    if (core.state === 'REJECTED') return
    const timeline = rejectedTimeline(JSON.parse(parts.timeline), row.version, core.state, rejection)
    const rejected = {
      ...parts,
      core: JSON.stringify({ ...core, state: 'REJECTED' }),
      timeline: JSON.stringify(timeline),
    }
    replaceGone.run(row.version + 1, packParts(rejected), cveKey)
  }

  return {
    settleClaims(feed, isList, date) {
      const change = { feed, isList: isList ? 1 : 0, release: date?.release ?? null }
      const byItem = date?.byItem ? 1 : 0
      database.prepare(lose).run({ feed })
      for (const statement of [touchNew, touchAltered]) database.prepare(statement).run({ ...change, byItem })
      database.prepare(touchRemoved).run(change)
      database.exec(remove)
      advisories.settle(feed)
    },
    settleScores() {
      database.exec('DELETE FROM epss; INSERT INTO epss SELECT * FROM scores ORDER BY cve_key')
    },
    touchAll() {
      database.exec("INSERT OR IGNORE INTO touched SELECT DISTINCT cve_key, 0, '' FROM claim WHERE cve_key <> ''")
    },
    touched: () =>
      database
        .prepare<[], TouchedCve>(
          'SELECT cve_key AS cveKey, listed, stated_at AS statedAt FROM touched ORDER BY cve_key',
        )
        .all(),
    claims(cveKey) {
      const found: KeptClaim[] = []
      let bytes = 0
      for (const claim of claims.iterate(cveKey)) {
        bytes += plainLength(claim.body)
        if (bytes > MAX_CLAIMS_BYTES) return null
        found.push(claim)
      }
      return found
    },
    withhold: openWithholding(database),
    putRecord({ cveId, version, digest, parts }) {
      const cveKey = sortKey(cveId)
      putRecord.run(cveKey, cveId, cveBlock(cveId), version, digest, parts)
      removeGone.run(cveKey)
    },
    removeRecord(cveKey) {
      putGone.run(cveKey)
      return removeRecord.run(cveKey).changes > 0
    },
    putRejected(cveId, rejection) {
      const cveKey = sortKey(cveId)
      const { date, reason, replacedBy } = rejection
      putRejected.run(cveKey, cveId, date, reason, replacedBy.join(' '))
      rejectGone(cveKey, rejection)
    },
    isRejected: (cveKey) => isRejected.get(cveKey) !== undefined,
    removeRejected: (cveKey) => removeRejected.run(cveKey).changes > 0,
    newestDate: (feed, end) =>
      database
        .prepare<[string, string], string | null>('SELECT max(stated_at) FROM claim WHERE feed = ? AND stated_at < ?')
        .pluck()
        .get(feed, end ?? BEHIND_ALL_DATES) ?? null,
    datedFrom: (feed, end) =>
      database
        .prepare<[string, string], { key: string; date: string }>(
          'SELECT DISTINCT item AS key, stated_at AS date FROM claim WHERE feed = ? AND stated_at >= ? ORDER BY item',
        )
        .all(feed, end),
    counts: () =>
      database
        .prepare<[], { records: number; rejected: number; blocks: number }>(
          `SELECT (SELECT count(*) FROM record) AS records, (SELECT count(*) FROM rejected) AS rejected,
            (SELECT count(DISTINCT block) FROM record) AS blocks`,
        )
        .get()!,
    advisoryCounts: () =>
      database
        .prepare<[], { total: number; withoutCve: number }>(
          `SELECT (SELECT count(DISTINCT id) FROM advisory INDEXED BY advisory_by_id) AS total,
            (SELECT count(DISTINCT id) FROM advisory AS a JOIN claim AS c INDEXED BY claim_by_feed
              ON c.feed = a.feed AND c.item = a.id AND c.cve_key = '') AS withoutCve`,
        )
        .get()!,
    putReview(cveKey, review) {
      if (review === null) {
        removeReview.run(cveKey)
        return []
      }
      const { scores, unreadable, ...found } = review
      const { mismatches, disagreements } = found
      // Few records have disagreements, so only these cost a query.
      const before = disagreements.length > 0 ? foundBefore.get(cveKey) : null
      const isOdd = mismatches.length > 0 || disagreements.length > 0
      putReview.run(cveKey, scores, unreadable, isOdd ? JSON.stringify(found) : null)
      if (!before) return disagreements
      const had = (JSON.parse(before) as ReviewFindings).disagreements
      return disagreements.filter(({ about }) => !had.some((one) => one.about === about))
    },
    reviews() {
      const sums = database
        .prepare<[], { scores: number; unreadable: number }>(
          'SELECT coalesce(sum(scores), 0) AS scores, coalesce(sum(unreadable), 0) AS unreadable FROM review',
        )
        .get()!
      const odd = database
        .prepare<[], { cveKey: string; found: string }>(
          'SELECT cve_key AS cveKey, found FROM review WHERE found IS NOT NULL ORDER BY cve_key',
        )
        .all()
      const found = odd.map(({ cveKey, found }) => ({
        cveId: idOfSortKey(cveKey),
        ...(JSON.parse(found) as ReviewFindings),
      }))
      return { ...sums, found }
    },
    withoutRecord(feed) {
      const known =
        feed === 'epss'
          ? 'SELECT cve_key FROM epss'
          : "SELECT DISTINCT cve_key FROM claim WHERE feed = ? AND cve_key <> ''"
      return database
        .prepare<string[], string>(
          `SELECT cve_key FROM (${known}) AS k
            WHERE NOT EXISTS (SELECT 1 FROM record AS r WHERE r.cve_key = k.cve_key)
              AND NOT EXISTS (SELECT 1 FROM rejected AS t WHERE t.cve_key = k.cve_key)
            ORDER BY cve_key`,
        )
        .pluck()
        .all(...(feed === 'epss' ? [] : [feed]))
        .map(idOfSortKey)
    },
  }
}
