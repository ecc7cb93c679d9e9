/**
 * Writes the claims of one ingest into the corpus inside an open transaction. Readers see none of it, the caller can
 * still roll back, and the commit copies nothing.
 */
import type Database from 'better-sqlite3'
import type { EpssScore } from '../model/claim.ts'
import type { CveId } from '../model/ids/cve-id.ts'
import { isSameContent } from '../model/item-digest.ts'
import { openAdvisoryRows, type PackedAdvisory } from './advisory-rows.ts'
import { type FeedItems, openItems } from './feed-items.ts'
import type { PackedText } from './packed-text.ts'
import { openSeenRows, SOURCE_UNREADABLE } from './seen-rows.ts'
import { sortKey } from './sort-key.ts'

/** `altered` contains the previous digests of rewritten claims, `restated` the facets of rewritten items. */
const TABLES = `
  CREATE TEMP TABLE altered (id INTEGER PRIMARY KEY, before BLOB NOT NULL);
  CREATE TEMP TABLE restated (feed TEXT, item TEXT, facets INTEGER, now INTEGER, PRIMARY KEY (feed, item)) WITHOUT ROWID;
  CREATE TEMP TABLE scores (cve_key TEXT PRIMARY KEY, cve_id TEXT NOT NULL, score REAL NOT NULL, percentile REAL NOT NULL)
    WITHOUT ROWID;
`

export interface StagedClaim {
  feed: string
  item: string
  /** The CVEs of the claim. Empty if it has none. */
  cveIds: readonly CveId[]
  digest: Uint8Array
  statedAt: string | null
  facets: number | null
  /** The file of the feed, counted from 0. */
  file: number
}

/** The result of staging an item: kept, the same as a copy in another file, replaced an earlier copy, or dropped as older. */
export type StagingOutcome = 'kept' | 'same' | 'replaces-same-file' | 'replaces-older-file' | 'older'

export interface StagingCounts {
  kept: number
  /** Kept items that are new in the corpus (`added`) or have new content (`changed`). */
  added: number
  changed: number
  /** Items that were in the corpus and are neither kept nor held. */
  removed: number
}

export interface Staging {
  /** Returns the item's digest in the corpus. Null if it has none, or if the item was already requested or staged. */
  digestOf(feed: string, item: string): Uint8Array | null
  /** Stages an item with exactly the digest from `digestOf`. It must be the first copy in this ingest. */
  same(feed: string, item: string, file: number): void
  /** As `same`, for an item with the same content and different raw bytes. */
  known(item: Pick<StagedClaim, 'feed' | 'item' | 'digest' | 'file'>): void
  /** `advisory`: what the item states about packages. Without one, what it stated before is removed. */
  claim(claim: StagedClaim, body: PackedText, advisory?: PackedAdvisory | null): StagingOutcome
  /** Keeps the corpus's claims for an item that was not staged. Returns false if there are none. */
  hold(feed: string, item: string): boolean
  /** Returns false for a repeated id. The later row counts. */
  score(score: EpssScore): boolean
  /** Returns the staged scores. */
  scores(): Iterable<EpssScore>
  /** Keeps the corpus's claims for all items of a feed that were not staged. Returns their number. */
  holdRest(feed: string): number
  /** Returns the newest date, ISO 8601 in UTC, of the items of each file by its number. Dates after `until` do not count. */
  newestDates(feed: string): ReadonlyMap<number, string>
  /** Forgets all that is staged from now on, when the returned function is called. */
  save(feed: string): { restore(): void; release(): void }
  /** Returns the counts of a feed after all its items are staged. */
  claimCounts(feed: string): StagingCounts
  scoreCounts(): StagingCounts
  /** Counts the items of a feed in the corpus, before any is staged, by the bits of their facets. */
  facetCounts(feed: string): FacetCount[]
  /** Counts the items of a feed that were rewritten, by their facets before and now. */
  rewrittenFacets(feed: string): (FacetCount & { now: number; example: string })[]
}

export interface FacetCount {
  facets: number
  count: number
}

interface ClaimRow {
  id: number
  cve_key: string
  digest: Uint8Array
  stated_at: string | null
  facets: number | null
}

/** Counts of a feed's items. An item about several CVEs counts once. */
interface Tally {
  kept: number
  added: number
  changed: number
  held: number
  /** Items of `holdRest`. */
  retained: number
}

/** Prepares staging on a connection with an open transaction. `until` is in ms since 1970. */
export function openStaging(database: Database.Database, until = Number.POSITIVE_INFINITY): Staging {
  database.exec(TABLES)
  const seenRows = openSeenRows(database)
  const advisories = openAdvisoryRows(database)
  const inCorpus = database.prepare<[string, string], ClaimRow>(
    'SELECT rowid AS id, cve_key, digest, stated_at, facets FROM claim WHERE feed = ? AND item = ?',
  )
  const insert = database.prepare(
    'INSERT INTO claim (cve_key, feed, item, digest, stated_at, facets, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const update = database.prepare('UPDATE claim SET digest = ?, stated_at = ?, facets = ?, body = ? WHERE rowid = ?')
  const rewrap = database.prepare('UPDATE claim SET digest = ? WHERE rowid = ?')
  const alter = database.prepare('INSERT OR IGNORE INTO altered VALUES (?, ?)')
  // A later copy of the item keeps the facets from before the ingest.
  const restate = database.prepare(
    'INSERT INTO restated VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET now = excluded.now',
  )
  const before = database.prepare<[number], Uint8Array>('SELECT before FROM altered WHERE id = ?').pluck()
  const insertScore = database.prepare('INSERT INTO scores VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const replaceScore = database.prepare('INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)')

  const rewritten = database.prepare<[string], FacetCount & { now: number; example: string }>(REWRITTEN_FACETS)

  const tallies = new Map<string, Tally>()
  const tallyOf = (feed: string): Tally => {
    const tally = tallies.get(feed) ?? { kept: 0, added: 0, changed: 0, held: 0, retained: 0 }
    tallies.set(feed, tally)
    return tally
  }
  const feeds = new Map<string, FeedItems>()
  const itemsOf = (feed: string): FeedItems => {
    const items = feeds.get(feed) ?? openItems(database, feed)
    feeds.set(feed, items)
    return items
  }
  const newest = new Map<string, Map<number, number>>()
  const dated = (feed: string, file: number, ms: number | null) => {
    if (ms === null || Number.isNaN(ms) || ms > until) return
    const files = newest.get(feed) ?? new Map<number, number>()
    newest.set(feed, files)
    if (ms > (files.get(file) ?? 0)) files.set(file, ms)
  }
  const rowsOf = (feed: string, item: string): ClaimRow[] =>
    itemsOf(feed).isThere(item) ? inCorpus.all(feed, item) : []
  const seen = (rows: readonly ClaimRow[]) => rows.filter(({ id }) => seenRows.fileOf(id) !== null)

  /** Counts an item with its `rows` and `digest`. `by` is -1 if a later copy replaces it. */
  const count = (feed: string, rows: readonly ClaimRow[], digest: Uint8Array, by: 1 | -1) => {
    const tally = tallyOf(feed)
    tally.kept += by
    // Includes rows that this copy does not name: an item about other CVEs is changed, not new.
    const old = rows.find(({ id }) => !seenRows.isNew(id))
    if (!old) tally.added += by
    else if (!isSameContent(before.get(old.id) ?? old.digest, digest)) tally.changed += by
  }

  return {
    digestOf: (feed, item) => itemsOf(feed).ask(item),
    same(feed, item, file) {
      const rows = itemsOf(feed).stageOld(item)
      if (rows === null) throw notKnown(feed, item)
      for (const id of rows) seenRows.see(id, file)
      dated(feed, file, itemsOf(feed).statedAt(item))
      tallyOf(feed).kept++
    },
    known({ feed, item, digest, file }) {
      const items = itemsOf(feed)
      const had = items.digestOf(item)
      const rows = had !== null && isSameContent(had, digest) ? items.stageOld(item) : null
      if (had === null || rows === null) throw notKnown(feed, item)
      // Only the raw bytes differ: store their digest, so that the next ingest recognizes the item.
      const isRewrapped = Buffer.compare(had, digest) !== 0
      for (const id of rows) {
        seenRows.see(id, file)
        if (isRewrapped) rewrap.run(digest, id)
      }
      dated(feed, file, items.statedAt(item))
      tallyOf(feed).kept++
    },
    claim({ feed, item, cveIds, digest, statedAt, facets, file }, body, advisory = null) {
      dated(feed, file, statedAt === null ? null : Date.parse(statedAt))
      const rows = rowsOf(feed, item)
      itemsOf(feed).stage(item)
      const copies = seen(rows)
      const [earlier] = copies
      const earlierFile = earlier ? seenRows.fileOf(earlier.id) : null
      if (earlier) {
        if (earlierFile !== file && isSameContent(earlier.digest, digest)) return 'same'
        if (earlier.stated_at !== null && statedAt !== null && statedAt < earlier.stated_at) return 'older'
        // The new copy also withdraws the claims about CVEs that it no longer names.
        count(feed, rows, earlier.digest, -1)
        for (const { id } of copies) seenRows.unsee(id)
      }
      const keys = cveIds.length > 0 ? cveIds.map(sortKey) : ['']
      for (const key of keys) {
        const row = rows.find((one) => one.cve_key === key)
        if (row) {
          if (!seenRows.isNew(row.id)) alter.run(row.id, row.digest)
          update.run(digest, statedAt, facets, body, row.id)
        }
        const id = row?.id ?? Number(insert.run(key, feed, item, digest, statedAt, facets, body).lastInsertRowid)
        seenRows.see(id, file)
      }
      count(feed, rows, digest, 1)
      const old = rows.find(({ id }) => !seenRows.isNew(id))
      if (old) restate.run(feed, item, old.facets, facets)
      if (advisory) advisories.put(feed, item, advisory)
      else if (rows.length > 0) advisories.remove(feed, item)
      return !earlier ? 'kept' : earlierFile === file ? 'replaces-same-file' : 'replaces-older-file'
    },
    hold(feed, item) {
      const rows = itemsOf(feed).stageOld(item)
      if (rows === null) return false
      for (const id of rows) seenRows.see(id, SOURCE_UNREADABLE)
      tallyOf(feed).held++
      return true
    },
    holdRest(feed) {
      let count = 0
      for (const rows of itemsOf(feed).stageRest()) {
        for (const id of rows) seenRows.see(id, SOURCE_UNREADABLE)
        count++
      }
      tallyOf(feed).retained += count
      return count
    },
    newestDates: (feed) =>
      new Map(Array.from(newest.get(feed) ?? [], ([file, ms]) => [file, new Date(ms).toISOString()])),
    save(feed) {
      database.exec('SAVEPOINT feed')
      const restoreRows = seenRows.save()
      return {
        restore() {
          database.exec('ROLLBACK TO feed; RELEASE feed')
          restoreRows()
          for (const state of [feeds, tallies, newest]) state.delete(feed)
        },
        release: () => void database.exec('RELEASE feed'),
      }
    },
    score({ cveId, score, percentile }) {
      const key = sortKey(cveId)
      if (insertScore.run(key, cveId, score, percentile).changes > 0) return true
      replaceScore.run(key, cveId, score, percentile)
      return false
    },
    scores: () =>
      database
        .prepare<[], EpssScore>('SELECT cve_id AS cveId, score, percentile FROM scores ORDER BY cve_key')
        .iterate(),
    claimCounts(feed) {
      const { kept, added, changed, held, retained } = tallyOf(feed)
      const removed = itemsOf(feed).size() - kept - held - retained
      feeds.delete(feed)
      return { kept, added, changed, removed }
    },
    scoreCounts: () => database.prepare<[], StagingCounts>(SCORE_COUNTS).get()!,
    facetCounts: (feed) => database.prepare<[string], FacetCount>(FACET_COUNTS).all(feed),
    rewrittenFacets: (feed) => rewritten.all(feed),
  }
}

function notKnown(feed: string, item: string): Error {
  return new Error(`${feed} ${item} is staged as unchanged, but the corpus has another digest`)
}

/** Items that need not state anything have no facets. */
const FACET_COUNTS = `
  SELECT facets, count(DISTINCT item) AS count FROM claim INDEXED BY claim_by_feed
    WHERE feed = ? AND facets IS NOT NULL GROUP BY facets
`

const REWRITTEN_FACETS = `
  SELECT facets, now, count(*) AS count, min(item) AS example FROM restated
    WHERE feed = ? AND facets IS NOT NULL AND now IS NOT NULL GROUP BY 1, 2
`

const SCORE_COUNTS = `
  SELECT
    (SELECT count(*) FROM scores) AS kept,
    (SELECT count(*) FROM scores AS s WHERE NOT EXISTS (SELECT 1 FROM epss AS e WHERE e.cve_key = s.cve_key)) AS added,
    (SELECT count(*) FROM scores AS s JOIN epss AS e USING (cve_key)
      WHERE s.score <> e.score OR s.percentile <> e.percentile) AS changed,
    (SELECT count(*) FROM epss AS e WHERE NOT EXISTS (SELECT 1 FROM scores AS s WHERE s.cve_key = e.cve_key)) AS removed
`
