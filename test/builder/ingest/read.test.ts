/** A night on top of another gives the same claims as the second night alone. Unchanged records are not parsed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { FeedReport } from '../../../builder/ingest/report.ts'
import { stageFeed } from '../../../builder/ingest/stage.ts'
import type { ReadResult } from '../../../builder/ingest/tasks.ts'
import { takeDigests } from '../../../builder/ingest/threads.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { BatchFeed } from '../../../corpus/feeds/feed.ts'
import { FEEDS } from '../../../corpus/feeds/table.ts'
import { openPool, type Pool } from '../../../corpus/runtime/pool.ts'
import { openMerging } from '../../../corpus/store/merging.ts'
import { createSchema } from '../../../corpus/store/schema.ts'
import { openStaging } from '../../../corpus/store/staging.ts'
import { feedFile, readOptions } from '../../corpus/feeds/reading.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('read')
const NVD = FEEDS.find(({ name }) => name === 'nvd') as BatchFeed
const inline = openPool(new URL('../../../builder/ingest/tasks.ts', import.meta.url), 0)
/** Number of records of the last night that were parsed. */
let parsed = 0
const pool: Pool = {
  ...inline,
  async run<T>(task: string, input: unknown) {
    const result = await inline.run<T>(task, input)
    if (task === 'read') parsed += (result as ReadResult).filter((item) => item !== null).length
    return result
  },
}

/** The JSON of a record: `A1` is the first edition of A, `A2` a later one of the same date, `A+` one of a later date. */
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

/** The names of a file's records. `wide` indents them. */
type File = readonly string[]

/** Stages these nights one after the other. Returns the last report, and the claims of the corpus by item. */
async function nights(...all: (readonly File[])[]) {
  const database = new Database(':memory:')
  createSchema(database)
  let previous: Parameters<typeof stageFeed>[1] = null
  let last: FeedReport | undefined
  const claims = new Map<string, unknown>()
  for (const [night, files] of all.entries()) {
    parsed = 0
    const found = files.map((names, i) => {
      const path = join(folder.path, `${i}.json`)
      const isWide = names.includes('wide')
      const records = names.filter((name) => name !== 'wide').map((name) => writtenAs(name, isWide))
      writeFileSync(path, `{"format":"NVD_CVE","night":${night},"vulnerabilities":[${records}]}`)
      return feedFile(path)
    })
    const workspace = { staging: openStaging(database), spill: readOptions('').spill } as Parameters<
      typeof stageFeed
    >[2]
    const choice = { asOf: null, acceptOlder: true, acceptShrink: false }
    const isAhead = { horizon: '9999-12-31', test: () => false }
    const context = {
      ...{ ...choice, isAhead, log: () => {}, progress: noProgress },
      digestOf: takeDigests(found, pool),
      poolFor: () => pool,
    }
    const report = await stageFeed({ feed: NVD, files: found, ahead: [], editions: [] }, previous, workspace, context)
    const merging = openMerging(database)
    merging.settleClaims('nvd', false, null)
    claims.clear()
    const rows = database.prepare<[], { item: string }>('SELECT item, hex(digest), stated_at, body FROM claim').all()
    for (const row of rows) claims.set(row.item, row)
    last = report
    for (const table of ['altered', 'restated', 'scores', 'touched', 'lost']) database.exec(`DROP TABLE temp.${table}`)
    const { kept, held, retained, skipped, notes, read } = report
    const reading = { read, kept, held, retained, skipped, notes }
    previous = { ...report, records: kept + held, licence: '', attribution: '', adapter: NVD.adapter, reading }
  }
  database.close()
  return { report: last!, claims }
}

const FIRST: File[] = [['A1', 'B1', 'C1', 'D1'], ['C+']]

/** Unreadable records keep the claim of the first night. */
const HELD: Record<string, string> = { 'one that cannot be read': 'CVE-2024-1065', 'one with two ids': 'CVE-2024-1066' }

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
  test(`the second night on top of the first: ${what}`, async () => {
    const first = await nights(FIRST)
    const alone = await nights(files)
    const onTop = await nights(FIRST, files)
    const expected = new Map(alone.claims)
    const held = HELD[what]
    if (held !== undefined) expected.set(held, first.claims.get(held))
    const sorted = (claims: Map<string, unknown>) => [...claims].sort(([a], [b]) => (a < b ? -1 : 1))
    assert.equal(sorted(onTop.claims), sorted(expected))
    assert.is(onTop.report.held, held === undefined ? 0 : 1)
    assert.is(onTop.report.read, alone.report.read)
    assert.equal(onTop.report.skipped, alone.report.skipped)
    assert.equal(sorted((await nights(FIRST, files, FIRST)).claims), sorted(first.claims), 'and back')
  })
}

test('records with the same bytes are not parsed again', async () => {
  await nights(FIRST)
  assert.is(parsed, 5)
  const { report } = await nights(FIRST, [['A1', 'B+'], ['C+']])
  assert.is(parsed, 1)
  assert.is(report.changed, 1)
  assert.is(report.removed, 1)
})

test.after(() => folder.remove())
test.run()
