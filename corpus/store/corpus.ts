/** The read side of corpus.db: what a build asks of it. Any number of threads and processes may read at once. */
import type Database from 'better-sqlite3'
import type { EpssScore } from '../model/claim.ts'
import type { CveId } from '../model/cve-id.ts'
import { PART_NAMES, type PartName } from '../model/record.ts'
import { readCatalogue } from './catalogue.ts'
import { openDatabase } from './schema.ts'
import { sortKey } from './sort-key.ts'
import { type FeedState, readCorpusDate, readFeedStates, readMeta } from './state.ts'

/** A merged record as it is stored: each part as JSON text; `digest` is 16 bytes, over the texts of all parts. */
export interface StoredRecord {
  cveId: CveId
  /** The corpus's own version of the record, from 1, raised whenever its timeline gains an entry (rule 26). */
  version: number
  digest: Uint8Array
  parts: Record<PartName, string>
}

export interface EpssRelease {
  /** The day the scores were computed for, `YYYY-MM-DD`. */
  date: string
  /** `unknown` for files that do not name it: those of the first year. */
  modelVersion: string
}

export interface Corpus {
  /** `corpusDate` is the newest date that the CVE list states, ISO 8601 in UTC. */
  state(): { corpusDate: string | null; feeds: FeedState[] }
  /** Id blocks (`2024/3xxx`) by year and number, with how many records each has. */
  blocks(): { block: string; records: number }[]
  /** The records of a block in the order of `compareCveIds`, without reading their parts. */
  digests(block: string): { cveId: CveId; digest: Uint8Array }[]
  /** The records of a block in the order of `compareCveIds`, or those named, in the order named; unknown ids are left out. */
  records(block: string, cveIds?: readonly CveId[]): Iterable<StoredRecord>
  /** All scores in the order of `compareCveIds`, also of ids without a record. */
  epss(): { release: EpssRelease | null; scores: Iterable<EpssScore> }
  rejected(): { cveId: CveId; dateRejected: string | null }[]
  /** The entries of a feed that is a catalogue, by their keys. */
  catalogue<Entry>(feed: string): Entry[]
  /** The claims of all feeds on a CVE, by feed and item; EPSS keeps scores, no claims. */
  claims(cveId: CveId): StoredClaim[]
  score(cveId: CveId): EpssScore | null
  /** Under which rules and settings the records were merged, as the ingest wrote it down; null before the first. */
  mergeRules(): string | null
  close(): void
}

/** A claim of a feed; `item` is the feed's own key of it, `body` its JSON. */
export interface StoredClaim {
  feed: string
  item: string
  statedAt: string | null
  body: string
}

/** A row of `record`; node hands blobs out as Buffers. */
type RecordRow = { cveId: CveId; version: number; digest: Uint8Array } & Record<PartName, string>

const COLUMNS = `cve_id AS cveId, version, digest, ${PART_NAMES.map((name) => `"${name}"`).join(', ')}`

/**
 * Opens the corpus at `path`, for one look at it: all that is read is of the state in which it was first read, however
 * many ingests commit meanwhile. Throws `StoreError` where there is none, or one of another schema version.
 */
export function openCorpus(path: string, options: { readonly: boolean } = { readonly: true }): Corpus {
  const database = openDatabase(path, options)
  database.exec('BEGIN')
  return readCorpus(database)
}

/** The read side of a database that is already open; `close` closes it. */
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
  const claims = database.prepare<[string], StoredClaim>(
    'SELECT feed, item, stated_at AS statedAt, body FROM claim WHERE cve_key = ? ORDER BY feed, item',
  )
  const score = database.prepare<[string], EpssScore>(
    'SELECT cve_id AS cveId, score, percentile FROM epss WHERE cve_key = ?',
  )
  const rejected = database.prepare<[], { cveId: CveId; dateRejected: string | null }>(
    'SELECT cve_id AS cveId, date_rejected AS dateRejected FROM rejected ORDER BY cve_key',
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
    state: () => ({ corpusDate: readCorpusDate(database), feeds: readFeedStates(database) }),
    blocks: () => blocks.all(),
    digests: (block) => digests.all(block),
    records: (block, cveIds) => (cveIds ? named(cveIds) : all(block)),
    epss: () => ({ release: epssRelease(readFeedStates(database)), scores: scores.iterate() }),
    rejected: () => rejected.all(),
    catalogue: <Entry>(feed: string) => readCatalogue<Entry>(database, feed),
    claims: (cveId) => claims.all(sortKey(cveId)),
    score: (cveId) => score.get(sortKey(cveId)) ?? null,
    mergeRules: () => readMeta(database, 'merge_rules'),
    close: () => void database.close(),
  }
}

function storedRecord(row: RecordRow): StoredRecord {
  const { cveId, version, digest, ...parts } = row
  return { cveId, version, digest, parts }
}

function epssRelease(feeds: FeedState[]): EpssRelease | null {
  const state = feeds.find((feed) => feed.name === 'epss')
  return state?.date ? { date: state.date.slice(0, 10), modelVersion: state.version ?? 'unknown' } : null
}
