/**
 * Three dated real CVE lists in sequence: the timeline has every change between them, and nothing else. The expected
 * changes are from replay.py, a plain diff of the upstream records. `VULNSHELF_REPLAY_TABLE=1` prints fifty of them.
 */

import { hash } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type IngestReport, ingest } from '../../builder/ingest/ingest.ts'
import { PART_NAMES, type PartName, type RecordParts } from '../../corpus/model/record.ts'
import { type Corpus, openCorpus } from '../../corpus/store/corpus.ts'
import { quietEffects, temporaryFolder } from '../support/dist.ts'
import { needs, REAL_FEEDS } from '../support/needs.ts'
import { realNights } from '../support/samples.ts'
import { plainDiffs } from './replay-diff.ts'
import { judge, type Verdict } from './replay-judge.ts'
import { replayTable } from './replay-table.ts'

needs('real feeds', 'python3')

const nights = await realNights()
const DATES = nights.map(({ date }) => date)

interface StoredRecord {
  version: number
  parts: Record<PartName, string>
}

interface Step {
  records: Map<string, StoredRecord>
  /** Rejected ids with their dates. */
  rejected: ReturnType<Corpus['rejected']>
  corpusDate: string
  /** The date of each feed that this step read. */
  read: Map<string, string | null>
}

function stepOf(corpus: string, report: IngestReport): Step {
  const read = report.feeds.filter(({ status }) => status === 'read')
  const { records, rejected } = contents(corpus)
  const dates = read.map(({ name, date }): [string, string | null] => [name, date])
  return { records, rejected, corpusDate: report.corpusDate!, read: new Map(dates) }
}

function contents(path: string): Pick<Step, 'records' | 'rejected'> {
  const corpus = openCorpus(path)
  const records = corpus.blocks().flatMap(({ block }) => [...corpus.records(block)])
  const rejected = corpus.rejected()
  corpus.close()
  return { records: new Map(records.map(({ cveId, version, parts }) => [cveId, { version, parts }])), rejected }
}

/** Returns a digest of every record and every rejected id. */
function digestOf({ records, rejected }: Pick<Step, 'records' | 'rejected'>): string {
  return hash('sha256', JSON.stringify([[...records], rejected]))
}

function partsOf({ version, parts }: StoredRecord): RecordParts & { version: number } {
  const parsed = Object.fromEntries(PART_NAMES.map((name) => [name, JSON.parse(parts[name])]))
  return { ...(parsed as unknown as RecordParts), version }
}

/** Returns the newest date of each row of the archive (published or changed), by its number. */
function datesOfArchive(): Map<string, string> {
  const file = readFileSync(join(REAL_FEEDS, 'exploitdb', 'files_exploits.csv.gz'))
  const rows: Record<string, string>[] = parse(gunzipSync(file), { columns: true })
  const newest = ({ date_published, date_added, date_updated }: Record<string, string>) =>
    [date_published, date_added, date_updated].toSorted().at(-1)
  return new Map(rows.map((row) => [row.id!, `${newest(row)}T00:00:00.000Z`]))
}

const folder = temporaryFolder('replay')
const [again, atOnce] = ['again.db', 'once.db'].map((name) => join(folder.path, name)) as [string, string]
const diffs = await plainDiffs(DATES)
const steps: Step[] = []
const repeated: [before: string, after: string, merged: number][] = []
for (const { date, corpus, ingested } of nights) {
  steps.push(stepOf(corpus, ingested))
  copyFileSync(corpus, again)
  const report = await ingest({ feeds: REAL_FEEDS, corpus: again, asOf: date }, quietEffects())
  repeated.push([digestOf(steps.at(-1)!), digestOf(contents(again)), report.records.merged])
}
const once = stepOf(atOnce, await ingest({ feeds: REAL_FEEDS, corpus: atOnce, asOf: DATES.at(-1)! }, quietEffects()))

const archiveDates = datesOfArchive()

/** The verdicts on all records in both of two consecutive steps, by index of the pair and id. */
const verdicts = DATES.slice(1).map((_, pair) => {
  const [older, newer] = [steps[pair]!, steps[pair + 1]!]
  const byId = new Map<string, Verdict>()
  for (const [cveId, before] of older.records) {
    const after = newer.records.get(cveId)
    if (after === undefined) continue
    const upstream = diffs[pair]!.changed[cveId] ?? null
    const isSame = PART_NAMES.every((name) => before.parts[name] === after.parts[name])
    if (upstream === null && isSame && before.version === after.version) continue
    byId.set(
      cveId,
      judge({
        before: partsOf(before),
        after: partsOf(after),
        upstream,
        catalog: newer.read.has('cwe'),
        exploits: newer.read.has('exploitdb'),
        dates: { catalog: newer.corpusDate, exploits: newer.read.has('exploitdb') ? archiveDates : new Map() },
      }),
    )
  }
  return byId
})

test('each date takes the feeds that there are by then: the catalog comes second, the exploit archive third', () => {
  const list = ['cna', 'capec', 'nuclei', 'poc', 'ghsa', 'osv', 'nvd', 'cvelist']
  assert.equal(
    steps.map(({ read }) => [...read.keys()]),
    [list, ['cwe', 'cvelist'], ['exploitdb', 'cvelist']],
  )
})

test('the upstream lists differ by as many records as when this was written', () => {
  assert.equal(
    diffs.map(({ added, removed, same, changed }) => [added.length, removed.length, same, Object.keys(changed).length]),
    [
      [5700, 0, 387, 1940],
      [4253, 0, 7854, 173],
    ],
  )
})

for (const [pair, byId] of verdicts.entries()) {
  const [from, to] = [DATES[pair]!, DATES[pair + 1]!]

  test(`${from} to ${to}: what the timeline tells is what changed upstream, no less and no more`, () => {
    const faults = [...byId].flatMap(([cveId, { faults }]) => faults.map((fault) => `${cveId}: ${fault}`))
    assert.equal(faults, [], `${faults.length} faults`)
  })

  test(`${from} to ${to}: every record that changed upstream has entries, but for those that are rejected`, () => {
    const silent = Object.entries(diffs[pair]!.changed).filter(([cveId]) => !byId.get(cveId)?.entries.length)
    for (const [cveId, { facts }] of silent) {
      const state = facts.find(({ fact }) => fact === 'state')
      assert.ok(state, `${cveId} has changed and no entry`)
    }
    console.log(`${from} to ${to}: ${figures(pair)}`)
  })

  test(`${from} to ${to}: rejected records are gone, with the date; those that never were one begin as version 1`, () => {
    const states = Object.entries(diffs[pair]!.changed).flatMap(([cveId, { facts }]) =>
      facts.flatMap((fact) => (fact.fact === 'state' ? [{ cveId, from: fact.old, to: fact.new }] : [])),
    )
    assert.ok(states.length > 0)
    const { records, rejected } = steps[pair + 1]!
    for (const { cveId, to: now } of states) {
      const record = records.get(cveId)
      if (now === 'REJECTED') {
        assert.is(record, undefined, cveId)
        assert.ok(rejected.find((one) => one.cveId === cveId)?.date, cveId)
      } else {
        const timeline = JSON.parse(record!.parts.timeline) as RecordParts['timeline']
        assert.equal([record!.version, new Set(timeline.map((one) => one.version_to))], [1, new Set([1])], cveId)
      }
    }
  })
}

test('a version is one more than the nights in which something of the record changed', () => {
  const known = [...steps[2]!.records]
  for (const [cveId, { version }] of known) {
    const states = steps.flatMap(({ records }) => records.get(cveId)?.parts ?? [])
    const changes = states
      .slice(1)
      .filter((parts, index) =>
        PART_NAMES.some((name) => name !== 'timeline' && name !== 'facets' && parts[name] !== states[index]![name]),
      )
    assert.is(version, 1 + changes.length, cveId)
  }
})

test('re-ingesting a date merges nothing and leaves every record and timeline as it is, byte for byte', () => {
  for (const [before, after, merged] of repeated) assert.equal([after, merged], [before, 0])
})

test('dates in steps and the newest in one go end in the same records: every part but the timeline', () => {
  const stepped = steps[2]!
  assert.equal([...stepped.records.keys()], [...once.records.keys()])
  assert.equal(stepped.rejected, once.rejected)
  for (const [cveId, { parts }] of stepped.records) {
    for (const name of PART_NAMES) {
      if (name !== 'timeline') assert.is(parts[name], once.records.get(cveId)!.parts[name], `${cveId} ${name}`)
    }
  }
})

test('rule 26: in one go a timeline has only what feeds date, in steps also the changes since the first', () => {
  for (const [cveId, { version, parts }] of steps[2]!.records) {
    const since = steps.findLastIndex(({ records }) => !records.has(cveId)) + 1
    const first = steps[since]!.records.get(cveId)!
    // Only steps see that a record was rejected in between.
    const returned = steps.slice(0, since).some(({ rejected }) => rejected.some((one) => one.cveId === cveId))
    const timeline = JSON.parse(parts.timeline) as RecordParts['timeline']
    const own = timeline.filter(({ version_to }) => version_to === 1)
    assert.is(JSON.stringify(own), first.parts.timeline, cveId)
    const versions = [...new Set(timeline.map(({ version_to }) => version_to))].filter((one) => one > 1)
    assert.equal(
      versions.toSorted(),
      Array.from({ length: version - 1 }, (_, i) => i + 2),
      cveId,
    )
    const whole = once.records.get(cveId)!
    assert.is(whole.version, 1)
    if (version === 1 && !returned) assert.is(parts.timeline, whole.parts.timeline, cveId)
    for (const entry of JSON.parse(whole.parts.timeline) as RecordParts['timeline']) {
      const [, message] = entry.messages
      assert.equal([entry.version_from, entry.version_to, entry.messages.length], [1, 1, 2], cveId)
      assert.equal([message!.operation, message!.old_value], ['add', null], cveId)
      assert.ok(['publication', 'kev', 'ssvc', 'nvd', 'advisory'].includes(entry.category!), cveId)
    }
  }
})

if (process.env.VULNSHELF_REPLAY_TABLE === '1') console.log(replayTable(DATES, diffs, verdicts))

test.after(() => folder.remove())

function figures(pair: number): string {
  const all = [...verdicts[pair]!]
  const changed = Object.keys(diffs[pair]!.changed)
  const told = changed.filter((cveId) => verdicts[pair]!.get(cveId)?.entries.length)
  const others = all.filter(([cveId]) => !(cveId in diffs[pair]!.changed))
  const rules = new Map<string, number>()
  for (const [, verdict] of all) for (const rule of verdict.rules) rules.set(rule, (rules.get(rule) ?? 0) + 1)
  return [
    `${changed.length} changed upstream, ${told.length} of them with entries; ${others.length} by other feeds alone`,
    ...[...rules].map(([rule, count]) => `  ${count} × ${rule}`),
  ].join('\n')
}

test.run()
