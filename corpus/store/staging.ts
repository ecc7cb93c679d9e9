/**
 * The staging database beside the corpus: what the feeds of one ingest hold, before anything of it counts. It is
 * attached to the connection of the corpus, so that one statement can compare the two, and thrown away afterwards.
 */
import type Database from 'better-sqlite3'
import type { EpssScore } from '../model/claim.ts'
import type { CveId } from '../model/cve-id.ts'
import { sortKey } from './sort-key.ts'

/** Nothing here has to survive a crash: no journal, no syncing. `body` is null where the corpus has the claim already. */
const STAGING = `
  PRAGMA staging.journal_mode = OFF;
  PRAGMA staging.synchronous = OFF;
  CREATE TABLE staging.claim (
    cve_key TEXT NOT NULL,
    feed TEXT NOT NULL,
    item TEXT NOT NULL,
    digest BLOB NOT NULL,
    stated_at TEXT,
    file INTEGER NOT NULL,
    body TEXT,
    UNIQUE (cve_key, feed, item)
  );
  CREATE INDEX staging.claim_by_feed ON claim (feed, body IS NULL, item, cve_key);
  CREATE TABLE staging.epss (cve_key TEXT PRIMARY KEY, cve_id TEXT NOT NULL, score REAL NOT NULL, percentile REAL NOT NULL)
    WITHOUT ROWID;
`

export interface StagedClaim {
  feed: string
  item: string
  cveId: CveId | null
  digest: Uint8Array
  statedAt: string | null
  /** Which of the feed's files it comes from, counted from 0. */
  file: number
}

/** What became of a staged item: kept, or put in the place of an earlier one, or left out because it is older. */
export type StagingOutcome = 'kept' | 'replaces-same-file' | 'replaces-older-file' | 'older'

export interface StagingCounts {
  kept: number
  /** Of those kept: not in the corpus yet, or there from other bytes. */
  added: number
  changed: number
  /** In the corpus, and not staged. */
  removed: number
}

export interface Staging {
  /** Whether the corpus has this item from the same upstream bytes. */
  known(feed: string, item: string, digest: Uint8Array): boolean
  /** Stages a claim with its JSON, or without where it is known. */
  claim(claim: StagedClaim, body: string | null): StagingOutcome
  /** Stages, unless something is staged for it, what the corpus has for an item; false where it has nothing. */
  hold(feed: string, item: string): boolean
  /** False where the id is there already: the later row then counts. */
  score(score: EpssScore): boolean
  claimCounts(feed: string): StagingCounts
  scoreCounts(): StagingCounts
}

interface CorpusClaim {
  cve_key: string
  digest: Uint8Array
  stated_at: string | null
}

/** Attaches a new staging database, a file at `path`, to the corpus's connection. */
export function attachStaging(database: Database.Database, path: string): Staging {
  database.prepare('ATTACH ? AS staging').run(path)
  database.exec(STAGING)

  const inCorpus = database.prepare<[string, string], CorpusClaim>(
    'SELECT cve_key, digest, stated_at FROM main.claim WHERE feed = ? AND item = ?',
  )
  const insert = database.prepare('INSERT INTO staging.claim VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const staged = database.prepare<[string, string, string], { stated_at: string | null; file: number }>(
    'SELECT stated_at, file FROM staging.claim WHERE cve_key = ? AND feed = ? AND item = ?',
  )
  const replace = database.prepare('INSERT OR REPLACE INTO staging.claim VALUES (?, ?, ?, ?, ?, ?, ?)')
  const insertScore = database.prepare('INSERT INTO staging.epss VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  const replaceScore = database.prepare('INSERT OR REPLACE INTO staging.epss VALUES (?, ?, ?, ?)')

  return {
    known(feed, item, digest) {
      const row = inCorpus.get(feed, item)
      return row !== undefined && Buffer.compare(row.digest, digest) === 0
    },
    claim({ feed, item, cveId, digest, statedAt, file }, body) {
      const key = cveId === null ? '' : sortKey(cveId)
      const stated = body === null ? (inCorpus.get(feed, item)?.stated_at ?? null) : statedAt
      if (insert.run(key, feed, item, digest, stated, file, body).changes > 0) return 'kept'
      const earlier = staged.get(key, feed, item)!
      if (earlier.stated_at !== null && stated !== null && stated < earlier.stated_at) return 'older'
      replace.run(key, feed, item, digest, stated, file, body)
      return earlier.file === file ? 'replaces-same-file' : 'replaces-older-file'
    },
    hold(feed, item) {
      const row = inCorpus.get(feed, item)
      return row !== undefined && insert.run(row.cve_key, feed, item, row.digest, row.stated_at, 0, null).changes > 0
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

const CLAIM_COUNTS = `
  WITH new AS (
    SELECT count(*) AS count FROM staging.claim AS s WHERE feed = $feed AND body IS NULL = 0 AND NOT EXISTS
      (SELECT 1 FROM main.claim AS c WHERE c.feed = s.feed AND c.item = s.item AND c.cve_key = s.cve_key)
  )
  SELECT
    (SELECT count(*) FROM staging.claim WHERE feed = $feed) AS kept,
    (SELECT count FROM new) AS added,
    (SELECT count(*) FROM staging.claim WHERE feed = $feed AND body IS NULL = 0) - (SELECT count FROM new) AS changed,
    (SELECT count(*) FROM main.claim AS c WHERE feed = $feed AND NOT EXISTS
      (SELECT 1 FROM staging.claim AS s WHERE s.feed = c.feed AND s.item = c.item AND s.cve_key = c.cve_key)) AS removed
`

const SCORE_COUNTS = `
  SELECT
    (SELECT count(*) FROM staging.epss) AS kept,
    (SELECT count(*) FROM staging.epss AS s WHERE NOT EXISTS
      (SELECT 1 FROM main.epss AS e WHERE e.cve_key = s.cve_key)) AS added,
    (SELECT count(*) FROM staging.epss AS s JOIN main.epss AS e USING (cve_key)
      WHERE s.score <> e.score OR s.percentile <> e.percentile) AS changed,
    (SELECT count(*) FROM main.epss AS e WHERE NOT EXISTS
      (SELECT 1 FROM staging.epss AS s WHERE s.cve_key = e.cve_key)) AS removed
`
