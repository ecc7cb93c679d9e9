/** The tables of corpus.db, and opening it. Files of another version are rejected. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { PART_NAMES } from '../model/record.ts'
import { accessError, StoreError } from './error.ts'

/** Increase it whenever the meaning of a table changes. A corpus of another version must be ingested again. */
const SCHEMA_VERSION = 4

/** `VSLF`, SQLite's application id of a corpus. */
const APPLICATION_ID = 0x56534c46

const PART_COLUMNS = PART_NAMES.map((name) => `"${name}" TEXT NOT NULL`).join(', ')

/**
 * `cve_key` is the `sortKey` of the row's CVE, or '' for entries without a CVE (CNAs).
 * In `claim`, `item` is the feed's own key of the statement. `digest` is that of its upstream bytes
 * (model/item-digest.ts); `stated_at` is the date in these bytes.
 * `gone` keeps complete records that the list rejected or dropped. Their version and timeline continue if they return
 * (rule 26).
 * `review` contains findings for an operator (model/review.ts): the number of compared scores, of unreadable vectors,
 * and `found`, which is JSON or null.
 * The indexes cover all columns of scans, so that no scan reads the bodies.
 */
const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE feed (name TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE claim (
    cve_key TEXT NOT NULL,
    feed TEXT NOT NULL,
    item TEXT NOT NULL,
    digest BLOB NOT NULL,
    stated_at TEXT,
    body TEXT NOT NULL,
    UNIQUE (cve_key, feed, item)
  );
  CREATE INDEX claim_by_feed ON claim (feed, item, cve_key, digest, stated_at);
  CREATE TABLE record (
    cve_key TEXT NOT NULL UNIQUE,
    cve_id TEXT NOT NULL,
    block TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest BLOB NOT NULL,
    ${PART_COLUMNS}
  );
  CREATE INDEX record_by_block ON record (block, cve_key, cve_id, digest);
  CREATE TABLE rejected (
    cve_key TEXT PRIMARY KEY,
    cve_id TEXT NOT NULL,
    date_rejected TEXT
  ) WITHOUT ROWID;
  CREATE TABLE gone (
    cve_key TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    ${PART_COLUMNS}
  );
  CREATE TABLE review (
    cve_key TEXT PRIMARY KEY,
    scores INTEGER NOT NULL,
    unreadable INTEGER NOT NULL,
    found TEXT
  ) WITHOUT ROWID;
  CREATE TABLE epss (cve_key TEXT PRIMARY KEY, cve_id TEXT NOT NULL, score REAL NOT NULL, percentile REAL NOT NULL)
    WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** Creates the tables of a new corpus in an empty file. */
export function createSchema(database: Database.Database): void {
  database.exec(SCHEMA)
}

/**
 * Opens the corpus at `path`, which must exist.
 * @throws StoreError if it is not a corpus of this version, or the user has no permission.
 */
export function openDatabase(path: string, options: { readonly: boolean }): Database.Database {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new StoreError('not_found', `${path} does not exist; run ingest first`)
  if (!stat.isFile()) throw new StoreError('not_a_corpus', `${path} is not a corpus: it is not a file`)
  let database: Database.Database | undefined
  try {
    database = new Database(path, { readonly: options.readonly, fileMustExist: true })
    checkSchema(path, database)
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof StoreError) throw cause
    if (!isForeign(cause)) throw accessError(path, cause, options)
    throw new StoreError('not_a_corpus', `${path} is not a corpus: ${cause.message}`, { cause })
  }
}

function checkSchema(path: string, database: Database.Database): void {
  const pragma = (name: string) => Number(database.pragma(name, { simple: true }))
  if (pragma('application_id') !== APPLICATION_ID) {
    throw new StoreError('not_a_corpus', `${path} is not a corpus: it is the database of another program`)
  }
  const version = pragma('user_version')
  if (version !== SCHEMA_VERSION) {
    const what = `${path} has schema version ${version}, this program requires ${SCHEMA_VERSION}`
    throw new StoreError('wrong_version', `${what}; ingest the feeds into a new corpus`)
  }
}

/** SQLite's error codes for files that are not SQLite databases. */
function isForeign(cause: unknown): cause is Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT'
}
