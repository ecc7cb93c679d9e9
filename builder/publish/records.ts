/**
 * One file per CVE in a published folder, for clients that know a URL and nothing else: `cves/CVE-2024-3400.json`, and
 * the EPSS scores of each block of ids. SPEC.md, "Record files". A run writes only files with another content than
 * before, and removes those of CVEs that are gone.
 */
import type { Progress } from '../../corpus/command/progress.ts'
import { type CveId, cveBlock, parseCveId } from '../../corpus/model/ids/cve-id.ts'
import { parseUntrustedJson } from '../../corpus/model/values/json-text.ts'
import { readFile } from '../../corpus/repository/read.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import {
  addSections,
  changesBetween,
  coreSegment,
  decodeIndex,
  decodeMemberHead,
  epssAt,
  fileOf,
  gzipFile,
  type Index,
  idAt,
  MAX_READ_BYTES,
  type Manifest,
  objectName,
  type ReadMember,
  readObject,
  readStored,
  SECTION_NAMES,
  SnapshotError,
  type Stored,
  spliced,
  spliceGzip,
} from '../../corpus/snapshot/index.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { runParallel } from '../../corpus/transfer/parallel.ts'
import { transferring } from '../../corpus/transfer/retry.ts'
import { bytesContent, type Content } from './content.ts'
import { isRecordFile, RECORDS_FOLDER, RECORDS_STATE, recordPath, scoresPath } from './record-paths.ts'
import type { Target } from './target.ts'
import { type Uploads, uploadAll } from './uploads.ts'

export interface RecordsReport {
  /** Files of CVEs and of EPSS scores. */
  written: { files: number; bytes: number }
  removed: number
  /** All files of the snapshot. */
  files: number
}

const FORMAT = 1
const MAX_STATE_BYTES = 16 * 1024
/** More runs than this in sequence that did not end are as no state. */
const MAX_INDEXES = 16

const BLOCKS_AT_ONCE = 64

const SECTIONS = SECTION_NAMES.filter((name) => name !== 'epss')

/** Returns the record of a member with all sections, without EPSS, as gzip: stored segments, spliced. */
export const recordFile = (member: ReadMember): Buffer =>
  spliceGzip(addSections([spliced(member, coreSegment(member))], '', member, null, SECTIONS))

/**
 * Returns whether the target has record files. Each run keeps them up to date then.
 * @throws TransferError
 */
export const hasRecords = async (target: Target, effects: NetworkEffects): Promise<boolean> =>
  (await readState(target, effects)) !== null

/**
 * Writes the record files of a snapshot. Files that a killed run left are completed: the state names the snapshots of
 * both runs before the first file changes, and the last one alone after the last.
 * @throws SnapshotError, TransferError
 */
export async function writeRecords(
  dist: string,
  manifest: Manifest,
  target: Target,
  { parallel, effects }: { parallel: number; effects: NetworkEffects },
  progress: Progress,
): Promise<RecordsReport> {
  const file = fileOf(manifest, 'index')
  const current: Stored = { sha256: file.sha256, size: file.size }
  const now = decodeIndex(readObject(dist, file))
  const blocks = blocksOf(now)
  const report = { written: { files: 0, bytes: 0 }, removed: 0, files: now.count + blocks.size }
  const earlier = await readState(target, effects)
  if (earlier?.length === 1 && earlier[0]!.sha256 === current.sha256) return report
  const before = await readIndexes(dist, earlier ?? [], target, effects)
  const plan = before ? planOf(before, now, blocks) : await wholePlan(now, blocks, target, effects)
  const uploads: Uploads = { target, parallel, effects, onBytes: () => {} }
  const write = async (contents: Content[]) => {
    await uploadAll(contents, uploads)
    report.written.files += contents.length
    report.written.bytes += contents.reduce((sum, { size }) => sum + size, 0)
    progress('record files written', report.written.files, plan.rows.length + plan.blocks.length)
  }
  const writeState = (indexes: readonly Stored[]) =>
    uploadAll([bytesContent(RECORDS_STATE, encodeState(indexes))], uploads)

  await writeState(before ? [...earlier!.filter((one) => one.sha256 !== current.sha256), current] : [])
  for (const [shard, rows] of byShard(now, plan.rows)) {
    const bytes = readObject(dist, fileOf(manifest, 'cve', now.shards[shard]))
    await write(rows.map((row) => bytesContent(target.textPath(recordPath(idAt(now, row))), recordAt(bytes, now, row))))
  }
  for (let from = 0; from < plan.blocks.length; from += BLOCKS_AT_ONCE) {
    const some = plan.blocks.slice(from, from + BLOCKS_AT_ONCE)
    await write(
      some.map((block) => {
        const text = scoresText(now, blocks.get(block)!)
        return bytesContent(target.textPath(scoresPath(block)), gzipFile(Buffer.from(text)))
      }),
    )
  }
  await runParallel(plan.gone, parallel, (path, signal) =>
    transferring(path, effects, () => target.remove(target.textPath(path)), { signal }),
  )
  await writeState([current])
  return { ...report, removed: plan.gone.length }
}

interface Plan {
  /** Rows of the index with another record. */
  rows: number[]
  /** Blocks with other scores. */
  blocks: string[]
  /** Paths of files to remove. */
  gone: string[]
}

/** A file is unchanged if it is equal in all earlier snapshots: it may be of any of them. */
function planOf(before: readonly Index[], now: Index, blocks: Blocks): Plan {
  const [rows, gone, changed] = [new Set<number>(), new Set<string>(), new Set<string>()]
  for (const old of before) {
    for (const { id, newRow } of changesBetween(old, now)) {
      if (newRow < 0) gone.add(recordPath(id))
      else rows.add(newRow)
    }
    const oldBlocks = blocksOf(old)
    for (const block of oldBlocks.keys()) if (!blocks.has(block)) gone.add(scoresPath(block))
    for (const [block, span] of blocks) {
      const oldSpan = oldBlocks.get(block)
      if (!oldSpan || scoresText(old, oldSpan) !== scoresText(now, span)) changed.add(block)
    }
  }
  return { rows: [...rows].sort((a, b) => a - b), blocks: [...changed], gone: [...gone] }
}

/** Writes all files, and removes those that are no file of this snapshot. */
async function wholePlan(now: Index, blocks: Blocks, target: Target, effects: NetworkEffects): Promise<Plan> {
  const rows = Array.from({ length: now.count }, (_, row) => row)
  const wanted = new Set([...rows.map((row) => recordPath(idAt(now, row))), ...[...blocks.keys()].map(scoresPath)])
  const there = await transferring(RECORDS_FOLDER, effects, () => target.list(RECORDS_FOLDER))
  const paths = [...there.keys()]
    .map((path) => path.replace(/\.gz$/, ''))
    .filter((path) => isRecordFile(path) && there.has(target.textPath(path)))
  return { rows, blocks: [...blocks.keys()], gone: [...new Set(paths)].filter((path) => !wanted.has(path)) }
}

/** The rows of each block of ids, from `start` up to `end`. */
type Blocks = Map<string, { start: number; end: number }>

function blocksOf({ shards, shard, count }: Index): Blocks {
  const blocks: Blocks = new Map()
  for (let row = 0; row < count; row++) {
    const name = shards[shard[row]!]!
    const block = blocks.get(name)
    if (block) block.end = row + 1
    else blocks.set(name, { start: row, end: row + 1 })
  }
  return blocks
}

/** Returns the scores of a block as JSON; a CVE without a score is absent. */
function scoresText(index: Index, { start, end }: { start: number; end: number }): string {
  const scores: Record<CveId, [score: number, percentile: number]> = {}
  for (let row = start; row < end; row++) {
    const epss = epssAt(index.epss, row)
    if (epss) scores[idAt(index, row)] = [epss.score, epss.percentile]
  }
  return JSON.stringify({ date: index.epss.date, model_version: index.epss.modelVersion, scores })
}

function byShard({ shard }: Index, rows: readonly number[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const row of rows) {
    const group = groups.get(shard[row]!)
    if (group) group.push(row)
    else groups.set(shard[row]!, [row])
  }
  return groups
}

/** @throws SnapshotError `malformed` if the index does not lead to the member of its id */
function recordAt(shard: Buffer, index: Index, row: number): Buffer {
  const id = idAt(index, row)
  const [at, length] = [index.at[row]!, index.length[row]!]
  const bytes = shard.subarray(at, at + length)
  const head = decodeMemberHead(bytes)
  if (head.key !== id || head.length !== length || bytes.length !== length || parseCveId(id) !== id) {
    throw new SnapshotError('malformed', `the index does not lead to ${id} in cve ${cveBlock(id)}`)
  }
  return recordFile({ ...head, bytes })
}

/** Null if one cannot be read: `prune` may have removed it. */
async function readIndexes(
  dist: string,
  stored: readonly Stored[],
  target: Target,
  effects: NetworkEffects,
): Promise<Index[] | null> {
  if (stored.length === 0) return null
  const indexes: Index[] = []
  for (const one of stored) {
    const bytes = await readIndex(dist, one, target, effects)
    if (!bytes) return null
    indexes.push(decodeIndex(bytes))
  }
  return indexes
}

async function readIndex(
  dist: string,
  stored: Stored,
  target: Target,
  effects: NetworkEffects,
): Promise<Buffer | null> {
  try {
    return readStored(dist, stored, 'an earlier index')
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error
  }
  const bytes = await fileIn(target, objectName(stored.sha256), stored.size, effects)
  return bytes && sha256(bytes) === stored.sha256 ? bytes : null
}

async function fileIn(source: Target, path: string, most: number, effects: NetworkEffects): Promise<Buffer | null> {
  try {
    return await readFile(path, most, { source, effects })
  } catch (error) {
    if (error instanceof TransferError && (error.code === 'missing' || error.code === 'too_large')) return null
    throw error
  }
}

const encodeState = (indexes: readonly Stored[]) => Buffer.from(`${JSON.stringify({ format: FORMAT, indexes })}\n`)

/** Returns the indexes of the snapshots that the files are of; empty if that is unknown, null without a state. */
async function readState(target: Target, effects: NetworkEffects): Promise<Stored[] | null> {
  const bytes = await fileIn(target, RECORDS_STATE, MAX_STATE_BYTES, effects)
  if (!bytes) return null
  let state: unknown
  try {
    state = parseUntrustedJson(bytes.toString())
  } catch {
    return []
  }
  const { format, indexes } = (state ?? {}) as { format?: unknown; indexes?: unknown }
  const isKnown = format === FORMAT && Array.isArray(indexes) && indexes.length <= MAX_INDEXES
  return isKnown && indexes.every(isStored) ? indexes : []
}

const isStored = (value: unknown): value is Stored => {
  const { sha256, size } = (value ?? {}) as { sha256?: unknown; size?: unknown }
  const isDigest = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
  return isDigest && Number.isSafeInteger(size) && (size as number) >= 0 && (size as number) <= MAX_READ_BYTES
}
