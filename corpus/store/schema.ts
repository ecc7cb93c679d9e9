/** The tables of corpus.db, and opening it. Files of another version are rejected. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { accessError, StoreError } from './error.ts'
import { readMeta } from './state.ts'

/** Increase it whenever the meaning of a table changes. */
export const SCHEMA_VERSION = 9

/** A record takes some 2 KB and a claim 1 KB. With SQLite's default of 4 KiB, a third of each page would be empty. */
export const PAGE_BYTES = 16_384

/** `VSLF`, SQLite's application id of a corpus. */
const APPLICATION_ID = 0x56534c46

/**
 * `cve_key` is the `sortKey` of the row's CVE, or '' for entries without a CVE (CNAs).
 * In `claim`, `item` is the feed's own key of the statement. `digest` is that of its upstream bytes
 * (model/item-digest.ts); `stated_at` is the date in these bytes,
 * `facets` are the bits of what they state (feeds/facets.ts).
 * `body` and `parts` are packed texts (packed-text.ts, record-parts.ts).
 * `gone` keeps complete records that the list rejected or dropped. Their version and timeline continue if they return
 * (rule 26).
 * `replaced_by` in `rejected` is a list of CVE ids with blanks between them.
 * `review` contains findings for an operator (model/review.ts): the number of compared scores, of unreadable vectors,
 * and `found`, which is JSON or null.
 * `advisory` contains the records of feeds in the OSV schema as published, without white space between the values, also
 * those that concern no CVE, and what CVE records state about packages in the same form. `digest` is 16 bytes of SHA-256 of this text. `package_advisory` contains what each record
 * states about each package (model/packages/package-advisory.ts), as JSON; none for a withdrawn record.
 * `epss_edition` contains the EPSS editions that were read, and `epss_history` the points of each id block by quarter
 * (model/epss/history.ts). `digest` is 16 bytes of SHA-256 of their text.
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
    facets INTEGER,
    body BLOB NOT NULL,
    UNIQUE (cve_key, feed, item)
  );
  CREATE INDEX claim_by_feed ON claim (feed, item, cve_key, digest, stated_at, facets);
  CREATE TABLE record (
    cve_key TEXT NOT NULL UNIQUE,
    cve_id TEXT NOT NULL,
    block TEXT NOT NULL,
    version INTEGER NOT NULL,
    digest BLOB NOT NULL,
    parts BLOB NOT NULL
  );
  CREATE INDEX record_by_block ON record (block, cve_key, cve_id, digest);
  CREATE TABLE rejected (
    cve_key TEXT PRIMARY KEY,
    cve_id TEXT NOT NULL,
    date_rejected TEXT,
    reason TEXT,
    replaced_by TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE gone (
    cve_key TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    parts BLOB NOT NULL
  );
  CREATE TABLE review (
    cve_key TEXT PRIMARY KEY,
    scores INTEGER NOT NULL,
    unreadable INTEGER NOT NULL,
    found TEXT
  ) WITHOUT ROWID;
  CREATE TABLE advisory (
    id TEXT NOT NULL,
    feed TEXT NOT NULL,
    modified TEXT,
    digest BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (feed, id)
  );
  CREATE INDEX advisory_by_id ON advisory (id, feed, modified, digest);
  CREATE TABLE package_advisory (
    package TEXT NOT NULL,
    id TEXT NOT NULL,
    feed TEXT NOT NULL,
    digest BLOB NOT NULL,
    purl TEXT,
    body BLOB NOT NULL,
    UNIQUE (feed, id, package)
  );
  CREATE INDEX package_advisory_digests ON package_advisory (package, id, feed, digest);
  CREATE TABLE epss (cve_key TEXT PRIMARY KEY, cve_id TEXT NOT NULL, score REAL NOT NULL, percentile REAL NOT NULL)
    WITHOUT ROWID;
  CREATE TABLE epss_edition (
    date TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    scores INTEGER NOT NULL,
    path TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    modified REAL NOT NULL,
    sha256 TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE epss_history (
    block TEXT NOT NULL,
    quarter TEXT NOT NULL,
    points INTEGER NOT NULL,
    digest BLOB NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (block, quarter)
  );
  CREATE INDEX epss_history_digests ON epss_history (block, quarter, digest, points);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`

/** Creates the tables of a new corpus in an empty file. */
export function createSchema(database: Database.Database): void {
  database.exec(SCHEMA)
}

export interface OpenOptions {
  readonly: boolean
}

/**
 * Opens the corpus at `path`, which must exist.
 * @throws StoreError if it is not a corpus of this version, or the user has no permission.
 */
export function openDatabase(path: string, options: OpenOptions): Database.Database {
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

const numberOf = (database: Database.Database, pragma: 'application_id' | 'user_version'): number =>
  Number(database.pragma(pragma, { simple: true }))

function checkSchema(path: string, database: Database.Database): void {
  if (numberOf(database, 'application_id') !== APPLICATION_ID) {
    throw new StoreError('not_a_corpus', `${path} is not a corpus: it is the database of another program`)
  }
  const version = numberOf(database, 'user_version')
  if (version !== SCHEMA_VERSION) throw new StoreError('wrong_version', otherVersion(path, version, database))
}

function otherVersion(path: string, version: number, database: Database.Database): string {
  const what = `${path} has schema version ${version}, this program requires ${SCHEMA_VERSION}`
  if (version < SCHEMA_VERSION) return `${what}; ingest the feeds into a new corpus`
  const writer = writerOf(database)
  return `${what}; ${writer === null ? 'a later version of vulnshelf' : `vulnshelf ${writer}`} wrote it: use that version`
}

/** Returns the version of the program that wrote the corpus; null if a later schema does not have it there. */
function writerOf(database: Database.Database): string | null {
  try {
    return readMeta(database, 'written_by')
  } catch {
    return null
  }
}

/** SQLite's error codes for files that are not SQLite databases. */
function isForeign(cause: unknown): cause is Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT'
}
