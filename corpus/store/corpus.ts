/** The read interface of corpus.db for builds. Several threads and processes may read at once. */
import { createHash } from 'node:crypto'
import type Database from 'better-sqlite3'
import type { EpssScore } from '../model/claim.ts'
import type { CveId } from '../model/ids/cve-id.ts'
import type { LastUpdate } from '../model/last-update.ts'
import { type Advisories, readAdvisories } from './advisories.ts'
import { type EpssHistory, readEpssHistory } from './epss-history.ts'
import { type PackedText, unpackText } from './packed-text.ts'
import { type PartTexts, unpackParts } from './record-parts.ts'
import { type RejectedCve, readRejected } from './rejected.ts'
import { openDatabase } from './schema.ts'
import { sortKey } from './sort-key.ts'
import { type FeedState, readCorpusDate, readFeedStates, readLastUpdate, readMeta } from './state.ts'

/** A merged record. `digest` is its `recordDigest`. */
export interface StoredRecord {
  cveId: CveId
  /** The corpus's own version of the record, from 1. It increases when the timeline gains an entry (rule 26). */
  version: number
  digest: Uint8Array
  parts: PartTexts
}

export interface EpssRelease {
  /** The day of the computation, `YYYY-MM-DD`. */
  date: string
  /** `unknown` for files without a model version, from the first year of EPSS. */
  modelVersion: string
}

export interface Corpus {
  /** `corpusDate` is the newest date in the CVE list, ISO 8601 in UTC. */
  state(): { corpusDate: string | null; feeds: FeedState[]; lastUpdate: LastUpdate | null }
  /** Returns the id blocks (`2024/3xxx`) by year and number, each with its number of records. */
  blocks(): { block: string; records: number }[]
  /** Returns the records of a block in the order of `compareCveIds`, without reading their parts. */
  digests(block: string): { cveId: CveId; digest: Uint8Array }[]
  /** Returns the records of a block in `compareCveIds` order, or `cveIds` in their order. Unknown ids are omitted. */
  records(block: string, cveIds?: readonly CveId[]): Iterable<StoredRecord>
  /** Returns all scores in the order of `compareCveIds`, including ids without a record. */
  epss(): { release: EpssRelease | null; scores: Iterable<EpssScore> }
  rejected(): RejectedCve[]
  /** Returns the entries of a catalog feed, sorted by key. */
  catalog<Entry>(feed: string): Entry[]
  /** Returns the claims of all feeds on a CVE, sorted by feed and item. EPSS has scores, not claims. */
  claims(cveId: CveId): StoredClaim[]
  score(cveId: CveId): EpssScore | null
  advisories: Advisories
  epssHistory: EpssHistory
  /** Returns a digest of everything that a snapshot depends on, except the records. */
  digest(): string
  /** Returns the rules and settings of the last merge, as the ingest stored them. Null before the first ingest. */
  mergeRules(): string | null
  close(): void
}

/** A claim of a feed. `item` is the feed's own key, `body` its JSON. */
export interface StoredClaim {
  feed: string
  item: string
  statedAt: string | null
  body: string
}

/** A row of `record`. Blobs are Buffers. */
type RecordRow = Omit<StoredRecord, 'parts'> & { parts: PackedText }

const COLUMNS = 'cve_id AS cveId, version, digest, parts'

/** Enough for scans, which read each page once. The default of better-sqlite3 is 16,000. */
const CACHE_KIB = 2000

/**
 * Opens the corpus at `path`. All reads see the state of the first read, even if an ingest commits meanwhile. `cacheKiB`
 * is the size of SQLite's page cache.
 * @throws StoreError if there is not a corpus, or one of another schema version.
 */
export function openCorpus(path: string, cacheKiB = CACHE_KIB): Corpus {
  const database = openDatabase(path, { readonly: true })
  database.pragma(`cache_size = -${cacheKiB}`)
  database.exec('BEGIN')
  return readCorpus(database)
}

/** Returns the read interface of an open database. Its `close` closes the database. */
function readCorpus(database: Database.Database): Corpus {
  const blocks = database.prepare<[], { block: string; records: number }>(
    'SELECT block, count(*) AS records FROM record GROUP BY block ORDER BY min(cve_key)',
  )
  const digests = database.prepare<[string], { cveId: CveId; digest: Uint8Array }>(
    'SELECT cve_id AS cveId, digest FROM record WHERE block = ? ORDER BY cve_key',
  )
  const ofBlock = database.prepare<[string], RecordRow>(
    `SELECT ${COLUMNS} FROM record INDEXED BY record_by_block WHERE block = ? ORDER BY cve_key`,
  )
  const byKey = database.prepare<[string], RecordRow>(`SELECT ${COLUMNS} FROM record WHERE cve_key = ?`)
  const scores = database.prepare<[], EpssScore>('SELECT cve_id AS cveId, score, percentile FROM epss ORDER BY cve_key')
  const claims = database.prepare<[string], Omit<StoredClaim, 'body'> & { body: PackedText }>(
    'SELECT feed, item, stated_at AS statedAt, body FROM claim WHERE cve_key = ? ORDER BY feed, item',
  )
  const score = database.prepare<[string], EpssScore>(
    'SELECT cve_id AS cveId, score, percentile FROM epss WHERE cve_key = ?',
  )

  function* named(cveIds: readonly CveId[]): Iterable<StoredRecord> {
    for (const cveId of cveIds) {
      const row = byKey.get(sortKey(cveId))
      if (row) yield storedRecord(row)
    }
  }
  function* all(block: string): Iterable<StoredRecord> {
    for (const row of ofBlock.iterate(block)) yield storedRecord(row)
  }

  return {
    state: () => ({
      corpusDate: readCorpusDate(database),
      feeds: readFeedStates(database),
      lastUpdate: readLastUpdate(database),
    }),
    blocks: () => blocks.all(),
    digests: (block) => digests.all(block),
    records: (block, cveIds) => (cveIds ? named(cveIds) : all(block)),
    epss: () => ({ release: epssRelease(readFeedStates(database)), scores: scores.iterate() }),
    rejected: readRejected(database).all,
    catalog: <Entry>(feed: string) => readCatalog<Entry>(database, feed),
    claims: (cveId) => claims.all(sortKey(cveId)).map((claim) => ({ ...claim, body: unpackText(claim.body) })),
    score: (cveId) => score.get(sortKey(cveId)) ?? null,
    advisories: readAdvisories(database),
    epssHistory: readEpssHistory(database),
    digest: () => digestOf(database),
    mergeRules: () => readMeta(database, 'merge_rules'),
    close: () => void database.close(),
  }
}

/** Their claims are entries of catalogs. */
const CATALOG_FEEDS = ['capec', 'cna', 'cwe', 'exploitdb', 'metasploit', 'report-types']

/**
 * The rows that `digest` hashes: corpus date and merge settings, feed states, rejected ids, EPSS scores and their history,
 * digests of catalog entries, of advisories and of what they state about packages.
 */
const CONTENT = [
  "SELECT name, value FROM meta WHERE name <> 'written_by' ORDER BY name",
  'SELECT name, state FROM feed ORDER BY name',
  'SELECT cve_key, date_rejected, reason, replaced_by FROM rejected ORDER BY cve_key',
  'SELECT cve_key, score, percentile FROM epss ORDER BY cve_key',
  'SELECT block, quarter, hex(digest) FROM epss_history ORDER BY block, quarter',
  `SELECT feed, item, digest FROM claim WHERE feed IN (${CATALOG_FEEDS.map((feed) => `'${feed}'`)}) ORDER BY feed, item`,
  'SELECT id, feed, modified, hex(digest) FROM advisory ORDER BY id, feed',
  'SELECT package, id, feed, hex(digest) FROM package_advisory ORDER BY package, id, feed',
]

/** Characters per call of the hash: a call costs as much as ten rows. */
const HASHED_AT_ONCE = 65_536

function digestOf(database: Database.Database): string {
  const hash = createHash('sha256')
  let text = ''
  for (const query of CONTENT) {
    text += `${query}\n`
    for (const row of database.prepare<[], unknown[]>(query).raw().iterate()) {
      text += `${row.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : String(value))).join('\t')}\n`
      if (text.length < HASHED_AT_ONCE) continue
      hash.update(text)
      text = ''
    }
  }
  return hash.update(text).digest('hex')
}

function storedRecord(row: RecordRow): StoredRecord {
  return { ...row, parts: unpackParts(row.parts) }
}

function epssRelease(feeds: FeedState[]): EpssRelease | null {
  const state = feeds.find((feed) => feed.name === 'epss')
  return state?.date ? { date: state.date.slice(0, 10), modelVersion: state.version ?? 'unknown' } : null
}

/** Returns the entries of a feed, unique and sorted by key. */
export function readCatalog<Entry>(database: Database.Database, feed: string): Entry[] {
  const bodies = database
    .prepare<[string], PackedText>('SELECT min(body) FROM claim WHERE feed = ? GROUP BY item ORDER BY item')
    .pluck()
  return bodies.all(feed).map((body) => JSON.parse(unpackText(body)) as Entry)
}
