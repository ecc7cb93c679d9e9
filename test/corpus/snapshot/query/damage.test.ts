/** Damage in an open `query.db` is detected, or changes no answer; entries prove what the index finds. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { queryDigest } from '../../../../corpus/snapshot/query/digest.ts'
import { finish, openQueryFile, searchRunner } from '../../../../corpus/snapshot/query/native.ts'
import { checkPages } from '../../../../corpus/snapshot/query/page-crcs.ts'
import { LOCAL_COSTS, openSearches } from '../../../../corpus/snapshot/query/search.ts'
import { SEARCH_TYPES } from '../../../../corpus/snapshot/query/sets.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { buildQueryDb, sampleTexts, seeded } from './sample.ts'

const folder = temporaryFolder('query-damage')
const good = join(folder.path, 'good.db')
const digest = buildQueryDb(good, sampleTexts())

const isSnapshotError = (code?: string) => (error: unknown) =>
  error instanceof SnapshotError && (code === undefined || error.code === code)

const ASKED = ['in', 'overflow', 'cve-20', 'cwe-1', 'straße', 'zzz', 'DEBIAN-CVE-2026'] as const

/** Returns the answers to all queries, as text. */
function answers(database: Database.Database): string {
  const [run, searches] = [searchRunner(database), openSearches({ ...LOCAL_COSTS, readFirst: 16 })]
  const found = ASKED.map((q) => [
    finish(run(searches.search(SEARCH_TYPES, q, 25))),
    finish(run(searches.suggest(SEARCH_TYPES, q, 8))),
    Array.from(finish(run(searches.matches('cve', q)))),
  ])
  return JSON.stringify(found)
}

function changed(statement: string): Database.Database {
  const path = join(folder.path, 'changed.db')
  copyFileSync(good, path)
  const database = new Database(path)
  assert.ok(database.prepare(statement).run().changes > 0, statement)
  return database
}

test('an index that finds entries which do not match, or do not exist, is an error', () => {
  for (const [change, q] of [
    ['DELETE FROM entries WHERE n % 2 = 0', 'in'],
    ["UPDATE entries SET text = ''", 'in'],
    ["UPDATE entries SET text = CAST('x' AS BLOB)", 'in'],
    ["INSERT INTO name_index(rowid, tokens) VALUES (2 * 16777216 + 3, 'zzzz =zzzz ^zzzz')", 'zzzz'],
  ] as const) {
    const database = changed(change)
    const [run, searches] = [searchRunner(database), openSearches({ ...LOCAL_COSTS, readFirst: 0 })]
    assert.throws(() => finish(run(searches.search(SEARCH_TYPES, q, 25))), isSnapshotError('malformed'), change)
    assert.throws(() => finish(run(searches.suggest(SEARCH_TYPES, q, 8))), isSnapshotError('malformed'), change)
    assert.is.not(queryDigest(database).content, digest.content)
    database.close()
  }
})

test('columns of other types are an error, or change the content digest', () => {
  for (const column of ['id', 'label', 'subtitle']) {
    for (const value of ["CAST('x' AS BLOB)", "char(1) || '{'"]) {
      const database = changed(`UPDATE entries SET ${column} = ${value}`)
      assert.throws(() => answers(database), isSnapshotError('malformed'), column)
      assert.is.not(queryDigest(database).content, digest.content)
      database.close()
    }
  }
})

test('advisories that refer to CVEs which do not exist find nothing', () => {
  const database = changed('UPDATE advisories SET n = 1')
  const [run, searches] = [searchRunner(database), openSearches({ ...LOCAL_COSTS, readFirst: 0 })]
  const { counts, hits } = finish(run(searches.search(['cve'], 'DEBIAN-CVE-2026', 25)))
  assert.equal([counts.cve, hits.cve], [0, []])
  assert.is.not(queryDigest(database).content, digest.content)
  database.close()
})

test('a file without one of the tables, or that is no database, is an error', () => {
  const path = join(folder.path, 'none.db')
  writeFileSync(path, 'this is no database, whatever it is called. '.repeat(100))
  const none = new Database(path)
  assert.throws(() => answers(none), isSnapshotError('malformed'))
  assert.throws(() => queryDigest(none), isSnapshotError('malformed'))
  none.close()
  for (const table of ['entries', 'advisories', 'cve_index']) {
    const database = changed('UPDATE entries SET leads = leads')
    database.exec(`DROP TABLE ${table}`)
    assert.throws(() => answers(database), isSnapshotError('malformed'), table)
    assert.throws(() => queryDigest(database), isSnapshotError('malformed'), table)
    database.close()
  }
})

test('a flipped bit anywhere in the file has another CRC, and ends no search otherwise than with an error', () => {
  const bytes = readFileSync(good)
  const random = seeded(3)
  const path = join(folder.path, 'flipped.db')
  let refused = 0
  for (let n = 0; n < 60; n++) {
    const flipped = Buffer.from(bytes)
    flipped[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8)
    assert.throws(() => checkPages(flipped), isSnapshotError())
    writeFileSync(path, flipped)
    try {
      const database = openQueryFile(path)
      try {
        answers(database)
        queryDigest(database)
      } finally {
        database.close()
      }
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error
      refused++
    }
  }
  assert.ok(refused > 5, `only ${refused} were noticed by SQLite`)
})

test.after(folder.remove)

test.run()
