/** Results of other threads are equal, and in order. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ingest } from '../../../builder/ingest/ingest.ts'
import type { MergeResult } from '../../../builder/ingest/record.ts'
import {
  closeCommittedCorpora,
  type MergeTask,
  type PackedItem,
  type ReadResult,
  type TouchedRecord,
} from '../../../builder/ingest/tasks.ts'
import { openThreads } from '../../../builder/ingest/threads.ts'
import { cveList } from '../../../corpus/feeds/cvelist/cvelist.ts'
import { openNvd } from '../../../corpus/feeds/nvd/nvd.ts'
import { parseCveId } from '../../../corpus/model/ids/cve-id.ts'
import { runInOrder } from '../../../corpus/runtime/pool.ts'
import { packText, unpackText } from '../../../corpus/store/packed-text.ts'
import { sortKey } from '../../../corpus/store/sort-key.ts'
import { feedFile, listOf, readOptions } from '../../corpus/feeds/reading.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, putFeeds } from '../../support/feeds.ts'

const folder = temporaryFolder('threads')
const path = join(folder.path, 'list.zip')
const COUNT = 1000
writeFileSync(
  path,
  baselineZip(Array.from({ length: COUNT }, (_, i) => ({ id: parseCveId(`CVE-2024-${10_000 + i}`)! }))),
)

const settings = { mission: 'medium', kevFeed: true, weaknesses: null, corpusDate: '2024-06-01' } as const

const NEW = { listed: true, isComparable: false, statedAt: new Map() } as const satisfies Partial<TouchedRecord>

/** Reads the list and merges its records, on `jobs` threads. */
async function readAndMerge(jobs: number): Promise<{ items: PackedItem[]; results: MergeResult[] }> {
  const threads = openThreads(jobs)
  try {
    const pool = threads.pool(true)
    const { batches } = await cveList.open(feedFile(path), readOptions(path))
    const reads = (await listOf(batches)).map((batch) => ({ feed: 'cvelist', batch }))
    const items: PackedItem[] = []
    for await (const read of runInOrder<PackedItem[]>(pool, 'read', reads)) items.push(...read)
    const merges = items.map((item) => ({
      records: [
        { ...NEW, cveKey: '', claims: [{ feed: 'cvelist', body: item.kind === 'claim' ? item.body : packText('') }] },
      ],
      settings,
      committed: null,
    })) satisfies MergeTask[]
    const results: MergeResult[] = []
    for await (const merged of runInOrder<MergeResult[]>(pool, 'merge', merges)) results.push(...merged)
    return { items, results }
  } finally {
    await threads.close()
  }
}

/** Converts bytes to hex: another thread receives a Buffer as plain bytes. */
function plain(value: PackedItem | MergeResult | null): unknown {
  const hex = (one: unknown) => (one instanceof Uint8Array ? Buffer.from(one).toString('hex') : one)
  return value && Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hex(one)]))
}

test('two threads give what the caller’s own gives', async () => {
  const own = await readAndMerge(0)
  const others = await readAndMerge(2)
  assert.is(own.items.length, COUNT)
  assert.ok(own.results.every(({ kind }) => kind === 'put'))
  assert.equal(others.items.map(plain), own.items.map(plain))
  assert.equal(others.results.map(plain), own.results.map(plain))
})

/** Reads NVD's file on `jobs` threads, first as a new file, then with every record known. */
async function readNvdTwice(file: string, jobs: number): Promise<ReadResult> {
  const threads = openThreads(jobs)
  const known = new Map<string, Uint8Array>()
  const items: ReadResult = []
  try {
    for (let night = 0; night < 2; night++) {
      const options = { ...readOptions(file), digestOf: (key: string) => known.get(key) ?? null }
      const { batches } = await openNvd(feedFile(file), options)
      const reads = (await listOf(batches)).map((batch) => ({ feed: 'nvd', batch }))
      for await (const read of runInOrder<ReadResult>(threads.pool(true), 'read', reads)) items.push(...read)
      for (const item of items) if (item?.kind === 'claim') known.set(item.key, item.digest)
    }
    return items
  } finally {
    await threads.close()
  }
}

test('NVD’s records, too: new ones, known ones and those that are left out', async () => {
  const file = join(folder.path, 'nvd.json')
  const deep = JSON.parse('['.repeat(200) + ']'.repeat(200)) as unknown
  const vulnerabilities = Array.from({ length: COUNT }, (_, i) => ({
    cve: { id: i % 100 === 7 ? 'none' : `CVE-2024-${10_000 + i}`, extra: i % 100 === 8 ? deep : i },
  }))
  writeFileSync(file, JSON.stringify({ format: 'NVD_CVE', vulnerabilities }))
  const own = await readNvdTwice(file, 0)
  const counted = (kind?: string) => own.filter((item) => item?.kind === kind).length
  assert.equal(['claim', undefined, 'skip'].map(counted), [COUNT - 20, COUNT - 20, 40])
  assert.equal((await readNvdTwice(file, 2)).map(plain), own.map(plain))
})

test('a record that was there is compared with what was committed, on whichever thread', async () => {
  const committed = join(folder.path, 'corpus.db')
  const feeds = putFeeds(join(folder.path, 'feeds'), { 'cvelistv5/2024-06-01_all_CVEs.zip': readFileSync(path) })
  await ingest({ feeds, corpus: committed }, quietEffects())
  const { batches } = await cveList.open(feedFile(path), readOptions(path))
  const [batch] = await listOf(batches)
  for (const jobs of [0, 1]) {
    const threads = openThreads(jobs)
    try {
      const pool = threads.pool(true)
      const [item] = await pool.run<PackedItem[]>('read', { feed: 'cvelist', batch: batch! })
      const body = item!.kind === 'claim' ? unpackText(item!.body) : ''
      const redated = JSON.stringify({ ...JSON.parse(body), datePublished: '2020-01-01T00:00:00.000Z' })
      const record = (text: string): TouchedRecord => ({
        ...NEW,
        isComparable: true,
        cveKey: sortKey(parseCveId(item!.key)!),
        claims: [{ feed: 'cvelist', body: packText(text) }],
      })
      const records = [record(body), record(redated)]
      const merged = await pool.run<MergeResult[]>('merge', { records, settings, committed } satisfies MergeTask)
      assert.equal(
        merged.map((result) => (result.kind === 'put' ? [result.isNew, result.version] : result.kind)),
        ['same', [false, 2]],
      )
    } finally {
      await threads.close()
      closeCommittedCorpora()
    }
  }
})

test.after(folder.remove)
test.run()
