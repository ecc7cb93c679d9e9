/**
 * Staging: what the feeds of one ingest hold goes into the corpus inside a transaction that is still open. Readers see
 * nothing of it, whoever judges it can still give all of it up, and nothing has to be copied for the commit.
 */
import type Database from 'better-sqlite3'
import type { EpssScore } from '../model/claim.ts'
import type { CveId } from '../model/cve-id.ts'
import { sortKey } from './sort-key.ts'

/**
 * Every item seen in this ingest: `before` is the digest that the corpus had for it, `digest` the one it has now. An
 * item that cannot be read today is `held`: the corpus keeps what it had. Of an item that comes several times `replaced`
 * has every CVE that an earlier copy was about, with the digest of before the first: a later one may name it again.
 */
const TABLES = `
  CREATE TEMP TABLE seen (
    feed TEXT NOT NULL,
    item TEXT NOT NULL,
    cve_key TEXT NOT NULL,
    before BLOB,
    digest BLOB NOT NULL,
    stated_at TEXT,
    file INTEGER NOT NULL,
    held INTEGER NOT NULL,
    PRIMARY KEY (feed, item, cve_key)
  ) WITHOUT ROWID;
  CREATE TEMP TABLE replaced (
    feed TEXT NOT NULL,
    item TEXT NOT NULL,
    cve_key TEXT NOT NULL,
    before BLOB,
    PRIMARY KEY (feed, item, cve_key)
  ) WITHOUT ROWID;
  CREATE TEMP TABLE scores (cve_key TEXT PRIMARY KEY, cve_id TEXT NOT NULL, score REAL NOT NULL, percentile REAL NOT NULL)
    WITHOUT ROWID;
`

export interface StagedClaim {
  feed: string
  item: string
  /** The CVEs it is about, none where it is about none; of no account where the item is known. */
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
  /** The digest of the upstream bytes that the corpus has an item from; null where it has none. */
  digestOf(feed: string, item: string): Uint8Array | null
  /** Stages a claim with its JSON, or without (null) where it is known. */
  claim(claim: StagedClaim, body: string | null): StagingOutcome
  /** Keeps what the corpus has for an item that nothing was staged for; false where it has nothing. */
  hold(feed: string, item: string): boolean
  /** False where the id is there already: the later row then counts. */
  score(score: EpssScore): boolean
  claimCounts(feed: string): StagingCounts
  scoreCounts(): StagingCounts
}

interface SeenClaim {
  stated_at: string | null
  file: number
}

interface ReplacedClaim {
  cve_key: string
  before: Uint8Array | null
}

interface CorpusClaim {
  cve_key: string
  digest: Uint8Array
  stated_at: string | null
}

/** Prepares staging on a connection whose transaction is open. */
export function openStaging(database: Database.Database): Staging {
  database.exec(TABLES)
  const inCorpus = database.prepare<[string, string], CorpusClaim>(
    'SELECT cve_key, digest, stated_at FROM claim WHERE feed = ? AND item = ?',
  )
  const see = database.prepare('INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const seen = database.prepare<[string, string], SeenClaim>(
    'SELECT stated_at, file FROM seen WHERE feed = ? AND item = ? LIMIT 1',
  )
  const replace = database.prepare(
    'INSERT OR IGNORE INTO replaced SELECT feed, item, cve_key, before FROM seen WHERE feed = ? AND item = ?',
  )
  const replaced = database.prepare<[string, string], ReplacedClaim>(
    'SELECT cve_key, before FROM replaced WHERE feed = ? AND item = ?',
  )
  const forget = database.prepare('DELETE FROM seen WHERE feed = ? AND item = ?')
  const insert = database.prepare(
    'INSERT INTO claim (cve_key, feed, item, digest, stated_at, body) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const update = database.prepare(
    'UPDATE claim SET digest = ?, stated_at = ?, body = ? WHERE cve_key = ? AND feed = ? AND item = ?',
  )
  const insertScore = database.prepare('INSERT INTO scores VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const replaceScore = database.prepare('INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?)')

  return {
    // Of an item seen before in this ingest nothing is known: the corpus already has what came first.
    digestOf: (feed, item) => (seen.get(feed, item) ? null : (inCorpus.get(feed, item)?.digest ?? null)),
    claim({ feed, item, cveIds, digest, statedAt, file }, body) {
      const rows = inCorpus.all(feed, item)
      if (body === null && !(rows[0] && Buffer.compare(rows[0].digest, digest) === 0)) {
        throw new Error(`${feed} ${item} is staged as known, but the corpus has other bytes`)
      }
      const stated = body === null ? (rows[0]?.stated_at ?? null) : statedAt
      const earlier = seen.get(feed, item)
      if (earlier) {
        if (earlier.stated_at !== null && stated !== null && stated < earlier.stated_at) return 'older'
        // What it said of CVEs that it no longer names is withdrawn with it.
        replace.run(feed, item)
        forget.run(feed, item)
      }
      const copies = earlier ? replaced.all(feed, item) : []
      const keys = body === null ? rows.map((row) => row.cve_key) : cveIds.length > 0 ? cveIds.map(sortKey) : ['']
      for (const key of keys) {
        const row = rows.find((one) => one.cve_key === key)
        // The digest of before this ingest, not that of what came first in it.
        const copy = copies.find((one) => one.cve_key === key)
        see.run(feed, item, key, copy ? copy.before : (row?.digest ?? null), digest, stated, file, 0)
        if (body !== null && row) update.run(digest, stated, body, key, feed, item)
        else if (body !== null) insert.run(key, feed, item, digest, stated, body)
      }
      return !earlier ? 'kept' : earlier.file === file ? 'replaces-same-file' : 'replaces-older-file'
    },
    hold(feed, item) {
      if (seen.get(feed, item)) return false
      const rows = inCorpus.all(feed, item)
      for (const row of rows) see.run(feed, item, row.cve_key, row.digest, row.digest, row.stated_at, 0, 1)
      return rows.length > 0
    },
    score({ cveId, score, percentile }) {
      const key = sortKey(cveId)
      if (insertScore.run(key, cveId, score, percentile).changes > 0) return true
      replaceScore.run(key, cveId, score, percentile)
      return false
    },
    claimCounts: (feed) => database.prepare<[{ feed: string }], StagingCounts>(CLAIM_COUNTS).get({ feed })!,
    scoreCounts: () => database.prepare<[], StagingCounts>(SCORE_COUNTS).get()!,
  }
}

/** An item counts once, however many CVEs it is about. */
const CLAIM_COUNTS = `
  SELECT
    count(*) FILTER (WHERE held = 0) AS kept,
    count(*) FILTER (WHERE before IS NULL) AS added,
    count(*) FILTER (WHERE before <> digest) AS changed,
    (SELECT count(DISTINCT item) FROM claim AS c WHERE feed = $feed AND NOT EXISTS
      (SELECT 1 FROM seen AS s WHERE s.feed = c.feed AND s.item = c.item)) AS removed
  FROM (SELECT max(held) AS held, max(before) AS before, max(digest) AS digest FROM seen WHERE feed = $feed GROUP BY item)
`

const SCORE_COUNTS = `
  SELECT
    (SELECT count(*) FROM scores) AS kept,
    (SELECT count(*) FROM scores AS s WHERE NOT EXISTS (SELECT 1 FROM epss AS e WHERE e.cve_key = s.cve_key)) AS added,
    (SELECT count(*) FROM scores AS s JOIN epss AS e USING (cve_key)
      WHERE s.score <> e.score OR s.percentile <> e.percentile) AS changed,
    (SELECT count(*) FROM epss AS e WHERE NOT EXISTS (SELECT 1 FROM scores AS s WHERE s.cve_key = e.cve_key)) AS removed
`
