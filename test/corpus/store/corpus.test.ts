/** Reading a corpus, and files that are rejected as a corpus. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import type { CnaEntry } from '../../../corpus/model/claim.ts'
import { PART_NAMES } from '../../../corpus/model/record.ts'
import { openCorpus } from '../../../corpus/store/corpus.ts'
import { StoreError } from '../../../corpus/store/error.ts'
import { recordDigest } from '../../../corpus/store/record-parts.ts'
import { openDatabase } from '../../../corpus/store/schema.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, cnaJson, epssCsv, kevJson, putFeeds } from '../../support/feeds.ts'

const folder = temporaryFolder('store')
const feeds = putFeeds(join(folder.path, 'feeds'), {
  'cvelistv5/2024-06-01_all_CVEs.zip': baselineZip([
    { id: 'CVE-2024-10000' },
    { id: 'CVE-2024-3400', updated: '2024-05-30T00:00:00.000Z' },
    { id: 'CVE-2024-3401' },
    { id: 'CVE-2023-9999' },
    { id: 'CVE-2024-0007', state: 'REJECTED', updated: '2024-05-09T00:00:00.000Z' },
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-3400', 'CVE-2020-0001']),
  'epss/epss_scores-2024-06-02.csv.gz': epssCsv(
    [
      ['CVE-2024-10000', 0.1, 0.2],
      ['CVE-2024-3400', 0.95, 0.99],
    ],
    '2024-06-02',
  ),
  'cna/CNAsList.json': cnaJson(['zeta', 'acme']),
})
const path = join(folder.path, 'corpus.db')
await ingest({ feeds, corpus: path }, quietEffects())
const corpus = openCorpus(path)

test('blocks and the records in them come by year and number', () => {
  assert.equal(corpus.blocks(), [
    { block: '2023/9xxx', records: 1 },
    { block: '2024/3xxx', records: 2 },
    { block: '2024/10xxx', records: 1 },
  ])
  assert.equal(
    corpus.digests('2024/3xxx').map(({ cveId }) => cveId),
    ['CVE-2024-3400', 'CVE-2024-3401'],
  )
})

test('a record has every part as JSON text, and the digest of these texts', () => {
  const [record] = corpus.records('2024/3xxx')
  assert.ok(record)
  assert.is(record.cveId, 'CVE-2024-3400')
  assert.is(record.version, 1)
  assert.equal(Object.keys(record.parts), [...PART_NAMES])
  assert.is(JSON.parse(record.parts.core).cve_id, 'CVE-2024-3400')
  assert.equal(JSON.parse(record.parts.core).kev, { listed: true, date_added: '2024-05-20' })
  assert.is(record.digest.length, 16)
  assert.equal(Buffer.from(record.digest), Buffer.from(recordDigest(record.parts)))
  assert.equal(corpus.digests('2024/3xxx')[0]!.digest, record.digest)
})

test('records asked for by name come in that order, unknown ones left out', () => {
  const named = [...corpus.records('2024/3xxx', ['CVE-2024-3401', 'CVE-2024-3999', 'CVE-2024-3400'])]
  assert.equal(
    named.map(({ cveId }) => cveId),
    ['CVE-2024-3401', 'CVE-2024-3400'],
  )
})

test('the digests of a block are read without its parts', () => {
  const database = new Database(path, { readonly: true })
  const plan = database
    .prepare<[string], { detail: string }>(
      'EXPLAIN QUERY PLAN SELECT cve_id, digest FROM record WHERE block = ? ORDER BY cve_key',
    )
    .all('2024/3xxx')
  database.close()
  assert.equal(
    plan.map(({ detail }) => detail),
    ['SEARCH record USING COVERING INDEX record_by_block (block=?)'],
  )
})

test('state, scores, rejected ids and CNAs', () => {
  const { corpusDate, feeds: states } = corpus.state()
  assert.is(corpusDate, '2024-05-30T00:00:00.000Z')
  assert.equal(
    states.map(({ name, version, date, records }) => ({ name, version, date, records })),
    [
      { name: 'cna', version: null, date: null, records: 2 },
      { name: 'cvelist', version: '2024-06-01', date: '2024-05-30T00:00:00.000Z', records: 5 },
      { name: 'epss', version: 'v2024.01.01', date: '2024-06-02T00:00:00.000Z', records: 2 },
      { name: 'kev', version: '2024.06.01', date: '2024-06-01T10:00:00.000Z', records: 2 },
    ],
  )
  const { release, scores } = corpus.epss()
  assert.equal(release, { date: '2024-06-02', modelVersion: 'v2024.01.01' })
  assert.equal(
    [...scores],
    [
      { cveId: 'CVE-2024-3400', score: 0.95, percentile: 0.99 },
      { cveId: 'CVE-2024-10000', score: 0.1, percentile: 0.2 },
    ],
  )
  assert.equal(corpus.rejected(), [
    { cveId: 'CVE-2024-0007', date: '2024-05-09T00:00:00.000Z', reason: 'Given out twice.', replacedBy: [] },
  ])
  assert.equal(
    corpus.catalog<CnaEntry>('cna').map(({ slug }) => slug),
    ['acme', 'zeta'],
  )
})

test('several threads read it at once, while an ingest writes to it', async () => {
  const writer = new Database(path)
  writer.exec('BEGIN IMMEDIATE; DELETE FROM record')
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const database = new (require('better-sqlite3'))(workerData, { readonly: true })
    parentPort.postMessage(database.prepare('SELECT count(*) FROM record').pluck().get())
    database.close()`
  const counts = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise((resolve, reject) => {
          new Worker(code, { eval: true, workerData: path }).on('message', resolve).on('error', reject)
        }),
    ),
  )
  writer.exec('ROLLBACK')
  writer.close()
  assert.equal(counts, [4, 4, 4])
})

function fileWith(name: string, content: string): string {
  const file = join(folder.path, name)
  writeFileSync(file, content)
  return file
}

/** Creates a database file and runs `sql` on it. */
function databaseWith(name: string, sql: string): string {
  const file = join(folder.path, name)
  const database = new Database(file)
  database.exec(sql)
  database.close()
  return file
}

const OTHERS: [what: string, make: () => string, code: StoreError['code'], message: RegExp][] = [
  ['no file', () => join(folder.path, 'none.db'), 'not_found', /none\.db does not exist; run ingest first/],
  ['a text file', () => fileWith('text', 'x'.repeat(5000)), 'not_a_corpus', /is not a corpus/],
  ['an empty file', () => fileWith('empty', ''), 'not_a_corpus', /is not a corpus/],
  ['a folder', () => folder.path, 'not_a_corpus', /is not a corpus/],
  [
    'a database of another program',
    () => databaseWith('other.db', 'CREATE TABLE t (x)'),
    'not_a_corpus',
    /another program/,
  ],
  [
    'a corpus of a later version',
    () => databaseWith('later.db', 'PRAGMA application_id = 0x56534c46; PRAGMA user_version = 99'),
    'wrong_version',
    /schema version 99, this program requires \d+; a later version of vulnshelf wrote it/,
  ],
  [
    'a corpus of a later version that names its writer',
    () =>
      databaseWith(
        'named.db',
        `PRAGMA application_id = 0x56534c46; PRAGMA user_version = 99;
        CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('written_by', '9.8.7')`,
      ),
    'wrong_version',
    /vulnshelf 9\.8\.7 wrote it: use that version/,
  ],
  [
    'a corpus of an earlier schema',
    () => databaseWith('old.db', 'PRAGMA application_id = 0x56534c46; PRAGMA user_version = 5'),
    'wrong_version',
    /schema version 5, this program requires \d+; ingest the feeds into a new corpus/,
  ],
]

for (const [what, make, code, message] of OTHERS) {
  test(`${what} is refused as ${code}`, () => {
    const file = make()
    for (const open of [openCorpus, (path: string) => openDatabase(path, { readonly: false })]) {
      try {
        open(file)
        assert.unreachable('it was opened')
      } catch (error) {
        assert.instance(error, StoreError)
        assert.is((error as StoreError).code, code)
        assert.match((error as StoreError).message, message)
      }
    }
  })
}

test.after(() => {
  corpus.close()
  folder.remove()
})
test.run()
