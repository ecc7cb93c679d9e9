/** Damage in an open `query.db` is detected on reading, and never returned as data. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { buildQueryDb } from '../../../../corpus/snapshot/query/build.ts'
import { openQuery } from '../../../../corpus/snapshot/query/open.ts'
import { encodeSetHead, QUERY_TABLES, queryDigest, rowCrc, rowKey } from '../../../../corpus/snapshot/query/rows.ts'
import { SEARCH_TYPES } from '../../../../corpus/snapshot/query/sets.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { sampleSets, seeded } from './sample.ts'

const folder = temporaryFolder('query-damage')
const good = join(folder.path, 'good.db')
buildQueryDb(good, sampleSets())

const isSnapshotError = (code?: string) => (error: unknown) =>
  error instanceof SnapshotError && (code === undefined || error.code === code)

/** Queries that read a row of every table: stored best hits, postings, texts and items. */
const ASKED = ['in', 'overflow', 'cve-20', 'cwe-1', 'straße', 'zzz'] as const

/** Returns the answers to all queries, as text. */
function answers(database: Database.Database): string {
  const query = openQuery(database)
  const found = ASKED.map((q) => [
    query.search(SEARCH_TYPES, q, 25),
    query.suggest(SEARCH_TYPES, q, 8),
    Array.from(query.matches('cve', q)),
  ])
  return JSON.stringify(found)
}

function changed(statement: string, ...values: unknown[]): Database.Database {
  const path = join(folder.path, 'changed.db')
  copyFileSync(good, path)
  const database = new Database(path)
  assert.ok(database.prepare(statement).run(...values).changes > 0, statement)
  return database
}

for (const table of QUERY_TABLES) {
  test(`a row of ${table} with another byte, another CRC or another place is damaged`, () => {
    for (const change of [
      `UPDATE ${table} SET bytes = CAST(zeroblob(length(bytes)) AS BLOB)`,
      `UPDATE ${table} SET crc = crc + 1`,
      `UPDATE ${table} SET key = -key - 1; `,
    ]) {
      const database = changed(change)
      const code = change.includes('key = ') ? undefined : 'digest'
      assert.throws(() => answers(database), isSnapshotError(code), change)
      assert.throws(() => queryDigest(database), isSnapshotError('digest'), change)
      database.close()
    }
  })

  test(`rows of ${table} that are missing, or none, are noticed`, () => {
    const missing = changed(`DELETE FROM ${table}`)
    assert.throws(() => answers(missing), isSnapshotError('missing'))
    missing.close()
    const none = changed(`UPDATE ${table} SET bytes = 'text'`)
    assert.throws(() => answers(none), isSnapshotError('malformed'))
    assert.throws(() => queryDigest(none), isSnapshotError('malformed'))
    none.close()
  })
}

test('two rows that changed places are damaged', () => {
  const database = changed('UPDATE items SET key = key + 1000000 WHERE key = ?', rowKey(0, 0))
  database.prepare('UPDATE items SET key = ? WHERE key = ?').run(rowKey(0, 0), rowKey(0, 1))
  assert.throws(() => openQuery(database).search(['cve'], 'CVE-2026-9999', 1), isSnapshotError('digest'))
  database.close()
})

test('a file without one of the sets is damaged', () => {
  const without = (sets: readonly number[]) =>
    changed(`DELETE FROM sets WHERE key IN (${sets.map((set) => rowKey(set, 0)).join()})`)
  for (const sets of [[0], [7], [8], [7, 8]]) {
    const database = without(sets)
    assert.throws(() => openQuery(database), isSnapshotError('missing'))
    database.close()
  }
})

test('advisories that refer to CVEs in another order, or to others than there are, are damaged', () => {
  for (const cves of [[1, 0], [0, 5000], [0]]) {
    const database = changed('UPDATE sets SET crc = crc WHERE key = ?', rowKey(8, 0))
    const grams = new Uint32Array()
    const head = { count: 2, first: new Uint8Array(1), grams, gramCounts: grams, cves: Uint32Array.from(cves) }
    const row = { table: 'sets', key: rowKey(8, 0), bytes: encodeSetHead('advisory', head) } as const
    database.prepare('UPDATE sets SET bytes = ?, crc = ? WHERE key = ?').run(row.bytes, rowCrc(row), row.key)
    assert.throws(() => openQuery(database), isSnapshotError('malformed'), String(cves))
    database.close()
  }
})

test('a file without one of the tables, or that is no database, is rejected', () => {
  const path = join(folder.path, 'none.db')
  writeFileSync(path, 'this is no database, whatever it is called. '.repeat(100))
  const none = new Database(path)
  assert.throws(() => openQuery(none), isSnapshotError('malformed'))
  none.close()
  const database = changed('UPDATE items SET crc = crc WHERE key = (SELECT min(key) FROM items)')
  database.exec('DROP TABLE bests')
  assert.throws(() => openQuery(database), isSnapshotError('malformed'))
  assert.throws(() => queryDigest(database), isSnapshotError('malformed'))
  database.close()
})

test('a flipped bit anywhere in the file is either harmless to all answers, or an error', () => {
  const expected = answers(new Database(good, { readonly: true }))
  const bytes = readFileSync(good)
  const random = seeded(3)
  const path = join(folder.path, 'flipped.db')
  let refused = 0
  for (let n = 0; n < 60; n++) {
    const flipped = Buffer.from(bytes)
    flipped[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8)
    writeFileSync(path, flipped)
    const database = new Database(path, { readonly: true })
    try {
      assert.is(answers(database), expected)
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      refused++
    } finally {
      database.close()
    }
  }
  assert.ok(refused > 5, `only ${refused} were noticed: the others lay where nobody looked`)
})

test.after(folder.remove)

test.run()
