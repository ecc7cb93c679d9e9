/** A night in which 100 records of OSV's exports change and nothing else, built on a copy of a corpus. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findSources } from '../../../builder/ingest/sources.ts'
import type { FeedFile } from '../../../corpus/feeds/feed.ts'
import { openZip, readEntry, withZip, type ZipDirectory } from '../../../corpus/feeds/files/zip.ts'
import { sampleDisk } from '../../../corpus/sample/disk.ts'
import { type Packed, pack, zipWriter } from '../../../corpus/sample/zip.ts'
import type { BenchCorpus } from '../report/line.ts'
import { type Fetched, fetchedOf } from './fetched.ts'
import { runNight } from './nights.ts'
import type { ProgramOptions } from './program.ts'

export const CHANGED = 100

export interface AdvisoryNight {
  /** Number of changed records: fewer if the exports have fewer. */
  records: number
  /** Bytes of the changed records, each gzipped separately at level 6. */
  reference: number
  fetched: Fetched
}

const DAY_MS = 86_400_000
/** Larger than every record. */
const MAX_RECORD_BYTES = 2 ** 28

/**
 * Ingests and builds the night in `folder`. Returns null if the feeds have no zip of OSV.
 * @throws Error if a command fails
 */
export async function advisoryNight(corpus: BenchCorpus, options: ProgramOptions): Promise<AdvisoryNight | null> {
  const { folder } = options
  const [, last] = corpus.nights
  const night = new Date(Date.parse(last) + DAY_MS).toISOString().slice(0, 10)
  const sources = await findSources(corpus.feeds, last)
  const exports = sources.find(({ feed }) => feed.name === 'osv')!.files.filter(({ path }) => path.endsWith('.zip'))
  if (exports.length === 0) return null
  rmSync(folder, { recursive: true, force: true })
  const feeds = join(folder, 'feeds')
  linkAll(corpus.feeds, feeds, (name) => name !== 'osv')
  const changed = await changedExports(exports, night, feeds)
  const copy = { corpus: join(folder, 'corpus.db'), dist: join(folder, 'dist') }
  for (const end of ['', '-wal']) {
    if (existsSync(corpus.corpus + end)) copyFileSync(corpus.corpus + end, copy.corpus + end)
  }
  copyDist(corpus.dist, copy.dist)
  await runNight(feeds, night, copy, options)
  return {
    records: changed.length,
    reference: changed.reduce((sum, record) => sum + gzipSync(record, { level: 6 }).length, 0),
    fetched: fetchedOf(copy.dist),
  }
}

function linkAll(from: string, to: string, wanted: (name: string) => boolean = () => true): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from).filter(wanted)) symlinkSync(join(from, name), join(to, name))
}

/** Objects never change, so links to them are enough. */
function copyDist(from: string, to: string): void {
  for (const folder of readdirSync(join(from, 'objects'))) {
    linkAll(join(from, 'objects', folder), join(to, 'objects', folder))
  }
  linkAll(join(from, 'manifests'), join(to, 'manifests'))
  copyFileSync(join(from, 'latest.json'), join(to, 'latest.json'))
}

/** Writes the exports of the night. Returns the changed records, which are evenly spread over all records. */
async function changedExports(exports: readonly FeedFile[], night: string, feeds: string): Promise<Buffer[]> {
  const opened: { file: FeedFile; zip: ZipDirectory }[] = []
  for (const file of exports) opened.push({ file, zip: await openZip(file.path, neverSpilled) })
  const count = opened.reduce((sum, { zip }) => sum + zip.entries.length, 0)
  const step = Math.max(1, Math.floor(count / CHANGED))
  const changed: Buffer[] = []
  let at = 0
  for (const { file, zip } of opened) {
    const path = join(feeds, dirname(file.name), `all-${night}.zip`)
    mkdirSync(dirname(path), { recursive: true })
    const writer = await zipWriter(sampleDisk, path, new Date(night))
    const entries = withZip(zip.position, (window) =>
      zip.entries.map((entry): [name: string, Packed] => {
        const record = readEntry(window, entry, MAX_RECORD_BYTES)
        const isChanged = at++ % step === 0 && changed.length < CHANGED
        if (!isChanged) return [entry.name, pack(record)]
        changed.push(changedRecord(record, night))
        return [entry.name, pack(changed.at(-1)!)]
      }),
    )
    for (const [name, packed] of entries) await writer.add(name, packed)
    await writer.end()
  }
  return changed
}

function neverSpilled(): never {
  throw new Error('an export of OSV has a compressed zip in it: unpack that one first')
}

/** Changes what the package index repeats. */
function changedRecord(record: Buffer, night: string): Buffer {
  const json = JSON.parse(record.toString()) as { summary?: string }
  return Buffer.from(
    JSON.stringify({ ...json, modified: `${night}T00:00:00Z`, summary: `${json.summary ?? ''} (revised)` }),
  )
}
