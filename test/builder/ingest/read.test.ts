/** NVD's files are prescanned by the bytes of their records: the result equals that of reading every record. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { takeDigests } from '../../../builder/ingest/file-digests.ts'
import { startSiftings } from '../../../builder/ingest/prescan.ts'
import { stageFeed } from '../../../builder/ingest/stage.ts'
import type { ReadTask } from '../../../builder/ingest/tasks.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { BatchFeed } from '../../../corpus/feeds/feed.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import { openPool, type Pool } from '../../../corpus/runtime/pool.ts'
import { openMerging } from '../../../corpus/store/merging.ts'
import { createSchema } from '../../../corpus/store/schema.ts'
import { openStaging } from '../../../corpus/store/staging.ts'
import type { FeedState } from '../../../corpus/store/state.ts'
import { feedFile, readOptions } from '../../corpus/feeds/reading.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('read')
const SIFTED = FEEDS.find(({ name }) => name === 'nvd') as BatchFeed
const { sift: _, ...READ_WHOLE } = SIFTED
const inline = openPool(new URL('../../../builder/ingest/tasks.ts', import.meta.url), 0)
/** Number of records passed to the reader in this night. */
let handedOut = 0
const pool: Pool = {
  ...inline,
  run(task, input) {
    if (task === 'read') handedOut += (input as ReadTask).batch.keys.length
    return inline.run(task, input)
  },
}

/** Returns a record as in the file: `A1`, `A2` are editions of A with the same date, `A+` has a later date. */
function record(name: string): string {
  const [letter, edition] = name
  const cveId = `CVE-2024-${1000 + letter!.charCodeAt(0)}`
  const lastModified = edition === '+' ? '2024-06-02T00:00:00.000' : '2024-06-01T00:00:00.000'
  const descriptions = [{ lang: 'en', value: name }]
  return JSON.stringify({ cve: { id: cveId, lastModified, descriptions } })
}

const ODD: Record<string, string> = {
  'no id': '{"cve":{"descriptions":[]}}',
  'two ids': '{"cve":{"id":"CVE-2024-1065","id":"CVE-2024-1066"}}',
  'broken A': '{"cve":{"id":"CVE-2024-1065","lastModified":x}}',
}

const writtenAs = (name: string, isWide: boolean) => {
  const text = ODD[name] ?? record(name)
  return isWide && !ODD[name] ? JSON.stringify(JSON.parse(text), null, 1) : text
}

/** A file's records by name; `wide` at the start if they are indented. */
type File = readonly string[]

/** Stages these nights in turn. Returns the result of the last, and the content of the corpus. */
async function nights(feed: BatchFeed, ...all: (readonly File[])[]) {
  const database = new Database(':memory:')
  createSchema(database)
  let previous: Parameters<typeof stageFeed>[1] = null
  let last: unknown
  for (const [night, files] of all.entries()) {
    handedOut = 0
    const found = files.map((names, i) => {
      const path = join(folder.path, `${night}-${i}.json`)
      const isWide = names.includes('wide')
      const records = names.filter((name) => name !== 'wide').map((name) => writtenAs(name, isWide))
      writeFileSync(path, `{"format":"NVD_CVE","night":${night},"vulnerabilities":[${records}]}`)
      return feedFile(path)
    })
    const workspace = { staging: openStaging(database), spill: readOptions('').spill } as Parameters<
      typeof stageFeed
    >[2]
    const context = { log: () => {}, progress: noProgress, digestOf: takeDigests(found, pool), poolFor: () => pool }
    const report = await stageFeed({ feed, files: found }, previous, workspace, context)
    const merging = openMerging(database)
    merging.settleClaims('nvd', false, null)
    const claims = database
      .prepare('SELECT item, cve_key, hex(digest), stated_at, body FROM claim ORDER BY item')
      .raw()
      .all()
    last = { report: { ...report, files: [] }, claims, touched: merging.touched() }
    for (const table of ['altered', 'scores', 'touched', 'lost']) database.exec(`DROP TABLE temp.${table}`)
    const { kept, held, skipped, notes, read } = report
    const reading = { read, kept, held, skipped, notes }
    previous = { ...report, records: kept + held, licence: '', attribution: '', adapter: feed.adapter, reading }
  }
  database.close()
  return last
}

const FIRST: File[] = [['A1', 'B1', 'C1', 'D1'], ['C+']]

const SECOND: [what: string, ...files: File[]][] = [
  ['the same again', ...FIRST],
  ['a newer edition of one', ['A1', 'B1', 'C1', 'D1'], ['B+']],
  ['a new one, one that is gone', ['A1', 'E1', 'C1'], ['C+']],
  ['an older edition behind the one of before', ['A1', 'B1'], ['C+', 'C1']],
  ['the same record twice in a file', ['A1', 'B1', 'A1', 'D1'], ['C+']],
  ['the same record in two files', ['A1', 'B1', 'D1'], ['A1', 'C+']],
  ['another edition before the one of before', ['A2', 'A1', 'B1', 'D1'], ['C+']],
  ['another edition behind it', ['A1', 'A2', 'B1', 'D1'], ['C+']],
  ['another edition of it in an earlier file', ['A2', 'B1', 'D1'], ['A1', 'C+']],
  ['indented otherwise', ['wide', 'A1', 'B1', 'C1', 'D1'], ['C+']],
  ['one without an id', ['no id', 'A1', 'B1', 'D1'], ['C+']],
  ['one that cannot be read', ['broken A', 'B1', 'D1'], ['C+']],
  ['one with two ids', ['A1', 'two ids', 'D1'], ['C+']],
]

for (const [what, ...files] of SECOND) {
  test(`a file that is sifted brings what one brings that is read whole: ${what}`, async () => {
    assert.equal(await nights(SIFTED, FIRST, files), await nights(READ_WHOLE, FIRST, files))
    const back = [FIRST, files, FIRST]
    assert.equal(await nights(SIFTED, ...back), await nights(READ_WHOLE, ...back), 'and back')
  })
}

test('what the corpus has is not handed out to be read', async () => {
  await nights(SIFTED, FIRST, [['A1', 'B+'], ['C+']])
  assert.is(handedOut, 1)
  await nights(READ_WHOLE, FIRST, [['A1', 'B+'], ['C+']])
  assert.is(handedOut, 3)
})

test('a feed is sifted before its turn where its files are of other sizes than before', () => {
  const path = join(folder.path, 'one.json')
  writeFileSync(path, '{"format":"NVD_CVE","vulnerabilities":[]}')
  const { size } = statSync(path)
  const database = new Database(':memory:')
  createSchema(database)
  const context = { staging: openStaging(database), pool }
  const begunWith = (feed: BatchFeed, sizes: number[], adapter = feed.adapter): boolean => {
    const files = sizes.map((bytes) => ({ path, bytes, sha256: '' }))
    const previous = new Map([[feed.name, { files, adapter } as unknown as FeedState]])
    return startSiftings([{ feed, files: [feedFile(path)] }], previous, context).has(feed.name)
  }
  assert.is(begunWith(SIFTED, [size + 1]), true)
  assert.is(begunWith(SIFTED, [size, size]), true)
  assert.is(begunWith(SIFTED, [size]), false, 'they may be the same')
  assert.is(begunWith(SIFTED, [size + 1], 1), false, 'another adapter read what the corpus has')
  assert.is(begunWith(READ_WHOLE, [size + 1]), false)
  database.close()
})

test.after(() => folder.remove())
test.run()
