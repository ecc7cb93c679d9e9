/** The tables of corpus.db, and opening it: a file is a corpus of this version, or it is refused. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { PART_NAMES } from '../model/record.ts'
import { accessError } from './access.ts'
import { StoreError } from './error.ts'

/** Raised whenever a table changes its meaning; a corpus of another version is ingested anew. */
const SCHEMA_VERSION = 4

/** `VSLF`, SQLite's mark of whose file it is. */
const APPLICATION_ID = 0x56534c46

const PART_COLUMNS = PART_NAMES.map((name) => `"${name}" TEXT NOT NULL`).join(', ')

/**
 * `cve_key` is `sortKey` of the CVE a row is about, and '' for entries about none (CNAs). In `claim`, `item` is the
 * feed's own key of the statement, `digest` that of the upstream bytes it was read from (model/item-digest.ts),
 * `stated_at` the date that these state for it. `gone` keeps what was a record until the list rejected or lost it, whole, so that its
 * version and timeline go on once it is back (rule 26). `review` is what an operator should look at
 * (model/review.ts): how many scores were compared, how many vectors cannot be, and `found`, JSON, null where there is
 * nothing odd. The indexes carry what a scan needs, so that none has to walk through the bodies.
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

/** Lays out a new corpus in an empty file. */
export function createSchema(database: Database.Database): void {
  database.exec(SCHEMA)
}

/** Opens the corpus at `path`, which must exist. Throws `StoreError` for anything that is not one of this version, or closed to this user. */
export function openDatabase(path: string, options: { readonly: boolean }): Database.Database {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new StoreError('not_found', `no corpus at ${path}: run ingest first`)
  if (!stat.isFile()) throw new StoreError('not_a_corpus', `${path} is no corpus: it is no file`)
  let database: Database.Database | undefined
  try {
    database = new Database(path, { readonly: options.readonly, fileMustExist: true })
    checkSchema(path, database)
    return database
  } catch (cause) {
    database?.close()
    if (cause instanceof StoreError) throw cause
    if (!isForeign(cause)) throw accessError(path, cause, options)
    throw new StoreError('not_a_corpus', `${path} is no corpus: ${cause.message}`, { cause })
  }
}

function checkSchema(path: string, database: Database.Database): void {
  const pragma = (name: string) => Number(database.pragma(name, { simple: true }))
  if (pragma('application_id') !== APPLICATION_ID) {
    throw new StoreError('not_a_corpus', `${path} is no corpus: it is a database of another program`)
  }
  const version = pragma('user_version')
  if (version !== SCHEMA_VERSION) {
    const what = `${path} has schema version ${version}, this program works with ${SCHEMA_VERSION}`
    throw new StoreError('wrong_version', `${what}: ingest the feeds into a new corpus`)
  }
}

/** What SQLite says of bytes that it did not write. */
function isForeign(cause: unknown): cause is Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT'
}
