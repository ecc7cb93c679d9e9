/**
 * Reads the files of a repository, whole or in parts. It merges nearby parts into one request, and limits memory and the
 * number of concurrent requests.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloadObject } from '../repository/download.ts'
import { folderSource } from '../repository/folder-source.ts'
import { type Reading, readFile, readPart, type Span, supportsRanges } from '../repository/read.ts'
import type { Source } from '../repository/source.ts'
import { sha256 } from '../runtime/digest.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  describe,
  type FileEntry,
  objectName,
  POINTER_NAME,
  SnapshotError,
  temporaryFolder,
} from '../snapshot/index.ts'
import { about, TransferError, type TransferErrorCode } from '../transfer/error.ts'
import type { NetworkEffects } from '../transfer/network.ts'

/** Each method throws SnapshotError or TransferError. */
export interface Objects {
  /** Returns a file of at most `most` bytes. The caller must verify it. */
  file(path: string, most: number): Promise<Buffer>
  /** Returns a complete object, verified against its digest. */
  whole(file: FileEntry): Promise<Buffer>
  /** Returns the bytes of each span of an object. The caller must verify them. */
  parts(file: FileEntry, spans: readonly Span[]): Promise<Buffer[]>
  /** Ends all reads, and removes temporary copies. */
  close(): Promise<void>
}

/**
 * Cache size for whole objects, if the server does not support ranges. An object larger than half of it is not cached.
 * The pages of a sort are about 50 MB at 350,000 CVEs.
 */
const KEPT_BYTES = 128 * 1024 * 1024

/** Maximum size of an object. No real file of a snapshot is larger, so a larger size comes from a false manifest. */
const MOST_BYTES = 512 * 1024 * 1024

/** Maximum gap between two merged parts. Reading it takes less time than another request. */
const GAP_BYTES = 8 * 1024

/** Maximum concurrent requests. */
const AT_ONCE = 6

/**
 * Opens the objects of a snapshot. With `proven`, parts are read only from files that were verified as a whole, because
 * a CRC gives no protection against forgery. Files of another machine are then copied into a temporary folder.
 */
export function openObjects(source: Source, effects: NetworkEffects, { proven }: { proven: boolean }): Objects {
  const closed = new AbortController()
  const reading: Reading = { source, effects, signal: closed.signal }
  const inTurn = atMost(AT_ONCE)
  const kept = generationalCache<string, Buffer>(KEPT_BYTES, ({ length }) => length)
  const coming = new Map<string, Promise<Buffer>>()
  const proofs = new Map<string, Promise<Reading>>()
  const ranges = new Map<string, Promise<boolean>>()
  const copies = new Map<string, Promise<string>>()

  const read = <T>(path: string, work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      try {
        return await work()
      } catch (error) {
        throw closed.signal.aborted ? closed.signal.reason : faultOf(source, path, error)
      }
    })

  const fileOf = (path: string, most: number) => read(path, () => readFile(path, most, reading))

  async function whole(file: FileEntry): Promise<Buffer> {
    if (file.size > MOST_BYTES)
      throw new SnapshotError('malformed', `${describe(file)} has more than ${MOST_BYTES} bytes`)
    const bytes = await fileOf(objectName(file.sha256), file.size)
    if (bytes.length !== file.size || sha256(bytes) !== file.sha256) throw otherDigest(file)
    return bytes
  }

  /** Returns a whole object. Concurrent callers share one download. */
  async function cached(file: FileEntry): Promise<Buffer> {
    const { sha256 } = file
    const known = kept.get(sha256)
    if (known) return known
    const bytes = await remembered(coming, sha256, () => whole(file).finally(() => coming.delete(sha256)))
    kept.set(sha256, bytes)
    return bytes
  }

  /** Verifies an object as a whole, and returns where to read parts of it. */
  async function proofOf(file: FileEntry): Promise<Reading> {
    if (!source.isLocal) {
      const dist = await remembered(copies, source.name, () => copiesFolder(effects))
      await downloadObject(file, describe(file), { ...reading, dist })
      return { ...reading, source: folderSource(dist) }
    }
    const digest = createHash('sha256')
    // One more byte, to detect longer files.
    const { bytes } = await source.open(objectName(file.sha256), 0, file.size + 1)
    for await (const chunk of bytes) digest.update(chunk)
    if (digest.digest('hex') !== file.sha256) throw otherDigest(file)
    return reading
  }

  return {
    file: fileOf,
    whole,
    async parts(file, spans) {
      for (const { at, length } of spans) {
        if (length > 0 && at + length <= file.size) continue
        throw new SnapshotError('malformed', `${describe(file)} has no ${length} bytes at byte ${at}`)
      }
      const path = objectName(file.sha256)
      const from = proven ? await remembered(proofs, file.sha256, () => read(path, () => proofOf(file))) : reading
      const askRanges = () => read(POINTER_NAME, () => supportsRanges(POINTER_NAME, reading))
      if (!proven && !(await remembered(ranges, source.name, askRanges))) {
        const bytes = await cached(file)
        return spans.map(({ at, length }) => bytes.subarray(at, at + length))
      }
      const parts: Buffer[] = []
      const readRun = async (run: Run) => {
        const bytes = await read(path, () => readPart(path, run, file.size, from))
        for (const i of run.spans) {
          const start = spans[i]!.at - run.at
          parts[i] = bytes.subarray(start, start + spans[i]!.length)
        }
      }
      await Promise.all(runsOf(spans, GAP_BYTES).map(readRun))
      return parts
    },
    async close() {
      closed.abort(new TransferError('unusable', `the reader of ${source.name} is closed`))
      await source.close()
      // A folder that could not be made has already been reported.
      for (const folder of copies.values())
        await folder.then((dist) => rm(dist, { recursive: true, force: true })).catch(() => {})
    },
  }
}

const otherDigest = (file: FileEntry) =>
  new SnapshotError('digest', `${describe(file)} is damaged: its digest differs from its name`)

const OTHER_FILE: readonly TransferErrorCode[] = ['too_large', 'digest']
/** Errors of a local file that is too short. */
const SHORT_FILE: readonly TransferErrorCode[] = ['cut', 'restart']

/** Returns a SnapshotError if the repository lacks a file, or has another one; else the error of the transfer. */
function faultOf({ name, isLocal }: Source, path: string, error: unknown): unknown {
  if (!(error instanceof TransferError)) return error
  const { code, message } = error
  if (code === 'missing') return new SnapshotError('missing', `${path} is missing in ${name}`, { cause: error })
  const isOther = OTHER_FILE.includes(code) || (isLocal && SHORT_FILE.includes(code))
  return isOther ? new SnapshotError('digest', message, { cause: error }) : about(name, error)
}

/** Makes a temporary folder with the layout of a `dist`. */
async function copiesFolder(effects: NetworkEffects): Promise<string> {
  const dist = await mkdtemp(join(tmpdir(), 'vulnshelf-reader-'))
  await effects.mkdir(temporaryFolder(dist))
  return dist
}

/** Returns the result of `work` that is stored under `key`. A failure is not stored, so the next caller retries. */
function remembered<T>(results: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = results.get(key)
  if (known) return known
  const result = work()
  results.set(key, result)
  result.catch(() => results.delete(key))
  return result
}

/** Limits concurrent work to `most`. The others wait in FIFO order. */
function atMost(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < most) running++
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // Passes the slot to the first in the queue.
      if (next) next()
      else running--
    }
  }
}

/** A span that covers others. `spans` are their positions in the input. */
export interface Run extends Span {
  spans: number[]
}

/** Merges spans with gaps of at most `gap` bytes. Returns the runs in ascending order. */
export function runsOf(spans: readonly Span[], gap: number): Run[] {
  const ascending = [...spans.keys()].sort((a, b) => spans[a]!.at - spans[b]!.at)
  const runs: Run[] = []
  for (const i of ascending) {
    const { at, length } = spans[i]!
    const last = runs.at(-1)
    if (last && at <= last.at + last.length + gap) {
      last.length = Math.max(last.length, at + length - last.at)
      last.spans.push(i)
    } else runs.push({ at, length, spans: [i] })
  }
  return runs
}
