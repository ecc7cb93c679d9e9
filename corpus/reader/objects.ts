/**
 * Reads the files of a repository, whole or in parts. It merges nearby parts into one request, and limits memory and the
 * number of concurrent requests.
 */
import {
  isThere,
  type ReadEffects,
  type Reading,
  readFile,
  readPart,
  type Span,
  supportsRanges,
} from '../repository/read.ts'
import type { Source } from '../repository/source.ts'
import { sha256 } from '../runtime/digest.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import { describe, type FileEntry, objectName, POINTER_NAME, SnapshotError } from '../snapshot/index.ts'
import { about, TransferError, type TransferErrorCode } from '../transfer/error.ts'

/** Each method throws SnapshotError or TransferError. */
export interface Objects {
  /** Returns a file of at most `most` bytes. The caller must verify it. */
  file(path: string, most: number): Promise<Buffer>
  /** Returns a complete object, verified against its digest. */
  whole(file: FileEntry): Promise<Buffer>
  /** Whether the repository has an object. */
  has(file: FileEntry): Promise<boolean>
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

/** Verifies whole files before parts of them are read, because a CRC gives no protection against forgery. */
export interface FileVerifier {
  /**
   * Returns where to read parts of a file that was verified as a whole.
   * @throws SnapshotError, TransferError
   */
  verified(file: FileEntry, reading: Reading): Promise<Reading>
  /** Removes temporary copies. */
  close(): Promise<void>
}

/**
 * Opens the objects of a snapshot. With `verify: 'in memory'`, parts come from whole files that are cached; without ranges
 * too.
 */
export function openObjects(
  source: Source,
  effects: ReadEffects,
  { verify }: { verify: FileVerifier | 'in memory' | null },
): Objects {
  const closed = new AbortController()
  const reading: Reading = { source, effects, signal: closed.signal }
  const inTurn = atMost(AT_ONCE)
  const kept = generationalCache<string, Buffer>(KEPT_BYTES, ({ length }) => length)
  const coming = new Map<string, Promise<Buffer>>()
  const proofs = new Map<string, Promise<Reading>>()
  const ranges = new Map<string, Promise<boolean>>()

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
    const path = objectName(file.sha256)
    // A copy that was verified is not downloaded again.
    const from = await verifiedReading(file)
    const bytes = await read(path, () => readFile(path, file.size, from))
    if (bytes.length !== file.size || sha256(bytes) !== file.sha256) throw otherDigest(file)
    return bytes
  }

  /** Returns where to read a file; with a verifier, after it was verified as a whole. */
  async function verifiedReading(file: FileEntry): Promise<Reading> {
    if (!isVerifier(verify)) return reading
    const prove = () => read(objectName(file.sha256), () => verify.verified(file, reading))
    return remembered(proofs, file.sha256, prove)
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

  return {
    file: fileOf,
    whole,
    has: ({ sha256 }) => read(objectName(sha256), () => isThere(objectName(sha256), reading)),
    async parts(file, spans) {
      for (const { at, length } of spans) {
        if (length > 0 && at + length <= file.size) continue
        throw new SnapshotError('malformed', `${describe(file)} has no ${length} bytes at byte ${at}`)
      }
      const path = objectName(file.sha256)
      const from = await verifiedReading(file)
      const askRanges = () => read(POINTER_NAME, () => supportsRanges(POINTER_NAME, reading))
      if (verify === 'in memory' || (verify === null && !(await remembered(ranges, source.name, askRanges)))) {
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
      if (isVerifier(verify)) await verify.close()
    },
  }
}

const isVerifier = (verify: FileVerifier | string | null): verify is FileVerifier =>
  typeof verify === 'object' && verify !== null

export const otherDigest = (file: FileEntry) =>
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

/** Returns the result of `work` that is stored under `key`. A failure is not stored, so the next caller retries. */
export function remembered<T>(results: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
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
