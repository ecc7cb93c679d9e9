/** The SQLite database for the comparison, filled once from a snapshot and stored next to the corpus. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { fold } from '../../../corpus/snapshot/codec/fold.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { aliasSetsOf, packagesOf, recordsOf, type SnapshotRecord } from './records.ts'
import { INDEXES, SECTION_COLUMNS, SEVERITY_CODES, TABLES } from './schema.ts'

/** Changes with the schema: a database of another version is built again. */
const VERSION = 2
const PAGE_BYTES = 8192
/** Rows per transaction: its writes stay in memory until the commit. */
const ROWS_PER_COMMIT = 10_000
/** Page cache of a server in KB, and the mapped part of the file in bytes. */
const CACHE_KB = 65_536
const MAPPED_BYTES = 2 ** 31

/**
 * Returns the path of the database for the current snapshot of `dist`. Builds it if it does not exist, which takes a
 * minute per 100,000 CVEs.
 */
export function databaseOf(dist: string, say: (line: string) => void, folder = dirname(dist)): string {
  const { snapshot } = readCurrent(dist).manifest
  const path = join(folder, `alternative-${VERSION}-${snapshot.slice(0, 16)}.db`)
  if (existsSync(path)) return path
  say(`filling an SQLite database to compare with: ${path}`)
  const unfinished = `${path}.new`
  rmSync(unfinished, { force: true })
  fillDatabase(dist, unfinished)
  renameSync(unfinished, path)
  return path
}

/** Fills a new database with all records of the current snapshot of `dist`. */
export function fillDatabase(dist: string, path: string): void {
  const database = new Database(path)
  try {
    // It has no readers yet, and an unfinished one is deleted.
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'locking_mode = EXCLUSIVE', 'temp_store = FILE'])
      database.pragma(setting)
    database.pragma(`page_size = ${PAGE_BYTES}`)
    database.pragma(`cache_size = -${CACHE_KB}`)
    database.exec(TABLES)
    database.prepare('INSERT INTO release VALUES (?)').run(readCurrent(dist).manifest.snapshot)
    addRecords(database, recordsOf(dist))
    addPackages(database, dist)
    for (const statement of INDEXES) database.exec(statement)
  } finally {
    database.close()
  }
}

function addRecords(database: Database.Database, records: Iterable<SnapshotRecord>): void {
  const cve = inserting(database, 'cve', 13)
  const summary = inserting(database, 'summary', 2)
  const detail = inserting(database, 'detail', SECTION_COLUMNS.length + 2)
  const text = inserting(database, 'text', 3)
  const assigner = inserting(database, 'assigner', 2)
  const assigners = new Map<string, number>()
  const numberOf = (name: string): number => {
    const known = assigners.get(name)
    if (known !== undefined) return known
    assigner.run(assigners.size, name)
    assigners.set(name, assigners.size)
    return assigners.size - 1
  }
  database.exec('BEGIN')
  for (const record of records) {
    const { n, core, epss, sections } = record
    cve.run(
      n,
      core.cve_id,
      core.severity && SEVERITY_CODES[core.severity],
      ...[core.kev.listed, core.has_exploit, core.has_patch, core.has_detection].map(Number),
      core.assigner === null ? null : numberOf(fold(core.assigner)),
      core.primary_cwe_id === null ? null : Number(core.primary_cwe_id.slice('cwe-'.length)),
      core.date_published === null ? null : Date.parse(core.date_published),
      core.date_updated === null ? null : Date.parse(core.date_updated),
      core.cvss_score,
      epss?.score ?? null,
    )
    summary.run(n, record.summary)
    detail.run(n, record.epssDetail, ...SECTION_COLUMNS.map((name) => sections[name]))
    text.run(n, fold(core.cve_id), fold(core.title ?? ''))
    if (n % ROWS_PER_COMMIT === ROWS_PER_COMMIT - 1) database.exec('COMMIT; BEGIN')
  }
  database.exec('COMMIT')
}

function addPackages(database: Database.Database, dist: string): void {
  const insert = inserting(database, 'package', 3)
  const alias = inserting(database, 'alias', 2)
  database.exec('BEGIN')
  for (const { ecosystem, folded, json } of packagesOf(dist)) insert.run(ecosystem, folded, json)
  for (const ids of aliasSetsOf(dist)) for (const id of ids) alias.run(id, JSON.stringify(ids))
  database.exec('COMMIT')
}

const inserting = (database: Database.Database, table: string, columns: number) =>
  database.prepare(`INSERT INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`)

/** Opens a filled database as a server does. Without writers, one lock for all statements is enough. */
export function openDatabase(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true })
  database.pragma('locking_mode = EXCLUSIVE')
  database.pragma(`cache_size = -${CACHE_KB}`)
  database.pragma(`mmap_size = ${MAPPED_BYTES}`)
  return database
}
