/** Work done by other threads comes back the same, and in order. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { MergeResult, RecordToMerge } from '../../../builder/ingest/record.ts'
import type { ReadResult } from '../../../builder/ingest/tasks.ts'
import { openThreads } from '../../../builder/ingest/threads.ts'
import { openCveList } from '../../../corpus/feeds/cvelist/cvelist.ts'
import type { FeedItem } from '../../../corpus/feeds/feed.ts'
import { openNvd } from '../../../corpus/feeds/nvd/nvd.ts'
import { parseCveId } from '../../../corpus/model/cve-id.ts'
import { runInOrder } from '../../../corpus/snapshot/pool.ts'
import { feedFile, listOf, readOptions } from '../../corpus/feeds/reading.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { baselineZip } from '../../support/feeds.ts'

const folder = temporaryFolder('threads')
const path = join(folder.path, 'list.zip')
const COUNT = 1000
writeFileSync(
  path,
  baselineZip(Array.from({ length: COUNT }, (_, i) => ({ id: parseCveId(`CVE-2024-${10_000 + i}`)! }))),
)

const settings = { mission: 'medium', kevFeed: true, corpusDate: '2024-06-01', otherDate: '2024-06-01' } as const

const NEW = {
  previous: null,
  gone: null,
  listed: true,
  former: null,
  statedAt: null,
} as const satisfies Partial<RecordToMerge>

/** Reads the list and merges its records, on so many threads. */
async function readAndMerge(jobs: number): Promise<{ items: FeedItem[]; results: MergeResult[] }> {
  const threads = openThreads(jobs)
  try {
    const pool = threads.pool(true)
    const { batches } = await openCveList(feedFile(path), readOptions(path))
    const reads = (await listOf(batches)).map((batch) => ({ feed: 'cvelist', batch }))
    const items: FeedItem[] = []
    for await (const read of runInOrder<FeedItem[]>(pool, 'read', reads)) items.push(...read)
    const merges = items.map((item) => ({
      records: [{ ...NEW, claims: [{ feed: 'cvelist', body: item.kind === 'claim' ? item.body : '' }] }],
      settings,
    }))
    const results: MergeResult[] = []
    for await (const merged of runInOrder<MergeResult[]>(pool, 'merge', merges)) results.push(...merged)
    return { items, results }
  } finally {
    await threads.close()
  }
}

/** With the digest in hex: a Buffer of one thread reaches another as plain bytes. */
function plain(value: FeedItem | MergeResult | null): unknown {
  return value !== null && 'digest' in value ? { ...value, digest: Buffer.from(value.digest).toString('hex') } : value
}

test('two threads give what the caller’s own gives', async () => {
  const own = await readAndMerge(0)
  const others = await readAndMerge(2)
  assert.is(own.items.length, COUNT)
  assert.ok(own.results.every(({ kind }) => kind === 'put'))
  assert.equal(others.items.map(plain), own.items.map(plain))
  assert.equal(others.results.map(plain), own.results.map(plain))
})

/** Reads NVD's file on so many threads, first as a new one, then with everything known. */
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

test.after(folder.remove)
test.run()
