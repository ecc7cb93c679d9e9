/**
 * Staging: what the feeds of one ingest hold goes into the corpus inside a transaction that is still open. Readers see
 * nothing of it, whoever judges it can still give all of it up, and nothing has to be copied for the commit.
 */
import type Database from 'better-sqlite3'
import type { EpssScore } from '../model/claim.ts'
import type { CveId } from '../model/cve-id.ts'
import { isSameContent } from '../model/item-digest.ts'
import { type FeedItems, openItems } from './feed-items.ts'
import type { KnownItems } from './known-items.ts'
import { HELD, openMarks } from './marks.ts'
import { sortKey } from './sort-key.ts'

/** `altered` has the digests that claims had before this ingest, of those that it wrote anew. */
const TABLES = `
  CREATE TEMP TABLE altered (id INTEGER PRIMARY KEY, before BLOB NOT NULL);
  CREATE TEMP TABLE scores (cve_key TEXT PRIMARY KEY, cve_id TEXT NOT NULL, score REAL NOT NULL, percentile REAL NOT NULL)
    WITHOUT ROWID;
`

export interface StagedClaim {
  feed: string
  item: string
  /** The CVEs it is about, none where it is about none. */
  cveIds: readonly CveId[]
  digest: Uint8Array
  statedAt: string | null
  /** Which of the feed's files it comes from, counted from 0. */
  file: number
}

/** What became of a staged item: kept, or put in the place of an earlier one, or left out because it is older. */
export type StagingOutcome = 'kept' | 'replaces-same-file' | 'replaces-older-file' | 'older'

export interface StagingCounts {
  kept: number
  /** Of those kept: not in the corpus before, or there from other bytes. */
  added: number
  changed: number
  /** In the corpus before, and neither kept nor held. */
  removed: number
}

export interface Staging {
  /** The digest that the corpus has an item by; null where it has none, or the item was asked for or staged before. */
  digestOf(feed: string, item: string): Uint8Array | null
  /** What the corpus had of the feed before this ingest. */
  knownItems(feed: string): KnownItems
  /**
   * Asks for items by their places in `knownItems` (but for -1) and then for others by their keys, as `digestOf` does;
   * null, with nothing asked for, where one of the former was asked for or staged before, or comes again.
   */
  digestsOf(feed: string, places: Int32Array, keys: readonly (string | null)[]): (Uint8Array | null)[] | null
  /** Stages an item that is, to the byte, what `digestOf` told of it: no other copy in this ingest may come before. */
  same(feed: string, item: string, file: number): void
  /** The same of one that says what the corpus has of it, but is wrapped otherwise. */
  known(item: Pick<StagedClaim, 'feed' | 'item' | 'digest' | 'file'>): void
  /** Stages a claim with its JSON. */
  claim(claim: StagedClaim, body: string): StagingOutcome
  /** Keeps what the corpus has for an item that nothing was staged for; false where it has nothing. */
  hold(feed: string, item: string): boolean
  /** False where the id is there already: the later row then counts. */
  score(score: EpssScore): boolean
  /** Of a feed of which everything is staged. */
  claimCounts(feed: string): StagingCounts
  scoreCounts(): StagingCounts
}

/** A claim as the corpus has it. */
interface ClaimRow {
  id: number
  cve_key: string
  digest: Uint8Array
  stated_at: string | null
}

/** What became of the items of a feed, each counted once, however many CVEs it is about. */
interface Tally {
  kept: number
  added: number
  changed: number
  held: number
}

/** Prepares staging on a connection whose transaction is open. */
export function openStaging(database: Database.Database): Staging {
  database.exec(TABLES)
  const marks = openMarks(database)
  const inCorpus = database.prepare<[string, string], ClaimRow>(
    'SELECT rowid AS id, cve_key, digest, stated_at FROM claim WHERE feed = ? AND item = ?',
  )
  const insert = database.prepare(
    'INSERT INTO claim (cve_key, feed, item, digest, stated_at, body) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const update = database.prepare('UPDATE claim SET digest = ?, stated_at = ?, body = ? WHERE rowid = ?')
  const rewrap = database.prepare('UPDATE claim SET digest = ? WHERE rowid = ?')
  const alter = database.prepare('INSERT OR IGNORE INTO altered VALUES (?, ?)')
  const before = database.prepare<[number], Uint8Array>('SELECT before FROM altered WHERE id = ?').pluck()
  const insertScore = database.prepare('INSERT INTO scores VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const replaceScore = database.prepare('INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)')

  const tallies = new Map<string, Tally>()
  const tallyOf = (feed: string): Tally => {
    const tally = tallies.get(feed) ?? { kept: 0, added: 0, changed: 0, held: 0 }
    tallies.set(feed, tally)
    return tally
  }
  /** Of the feeds that are being staged. */
  const feeds = new Map<string, FeedItems>()
  const itemsOf = (feed: string): FeedItems => {
    const items = feeds.get(feed) ?? openItems(database, feed)
    feeds.set(feed, items)
    return items
  }
  const rowsOf = (feed: string, item: string): ClaimRow[] =>
    itemsOf(feed).isThere(item) ? inCorpus.all(feed, item) : []
  const seen = (rows: readonly ClaimRow[]) => rows.filter(({ id }) => marks.fileOf(id) !== null)

  /** Counts an item that has `rows` and `digest` now; `by` is -1 where a later copy takes its place. */
  const count = (feed: string, rows: readonly ClaimRow[], digest: Uint8Array, by: 1 | -1) => {
    const tally = tallyOf(feed)
    tally.kept += by
    // Also a row that this copy does not name: about other CVEs than before it is another claim, but no new item.
    const old = rows.find(({ id }) => !marks.isNew(id))
    if (!old) tally.added += by
    else if (!isSameContent(before.get(old.id) ?? old.digest, digest)) tally.changed += by
  }

  return {
    digestOf: (feed, item) => itemsOf(feed).ask(item),
    knownItems: (feed) => itemsOf(feed).known,
    digestsOf: (feed, places, keys) => itemsOf(feed).askAll(places, keys),
    same(feed, item, file) {
      const rows = itemsOf(feed).stageOld(item)
      if (rows === null) throw notKnown(feed, item)
      for (const id of rows) marks.see(id, file)
      tallyOf(feed).kept++
    },
    known({ feed, item, digest, file }) {
      const items = itemsOf(feed)
      const had = items.digestOf(item)
      const rows = had !== null && isSameContent(had, digest) ? items.stageOld(item) : null
      if (had === null || rows === null) throw notKnown(feed, item)
      // Only wrapped otherwise: the next ingest is to know it at once.
      const isRewrapped = Buffer.compare(had, digest) !== 0
      for (const id of rows) {
        marks.see(id, file)
        if (isRewrapped) rewrap.run(digest, id)
      }
      tallyOf(feed).kept++
    },
    claim({ feed, item, cveIds, digest, statedAt, file }, body) {
      const rows = rowsOf(feed, item)
      itemsOf(feed).stage(item)
      const copies = seen(rows)
      const [earlier] = copies
      const earlierFile = earlier ? marks.fileOf(earlier.id) : null
      if (earlier) {
        if (earlier.stated_at !== null && statedAt !== null && statedAt < earlier.stated_at) return 'older'
        // What it said of CVEs that it no longer names is withdrawn with it.
        count(feed, rows, earlier.digest, -1)
        for (const { id } of copies) marks.unsee(id)
      }
      const keys = cveIds.length > 0 ? cveIds.map(sortKey) : ['']
      for (const key of keys) {
        const row = rows.find((one) => one.cve_key === key)
        if (row) {
          if (!marks.isNew(row.id)) alter.run(row.id, row.digest)
          update.run(digest, statedAt, body, row.id)
        }
        const id = row?.id ?? Number(insert.run(key, feed, item, digest, statedAt, body).lastInsertRowid)
        marks.see(id, file)
      }
      count(feed, rows, digest, 1)
      return !earlier ? 'kept' : earlierFile === file ? 'replaces-same-file' : 'replaces-older-file'
    },
    hold(feed, item) {
      const rows = itemsOf(feed).stageOld(item)
      if (rows === null) return false
      for (const id of rows) marks.see(id, HELD)
      tallyOf(feed).held++
      return true
    },
    score({ cveId, score, percentile }) {
      const key = sortKey(cveId)
      if (insertScore.run(key, cveId, score, percentile).changes > 0) return true
      replaceScore.run(key, cveId, score, percentile)
      return false
    },
    claimCounts(feed) {
      const { kept, added, changed, held } = tallyOf(feed)
      const removed = itemsOf(feed).size() - kept - held
      feeds.delete(feed)
      return { kept, added, changed, removed }
    },
    scoreCounts: () => database.prepare<[], StagingCounts>(SCORE_COUNTS).get()!,
  }
}

function notKnown(feed: string, item: string): Error {
  return new Error(`${feed} ${item} is staged as known, but the corpus has other bytes`)
}

const SCORE_COUNTS = `
  SELECT
    (SELECT count(*) FROM scores) AS kept,
    (SELECT count(*) FROM scores AS s WHERE NOT EXISTS (SELECT 1 FROM epss AS e WHERE e.cve_key = s.cve_key)) AS added,
    (SELECT count(*) FROM scores AS s JOIN epss AS e USING (cve_key)
      WHERE s.score <> e.score OR s.percentile <> e.percentile) AS changed,
    (SELECT count(*) FROM epss AS e WHERE NOT EXISTS (SELECT 1 FROM scores AS s WHERE s.cve_key = e.cve_key)) AS removed
`
