/** A foreign `query.db` is rejected before SQLite executes anything, unless it has exactly the tables of the format. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { queryDigest } from '../../../../corpus/snapshot/query/digest.ts'
import { openQueryFile } from '../../../../corpus/snapshot/query/native.ts'
import { TABLES } from '../../../../corpus/snapshot/query/schema.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { buildQueryDb, sampleTexts } from './sample.ts'

const folder = temporaryFolder('query-file')
const good = join(folder.path, 'good.db')
const digest = buildQueryDb(good, sampleTexts())

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
    `ALTER TABLE advisories RENAME TO others; CREATE VIEW advisories AS SELECT id, ${ENDLESS} AS n FROM others`,
  ],
  ['a view alone', `DROP TABLE advisories; CREATE VIEW advisories AS SELECT 'a' AS id, ${ENDLESS} AS n`],
  ['a view beside the tables', `CREATE VIEW more AS SELECT ${ENDLESS}`],
  ['a trigger', 'CREATE TRIGGER more AFTER INSERT ON entries BEGIN DELETE FROM advisories; END'],
  ['an index', 'CREATE INDEX more ON entries (leads)'],
  ['another table', 'CREATE TABLE more (x)'],
  ['another virtual table', 'DROP TABLE advisories; CREATE VIRTUAL TABLE advisories USING fts5(id, n)'],
  ['an index with other options', 'DROP TABLE words; CREATE VIRTUAL TABLE words USING fts5(tokens)'],
  ['statistics', 'ANALYZE'],
  ['a table less', 'DROP TABLE advisories'],
  ['a generated column', `DROP TABLE entries; ${TABLES.entries.replace('leads INTEGER NOT NULL', 'leads AS (n + 1)')}`],
  ['a table with rowids', `DROP TABLE advisories; ${TABLES.advisories.replace(' WITHOUT ROWID', '')}`],
  ['tables in another order', `DROP TABLE entries; ${TABLES.entries}`],
  [
    'a schema written by hand',
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' -- more' WHERE name = 'entries'",
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
  buildQueryDb(path, { sets: [], advisories: { ids: [], cves: new Uint32Array() } })
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

for (const table of Object.keys(TABLES)) {
  test(`a page of ${table} that others lead to again and again is read once`, () => {
    const database = new Database(good, { readonly: true })
    const root = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table) as number
    database.close()
    const path = patched((bytes) => {
      const page = bytes.subarray((root - 1) * bytes.readUInt16BE(16))
      const INTERIOR = table === 'entries' ? 5 : 2
      assert.is(page[0], INTERIOR)
      const first = page.readUInt32BE(page.readUInt16BE(12))
      for (let cell = 1; cell < page.readUInt16BE(3); cell++)
        page.writeUInt32BE(first, page.readUInt16BE(12 + 2 * cell))
    })
    const opened = openQueryFile(path)
    assert.throws(() => queryDigest(opened), isRefused(new RegExp(`rows in ${table} that have the same position$`)))
    opened.close()
  })
}

test.after(folder.remove)

test.run()
