/**
 * The SQLite database of the comparison, filled once from a snapshot and stored next to the corpus. It has what a
 * typical schema for the same endpoints has: a narrow table for filters and sorts, the JSON of rows and sections, and a
 * row for each npm package. There is an index for each order, and one for each order below each equality filter. Every
 * index covers all filters, so a list reads one index and then its rows.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { foldName } from '../../../corpus/model/packages/name.ts'
import type { CveCore } from '../../../corpus/model/record.ts'
import { fold } from '../../../corpus/snapshot/codec/fold.ts'
import { splicePlain } from '../../../corpus/snapshot/codec/splice.ts'
import { STORED_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { cweNumber, SEVERITIES } from '../../../corpus/snapshot/derive/facts.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { type OpenSnapshot, openSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import { addSections, recordPieces, SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { epssAt } from '../../../corpus/snapshot/record/epss.ts'

/** Changes with the schema: a database of another version is built again. */
const VERSION = 3
const PAGE_BYTES = 8192
/** Page cache of a server in KB, and the mapped part of the file in bytes. */
const CACHE_KB = 65_536
const MAPPED_BYTES = 2 ** 31

const FLAGS = ['kev', 'has_exploit', 'has_patch', 'has_detection']
const FILTERED = ['severity', ...FLAGS, 'assigner', 'cwe', ...STORED_SORTS]
const COLUMNS = FILTERED.map((name) => `${name} ${name === 'cvss' || name === 'epss' ? 'REAL' : 'INTEGER'}`)

/**
 * `n` numbers the CVEs in the order of their ids and breaks ties. `cve` is WITHOUT ROWID, so that `n` is an ordinary
 * column and can be in the middle of an index. `(cvss, n) < (?, ?)` is then one range of it.
 */
const TABLES = `
  CREATE TABLE cve (n INTEGER PRIMARY KEY, id TEXT NOT NULL, ${COLUMNS.join(', ')}) WITHOUT ROWID;
  CREATE TABLE assigner (assigner INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
  CREATE TABLE summary (n INTEGER PRIMARY KEY, json TEXT NOT NULL);
  CREATE TABLE section (n INTEGER PRIMARY KEY, ${SECTION_NAMES.map((name) => `"${name}" TEXT NOT NULL`).join(', ')});
  CREATE TABLE package (name TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE alias (id TEXT PRIMARY KEY, ids TEXT NOT NULL) WITHOUT ROWID;
`

/** The conditions that have their own index in every order: equality, and flags that few rows have. */
const NARROWED: Record<string, { by?: string; where?: string }> = {
  all: {},
  severity: { by: 'severity' },
  assigner: { by: 'assigner' },
  cwe: { by: 'cwe' },
  kev: { where: 'kev = 1' },
  exploit: { where: 'has_exploit = 1' },
  detection: { where: 'has_detection = 1' },
}

const INDEXES = Object.entries(NARROWED).flatMap(([name, { by, where }]) =>
  STORED_SORTS.map((sort) => {
    const keys = [...(by ? [by] : []), sort, 'n']
    const rest = FILTERED.filter((one) => !keys.includes(one))
    return `CREATE INDEX ${name}_by_${sort} ON cve (${[...keys, ...rest].join(', ')})${where ? ` WHERE ${where}` : ''}`
  }),
)

/**
 * Returns the path of the database for the current snapshot of `dist`. Builds it if it does not exist, which takes a
 * minute per 100,000 CVEs.
 */
export function databaseOf(dist: string, say: (line: string) => void): string {
  const { manifest } = readCurrent(dist)
  const path = join(dirname(dist), `alternative-${VERSION}-${manifest.snapshot.slice(0, 16)}.db`)
  if (existsSync(path)) return path
  say(`filling an SQLite database to compare with: ${path}`)
  const unfinished = `${path}.new`
  rmSync(unfinished, { force: true })
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  const database = new Database(unfinished)
  try {
    // It has no readers yet, and an unfinished one is deleted.
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'locking_mode = EXCLUSIVE', 'temp_store = FILE'])
      database.pragma(setting)
    database.pragma(`page_size = ${PAGE_BYTES}`)
    database.pragma(`cache_size = -${CACHE_KB}`)
    database.exec(TABLES)
    database.transaction(() => addRecords(database, snapshot))()
    database.transaction(() => addPackages(database, snapshot))()
    // After all rows: then each index is one sort.
    for (const index of ['CREATE UNIQUE INDEX cve_id ON cve (id)', ...INDEXES, 'ANALYZE']) database.exec(index)
  } finally {
    database.close()
    snapshot.close()
  }
  renameSync(unfinished, path)
  return path
}

const inserting = (database: Database.Database, table: string, columns: number) =>
  database.prepare(`INSERT OR IGNORE INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`)

function addRecords(database: Database.Database, snapshot: OpenSnapshot): void {
  const cve = inserting(database, 'cve', 2 + FILTERED.length)
  const summary = inserting(database, 'summary', 2)
  const section = inserting(database, 'section', 1 + SECTION_NAMES.length)
  const assigner = inserting(database, 'assigner', 2)
  const assigners = new Map<string, number>()
  const numberOf = (name: string): number => {
    if (!assigners.has(name)) assigners.set(name, assigners.size)
    return assigners.get(name)!
  }
  for (let n = 0; n < snapshot.index.count; n++) {
    const member = snapshot.member(n)
    const epss = epssAt(snapshot.epss, n)
    const json = splicePlain(recordPieces(member, epss, [])).toString()
    const core = JSON.parse(json) as CveCore
    cve.run(
      n,
      core.cve_id,
      core.severity && SEVERITIES.indexOf(core.severity),
      ...[core.kev.listed, core.has_exploit, core.has_patch, core.has_detection].map(Number),
      core.assigner === null ? null : numberOf(fold(core.assigner)),
      core.primary_cwe_id === null ? null : cweNumber(core.primary_cwe_id),
      core.date_published === null ? null : Date.parse(core.date_published),
      core.date_updated === null ? null : Date.parse(core.date_updated),
      core.cvss_score,
      epss?.score ?? null,
    )
    summary.run(n, json)
    // `,"cvss":{...}`: a detail is its summary with some of these before the last brace.
    const texts = SECTION_NAMES.map((name) => splicePlain(addSections([], '', member, epss, [name])).toString())
    section.run(n, ...texts.map((text) => text.slice(0, -1)))
  }
  for (const [name, number] of assigners) assigner.run(number, name)
}

function addPackages(database: Database.Database, { openLists, openPackages }: OpenSnapshot): void {
  const insert = inserting(database, 'package', 2)
  const alias = inserting(database, 'alias', 2)
  for (const ordinal of openLists.packages.filters.ecosystem!.of('npm')) {
    const name = openLists.packages.id(ordinal).slice('npm/'.length)
    const entry = openPackages.package('npm', name)!
    insert.run(foldName('npm', name), JSON.stringify(entry))
    for (const { id } of entry.advisories) {
      const ids = openPackages.aliasesOf(id)
      if (ids) alias.run(id, JSON.stringify(ids))
    }
  }
}

/** Opens a filled database as a server does. Without writers, one lock for all statements is enough. */
export function openDatabase(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true })
  for (const setting of [`cache_size = -${CACHE_KB}`, `mmap_size = ${MAPPED_BYTES}`, 'locking_mode = EXCLUSIVE'])
    database.pragma(setting)
  return database
}
