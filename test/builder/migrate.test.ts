/** A corpus of an earlier schema becomes one of the current schema, whole, or stays as it was. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { openExplainer } from '../../builder/explain.ts'
import { openWorkspace } from '../../builder/ingest/workspace.ts'
import { migrate } from '../../builder/migrate.ts'
import { build } from '../../builder/snapshot/build.ts'
import { noProgress } from '../../corpus/command/progress.ts'
import { PART_NAMES } from '../../corpus/model/record.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { openCorpus } from '../../corpus/store/corpus.ts'
import { type PackedText, unpackText } from '../../corpus/store/packed-text.ts'
import { recordDigest, unpackParts } from '../../corpus/store/record-parts.ts'
import { SCHEMA_VERSION, schemaOf } from '../../corpus/store/schema.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { Killed, killedEffects } from '../support/killed-effects.ts'
import { refusal } from '../support/refusal.ts'

const folder = temporaryFolder('migrate')
let count = 0

/** A corpus that a program with an earlier schema wrote, alone in a folder. */
function formerCorpus(schema: number): string {
  const path = join(folder.path, String(count++), 'corpus.db')
  mkdirSync(join(path, '..'))
  const database = new Database(path)
  database.exec(readFileSync(join(import.meta.dirname, '../corpus/store/schemas', `${schema}.sql`), 'utf8'))
  database.pragma('journal_mode = WAL')
  database.close()
  return path
}

type Row = Record<string, unknown>
const TABLES = ['meta', 'feed', 'claim', 'record', 'gone', 'rejected', 'review', 'epss']

/** All rows in the form of schema 4: plain claims, and a column per part. */
function contents(path: string): Record<string, Row[]> {
  const database = new Database(path, { readonly: true })
  const plain = (row: Row): Row => {
    const { body, parts, ...others } = row
    if (body instanceof Uint8Array) return { ...others, body: unpackText(body) }
    return parts === undefined ? row : { ...others, ...unpackParts(parts as PackedText) }
  }
  const rows = (table: string) => database.prepare<[], Row>(`SELECT * FROM ${table}`).all().map(plain)
  const all = Object.fromEntries(TABLES.map((table) => [table, rows(table)]))
  database.close()
  return all
}

/** Without the two files that SQLite leaves after reading. */
const filesBeside = (path: string) =>
  readdirSync(join(path, '..'))
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .sort()

test('every released schema has a stored corpus', () => {
  const stored = readdirSync(join(import.meta.dirname, '../corpus/store/schemas')).map((name) =>
    Number(name.replace('.sql', '')),
  )
  assert.equal(
    stored,
    Array.from({ length: SCHEMA_VERSION - 4 }, (_, i) => i + 4),
  )
})

for (const schema of [4, 5]) {
  test(`a migration from schema ${schema} keeps every row, and the old file`, () => keepsEveryRow(schema))
}

async function keepsEveryRow(schema: number): Promise<void> {
  const path = formerCorpus(schema)
  const before = contents(path)
  assert.ok(['claim', 'record', 'epss', 'review', 'feed'].every((table) => before[table]!.length > 0))
  const report = await migrate(path, quietEffects())
  assert.equal([report.from, report.to, report.kept], [schema, SCHEMA_VERSION, `${path}.schema-${schema}`])
  assert.is(schemaOf(path), SCHEMA_VERSION)
  assert.equal(contents(path), before)
  assert.equal(contents(report.kept!), before)
  const corpus = openCorpus(path)
  for (const { block } of corpus.blocks()) {
    for (const { parts, digest, version } of corpus.records(block)) {
      assert.equal(Object.keys(parts), PART_NAMES)
      assert.equal(Buffer.from(recordDigest(parts)), Buffer.from(digest))
      assert.ok(version >= 1)
    }
  }
  corpus.close()
  assert.equal(filesBeside(path), ['corpus.db', `corpus.db.schema-${schema}`])
}

test('a corpus from before schema 6 has no advisories until the next ingest, and can be built', async () => {
  for (const schema of [4, 5]) {
    const path = formerCorpus(schema)
    await migrate(path, quietEffects())
    const corpus = openCorpus(path)
    assert.equal([corpus.advisories.digests().keys, corpus.advisories.packages().keys], [[], []])
    corpus.close()
    const dist = join(path, '../dist')
    const { counts } = await build({ corpus: path, dist, jobs: 0 }, quietEffects(), noProgress)
    assert.is(counts.cves, 6)
    assert.equal((await verify(dist)).faults, [])
  }
})

test('a corpus of the current schema is left alone', async () => {
  const path = formerCorpus(4)
  await migrate(path, quietEffects())
  const bytes = readFileSync(path)
  const report = await migrate(path, quietEffects())
  assert.equal([report.from, report.to, report.kept], [SCHEMA_VERSION, SCHEMA_VERSION, null])
  assert.ok(readFileSync(path).equals(bytes))
})

test('killed before any step, a migration leaves a whole corpus, and the next one completes it', async () => {
  const whole = killedEffects()
  await migrate(formerCorpus(4), whole.effects)
  assert.ok(whole.steps.length > 5)
  for (let at = 0; at < whole.steps.length; at++) {
    const path = formerCorpus(4)
    const before = contents(path)
    const error = await migrate(path, killedEffects(at).effects).catch((thrown: unknown) => thrown)
    assert.instance(error, Killed, whole.steps[at])
    assert.equal(contents(path), before)
    assert.is((await migrate(path, quietEffects())).to, SCHEMA_VERSION)
    assert.equal(contents(path), before)
    assert.equal(filesBeside(path), ['corpus.db', 'corpus.db.schema-4'], whole.steps[at])
  }
})

test('an ingest migrates first, and tells of it', async () => {
  const path = formerCorpus(4)
  const before = contents(path)
  const lines: string[] = []
  const workspace = await openWorkspace(path, { ...quietEffects(), log: (line) => void lines.push(line) })
  await workspace.close()
  assert.is(lines.length, 2)
  assert.match(lines[1]!, `the old file is ${path}.schema-4`)
  assert.equal(contents(path), before)
})

test('what cannot be migrated is refused with a remedy, and stays', async () => {
  const refused = async (path: string, code: string, pattern: RegExp) => {
    const said = await refusal(migrate(path, quietEffects()))
    assert.ok(said.startsWith(`${code}: `), said)
    assert.match(said, pattern)
  }
  const versioned = (version: number, writer: string | null) => {
    const path = formerCorpus(4)
    const database = new Database(path)
    database.pragma(`user_version = ${version}`)
    if (writer !== null) database.prepare("INSERT INTO meta VALUES ('written_by', ?)").run(writer)
    database.close()
    return path
  }
  await refused(join(folder.path, 'nowhere.db'), 'not_found', /does not exist/)
  await refused(versioned(3, null), 'wrong_version', /schema version 3, .*; ingest the feeds into a new corpus/)
  await refused(versioned(99, '7.8.9'), 'wrong_version', /version 99, .*; vulnshelf 7\.8\.9 wrote it: use that version/)
  await refused(versioned(99, null), 'wrong_version', /a later version of vulnshelf wrote it/)

  const taken = formerCorpus(4)
  writeFileSync(`${taken}.schema-4`, 'mine')
  await refused(taken, 'exists', /corpus\.db\.schema-4 exists already; move it away/)
  assert.is(readFileSync(`${taken}.schema-4`, 'utf8'), 'mine')
  assert.is(schemaOf(taken), 4)

  const busy = formerCorpus(4)
  const other = new Database(busy)
  other.exec('BEGIN IMMEDIATE')
  await refused(busy, 'busy', /is in use; end the programs/)
  other.exec('ROLLBACK')
  other.close()
  assert.not.ok(existsSync(`${busy}.schema-4`))
})

test('other commands name the migration', () => {
  assert.throws(() => openExplainer(formerCorpus(4)), /run `vulnshelf migrate .*corpus\.db`; ingest also migrates it/)
})

test.after(() => folder.remove())
test.run()
