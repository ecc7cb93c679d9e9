/** A foreign `query.db` is rejected before SQLite executes anything, unless it has exactly the five tables. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { buildQueryDb } from '../../../../corpus/snapshot/query/build.ts'
import { openQueryFile } from '../../../../corpus/snapshot/query/file.ts'
import { QUERY_TABLES, queryDigest, rowCrc, rowReader, tableSql } from '../../../../corpus/snapshot/query/rows.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sampleSets } from './sample.ts'

const folder = temporaryFolder('query-file')
const good = join(folder.path, 'good.db')
const digest = buildQueryDb(good, sampleSets())

const ENDLESS = '(WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n)'

const isRefused = (message: RegExp) => (error: unknown) =>
  error instanceof SnapshotError && error.code === 'malformed' && message.test(error.message)

/** Returns a copy of the valid file after some SQL. */
function changed(sql: string): string {
  const path = join(folder.path, 'changed.db')
  copyFileSync(good, path)
  const database = new Database(path)
  database.unsafeMode()
  database.exec(sql)
  database.close()
  return path
}

/** Returns a copy of the valid file with other bytes at some offsets. */
function patched(change: (bytes: Buffer) => void): string {
  const path = join(folder.path, 'patched.db')
  const bytes = readFileSync(good)
  change(bytes)
  writeFileSync(path, bytes)
  return path
}

test('the file of a build is opened for reading, and its schema is not trusted', () => {
  const database = openQueryFile(good)
  assert.equal(queryDigest(database), digest)
  assert.equal(
    ['trusted_schema', 'cell_size_check', 'query_only'].map((name) => database.pragma(name, { simple: true })),
    [0, 1, 1],
  )
  assert.throws(() => database.exec('CREATE TABLE more (x)'), /readonly/)
  database.close()
})

for (const [what, sql] of [
  [
    'a view in the place of a table',
    `ALTER TABLE grams RENAME TO others; CREATE VIEW grams AS SELECT key, ${ENDLESS} AS crc, bytes FROM others`,
  ],
  ['a view alone', `DROP TABLE grams; CREATE VIEW grams AS SELECT 1 AS key, ${ENDLESS} AS crc, 1 AS bytes`],
  ['a view beside the tables', `CREATE VIEW more AS SELECT ${ENDLESS}`],
  ['a trigger', 'CREATE TRIGGER more AFTER INSERT ON grams BEGIN DELETE FROM sets; END'],
  ['an index', 'CREATE INDEX more ON grams (crc)'],
  ['another table', 'CREATE TABLE more (x)'],
  ['a virtual table', 'DROP TABLE grams; CREATE VIRTUAL TABLE grams USING fts5(key, crc, bytes)'],
  ['statistics', 'ANALYZE'],
  ['a table less', 'DROP TABLE bests'],
  [
    'a generated column',
    'DROP TABLE grams; CREATE TABLE grams (key INTEGER PRIMARY KEY, crc AS (key + 1), bytes BLOB NOT NULL)',
  ],
  ['a table without rowids', `DROP TABLE bests; ${tableSql('bests')} WITHOUT ROWID`],
  ['tables in another order', `DROP TABLE sets; ${tableSql('sets')}`],
  [
    'a schema written by hand',
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' -- more' WHERE name = 'items'",
  ],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(
      () => openQueryFile(changed(sql)),
      isRefused(/^query\.db is rejected: it must have exactly the tables/),
    )
  })
}

test('a file in WAL mode is refused, and no other files are made', () => {
  const path = changed('PRAGMA journal_mode = WAL')
  assert.throws(() => openQueryFile(path), isRefused(/^query\.db is rejected: it is in WAL mode$/))
  assert.not(existsSync(`${path}-wal`))
})

test('a schema in several pages, of another encoding, or in no database, is refused', () => {
  const PAGE_TYPE = 100
  const interior = patched((bytes) => bytes.writeUInt8(5, PAGE_TYPE))
  const utf16 = patched((bytes) => bytes.writeUInt32BE(2, 56))
  for (const path of [interior, utf16]) assert.throws(() => openQueryFile(path), isRefused(/exactly the tables/))
  const junk = join(folder.path, 'junk.db')
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.alloc(600),
    Buffer.from('SQLite format 3\0'),
    Buffer.alloc(70_000, 'x'),
  ]) {
    writeFileSync(junk, bytes)
    assert.throws(() => openQueryFile(junk), isRefused(/^query\.db is rejected: it is not a database$/))
  }
})

test('any byte of the schema that is changed is refused, or changes nothing', () => {
  const path = join(folder.path, 'flipped.db')
  buildQueryDb(path, [])
  const bytes = readFileSync(path)
  let refused = 0
  const end = bytes.readUInt16BE(16)
  for (let at = bytes.readUInt16BE(105); at < end; at++) {
    const flipped = Buffer.from(bytes)
    flipped[at]! ^= 0x15
    writeFileSync(path, flipped)
    try {
      const database = openQueryFile(path)
      // The other bytes are numbers: of a row, or of the first page of a table.
      try {
        queryDigest(database)
      } finally {
        database.close()
      }
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      if (/^query\.db is rejected/.test(error.message)) refused++
    }
  }
  assert.ok(refused > 400, `${refused} were refused`)
})

test('a page that others lead to again and again is read once', () => {
  const database = new Database(good, { readonly: true })
  const root = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'grams'").pluck().get() as number
  database.close()
  const path = patched((bytes) => {
    const page = bytes.subarray((root - 1) * bytes.readUInt16BE(16))
    const INTERIOR = 5
    assert.is(page[0], INTERIOR)
    const first = page.readUInt32BE(page.readUInt16BE(12))
    for (let cell = 1; cell < page.readUInt16BE(3); cell++) page.writeUInt32BE(first, page.readUInt16BE(12 + 2 * cell))
  })
  const opened = openQueryFile(path)
  assert.throws(() => queryDigest(opened), isRefused(/rows in grams that have the same position$/))
  opened.close()
})

/** Offsets of the rowid and the CRC in the cell of a long row. */
const ROWID_AT = 3
const CRC_AT = 12

test('rows that share their pages are refused when they have more bytes than the file', () => {
  const LONG = 1_000_000
  const path = join(folder.path, 'shared.db')
  const made = new Database(path)
  made.pragma('page_size = 8192')
  for (const table of QUERY_TABLES) made.exec(tableSql(table))
  const bytes = Buffer.alloc(LONG)
  made.prepare('INSERT INTO texts VALUES (?, ?, ?)').run(1, rowCrc({ table: 'texts', key: 1, bytes }), bytes)
  const root = made.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'texts'").pluck().get() as number
  made.close()
  const file = readFileSync(path)
  const page = file.subarray((root - 1) * 8192, root * 8192)
  const cell = page.subarray(page.readUInt16BE(8))
  const ROWS = 4
  for (let key = ROWS; key >= 1; key--) {
    const at = 8192 - cell.length * (ROWS + 1 - key)
    page.set(Buffer.from(cell), at)
    page[at + ROWID_AT] = key
    page.writeUInt32BE(rowCrc({ table: 'texts', key, bytes }), at + CRC_AT)
    page.writeUInt16BE(at, 8 + 2 * (key - 1))
  }
  page.writeUInt16BE(ROWS, 3)
  page.writeUInt16BE(8192 - cell.length * ROWS, 5)
  writeFileSync(path, file)
  const database = openQueryFile(path)
  assert.is(rowReader(database).read('texts', 0, ROWS).length, LONG)
  assert.throws(() => queryDigest(database), isRefused(/rows in texts that have the same position$/))
  database.close()
})

test.after(folder.remove)

test.run()
