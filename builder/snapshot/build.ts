/**
 * `vulnshelf build`: builds a snapshot from the corpus. Steps: shards, catalogs, EPSS, derived files, activation. The
 * current snapshot stays valid until the last rename, which replaces the pointer.
 */

import { availableParallelism } from 'node:os'
import type { Effects } from '../../corpus/command/effects.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { compareCveIds } from '../../corpus/model/ids/cve-id.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { moduleUrl } from '../../corpus/runtime/module-url.ts'
import { handleLater, openPool, type Pool } from '../../corpus/runtime/pool.ts'
import { countDerived, type DeriveInput, deriveFiles } from '../../corpus/snapshot/derived.ts'
import {
  type About,
  countsOf,
  decodeRejected,
  distRefusal,
  type EpssColumns,
  ecosystemsOf,
  encodeEditions,
  encodeEpss,
  encodeRejected,
  type FileEntry,
  gzipFile,
  MAX_GZIP_PLAIN,
  NO_EPSS,
  type Pointer,
  readManifest,
  readPointer,
  SnapshotError,
  temporaryFolder,
  toBillionths,
} from '../../corpus/snapshot/index.ts'
import { type Corpus, openCorpus } from '../../corpus/store/corpus.ts'
import { type Activation, activate, type Signing } from './activate.ts'
import { cnaEntries, feedEntries, writeCatalogs } from './catalogs.ts'
import { collectChanges, putDelta } from './delta.ts'
import { writeEpssHistory } from './epss-history.ts'
import { BuildError } from './error.ts'
import { writeHashedShards } from './hashed-shards.ts'
import { lockDist } from './lock.ts'
import { type ObjectStore, openObjectStore, openWriteQueue } from './objects.ts'
import { corpora, type LeftOut } from './shard-task.ts'
import { type Block, blocksOf, type Parent, type ShardTally, writeShards } from './shards.ts'
import { areFilesIntact, sourceOf, unchangedReport } from './unchanged.ts'

export interface BuildOptions {
  corpus: string
  dist: string
  /** Worker threads; 0 runs everything in this thread. Default: the number of cores. */
  jobs?: number
  /** Signs the pointer. Null writes an unsigned pointer, even if the previous one was signed. */
  signing?: Signing | null
}

export interface BuildReport extends ShardTally, Activation {
  parent: string | null
  counts: Record<string, number>
  objects: ObjectStore['tally']
  /** `shards` includes all steps before the derived files. */
  seconds: { shards: number; derived: number; total: number }
}

/**
 * Builds and activates a snapshot.
 * @throws BuildError; StoreError if the corpus cannot be read; SnapshotError if the parent is damaged in a required
 * part
 */
export async function build(options: BuildOptions, effects: Effects, progress: Progress): Promise<BuildReport> {
  const corpus = readable(options.corpus)
  try {
    if (corpus.blocks().length === 0) {
      throw new BuildError('empty', `${options.corpus} has no records; ingest a feeds folder first`)
    }
    assertDist(options.dist)
    return await writingTo(options.dist, async () => {
      await effects.mkdir(options.dist)
      const unlock = lockDist(options.dist)
      try {
        return await buildFrom(corpus, options, effects, progress)
      } finally {
        unlock()
      }
    })
  } finally {
    corpus.close()
    corpora.close()
  }
}

function readable(path: string): Corpus {
  try {
    return openCorpus(path)
  } catch (cause) {
    // SQLite's messages do not name the file.
    if ((cause as Error).name !== 'SqliteError') throw cause
    throw new BuildError('unusable', `cannot read ${path}: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Every build empties `tmp`, so foreign folders are refused.
 * @throws BuildError `unusable`
 */
export function assertDist(dist: string): void {
  const why = distRefusal(dist, '--out')
  if (why !== null) throw new BuildError('unusable', why)
}

async function buildFrom(
  corpus: Corpus,
  { corpus: corpusPath, dist, jobs = availableParallelism(), signing = null }: BuildOptions,
  effects: Effects,
  progress: Progress,
): Promise<BuildReport> {
  const started = performance.now()
  const lap = () => (performance.now() - started) / 1000
  const pointer = pointerOf(dist)
  const parent = pointer && parentOf(dist, pointer, effects)
  const blocks = blocksOf(corpus)
  const source = sourceOf(corpus, blocks)
  await effects.remove(temporaryFolder(dist))
  await effects.mkdir(temporaryFolder(dist))
  if (pointer && parent?.manifest.source === source && (await areFilesIntact(dist, parent.manifest))) {
    const { manifest } = parent
    const outcome = await activate(
      dist,
      manifest.files,
      { before: pointer, parent: manifest, delta: null, source, signing },
      effects,
    )
    await effects.remove(temporaryFolder(dist))
    return { ...outcome, ...unchangedReport(dist, manifest), seconds: { shards: lap(), derived: 0, total: lap() } }
  }
  const objects = openObjectStore(dist, effects)
  const pool = openPool(moduleUrl('./tasks.ts', import.meta.url), jobs)
  try {
    // The scores are read while the workers run, so the shards are awaited after them.
    const onProgress = (done: number, total: number) => progress('shards', done, total)
    const changes = collectChanges()
    const job = { blocks, corpusPath, parent, pool, objects, changes, onProgress }
    const leftOut: LeftOut[] = []
    const writing = handleLater(
      Promise.all([
        writeShards(job),
        writeCatalogs(feedEntries(corpus, leftOut), job),
        writeHashedShards(corpus, job),
        writeEpssHistory(corpus, job),
      ]),
    )
    const epss = alignEpss(corpus, blocks)
    const [shards, ofFeeds, hashed, history] = await writing
    const { rows } = shards
    // Records name CNAs that are not in the list, so this catalog waits for the records.
    const ofRecords = await writeCatalogs({ cnas: cnaEntries(corpus, rows, leftOut) }, job)
    const catalogs = { ...ofFeeds.catalogs, ...ofRecords.catalogs }
    const catalogFiles = [...ofFeeds.files, ...ofRecords.files]
    const counts = countsOf(rows, catalogs, hashed)
    const rejectedPlain = encodeRejected(corpus.rejected())
    // As stored: reasons may be cut.
    const rejected = decodeRejected(rejectedPlain)
    const description = about(corpus, { counts, ...ecosystemsOf(hashed.packages) }, epss)
    const files = [
      ...shards.files,
      ...catalogFiles,
      ...hashed.files,
      ...history,
      ...(await writeTables(corpus, description, epss, { plain: rejectedPlain, count: rejected.size }, objects)),
    ]
    const shardsAt = lap()
    const { advisories, packages } = hashed
    const { corpus_date: corpusDate, last_update: lastUpdate } = description
    const ofHistory = { dist, files: history, editions: corpus.epssHistory.editions() }
    const input = { rows, epss, history: ofHistory, catalogs, advisories, packages, corpusDate, lastUpdate, rejected }
    files.push(...(await writeDerived(pool, input, objects, progress)))
    const derivedAt = lap()
    const delta = await putDelta(files, parent?.manifest ?? null, changes, objects)
    const upon = { before: pointer, parent: parent?.manifest ?? null, delta, source, signing }
    const outcome = await activate(dist, files, upon, effects)
    await effects.remove(temporaryFolder(dist))
    return {
      ...outcome,
      parent: parent?.manifest.snapshot ?? null,
      ...shards.tally,
      leftOut: [...shards.tally.leftOut, ...leftOut, ...hashed.leftOut],
      counts: description.counts,
      objects: objects.tally,
      seconds: { shards: shardsAt, derived: derivedAt - shardsAt, total: lap() },
    }
  } finally {
    await pool.close()
  }
}

async function writeDerived(
  pool: Pool,
  input: DeriveInput,
  objects: ObjectStore,
  progress: Progress,
): Promise<FileEntry[]> {
  const puts = openWriteQueue()
  const { advisories, packages } = input
  const total = countDerived({ advisories: advisories.keys.length > 0, packages: packages.keys.length > 0 })
  let done = 0
  try {
    for await (const { from, ...entry } of deriveFiles(pool, input, objects.temporary)) {
      await puts.add(objects.put({ ...entry, derived: true }, from))
      progress('derived files', ++done, total)
    }
    return await puts.entries()
  } finally {
    await puts.settled()
  }
}

async function writeTables(
  corpus: Corpus,
  description: About,
  epss: EpssColumns,
  rejected: { plain: Buffer; count: number },
  objects: ObjectStore,
): Promise<FileEntry[]> {
  const put = async (role: 'about' | 'epss' | 'epss-editions' | 'rejected', plain: Buffer, count: number) => {
    const most = MAX_GZIP_PLAIN[role]
    if (plain.length > most)
      throw new BuildError('too_large', `the file ${role} has ${plain.length} bytes, more than ${most}`)
    return objects.put({ role, name: 'cve', content: sha256(plain), count, derived: false }, gzipFile(plain))
  }
  const editions = corpus.epssHistory.editions()
  return [
    await put('about', Buffer.from(JSON.stringify(description)), 1),
    await put('epss', encodeEpss(epss), epss.scores.length),
    await put('epss-editions', encodeEditions(editions), editions.length),
    await put('rejected', rejected.plain, rejected.count),
  ]
}

/** Returns the pointer, or null in a new folder. A damaged pointer stops the build: its version must never decrease. */
function pointerOf(dist: string): Pointer | null {
  try {
    return readPointer(dist)
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    throw new BuildError('unusable', `${dist} is damaged: ${error.message}; restore it, or build into another folder`)
  }
}

/** Returns the snapshot to build on. If it cannot be read, there is no parent and everything is compressed again. */
function parentOf(dist: string, pointer: Pointer, effects: Effects): Parent | null {
  try {
    const manifest = readManifest(dist, pointer.manifest.sha256)
    return { dist, manifest }
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
    effects.log(`the snapshot in ${dist} is unusable as a base; building everything again: ${error.message}`)
    return null
  }
}

/** Returns EPSS columns in shared memory. Scores and ids are both in id order. */
function alignEpss(corpus: Corpus, blocks: readonly Block[]): EpssColumns {
  const { release, scores } = corpus.epss()
  const ids = blocks.flatMap((block) => block.ids)
  const column = () => new Uint32Array(new SharedArrayBuffer(ids.length * 4)).fill(NO_EPSS)
  const columns: EpssColumns = {
    date: release?.date ?? null,
    modelVersion: release?.modelVersion ?? null,
    scores: column(),
    percentiles: column(),
  }
  let row = 0
  for (const { cveId, score, percentile } of scores) {
    // The next score usually belongs to the next row. The equality test avoids parsing the ids.
    while (row < ids.length && ids[row] !== cveId && compareCveIds(ids[row]!, cveId) < 0) row++
    if (ids[row] !== cveId) continue
    columns.scores[row] = toBillionths(score)
    columns.percentiles[row] = toBillionths(percentile)
  }
  return columns
}

/** Returns the snapshot's description of itself (`/snapshot`): its feeds and the count of each kind of entry. */
function about(corpus: Corpus, counted: Pick<About, 'counts' | 'ecosystems' | 'releases'>, epss: EpssColumns): About {
  const { corpusDate, feeds, lastUpdate } = corpus.state()
  return {
    corpus_date: corpusDate,
    epss_date: epss.date,
    ...counted,
    last_update: lastUpdate,
    feeds: Object.fromEntries(
      feeds.map(({ name, version, date, published, records, licence, attribution }) => [
        name,
        // The newest record dates a feed without a date of its own.
        { version, updated_at: date ?? published, records, licence, attribution },
      ]),
    ),
  }
}
