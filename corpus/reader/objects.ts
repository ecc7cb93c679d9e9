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
  readParts,
  type Span,
} from '../repository/read.ts'
import type { Source } from '../repository/source.ts'
import { sha256 } from '../runtime/digest.ts'
import { generationalCache } from '../runtime/generational-cache.ts'
import { remembered } from '../runtime/remembered.ts'
import {
  decodeSubset,
  describe,
  type FileEntry,
  isLeftOut,
  leftOutError,
  MAX_SUBSET_BYTES,
  objectName,
  SnapshotError,
  SUBSET_NAME,
  type Subset,
} from '../snapshot/index.ts'
import type { FileParts } from '../snapshot/ranges/file-parts.ts'
import { about, TransferError, type TransferErrorCode } from '../transfer/error.ts'

export interface Objects extends FileParts {
  /** Ends all reads, and removes temporary copies. */
  close(): Promise<void>
}

/**
 * Cache size for whole objects, if the server does not support ranges. An object larger than half of it is kept until the
 * next such object: the search database of 350,000 CVEs, of which a search reads many parts.
 * The pages of a sort are about 50 MB at 350,000 CVEs.
 */
const KEPT_BYTES = 128 * 1024 * 1024

/** Maximum size of an object. No real file of a snapshot is larger, so a larger size comes from a false manifest. */
const MOST_BYTES = 512 * 1024 * 1024

/** Maximum gap between two merged parts. Reading it takes less time than another request. */
const GAP_BYTES = 8 * 1024

/** Maximum concurrent requests. */
const AT_ONCE = 6

/** Maximum parts of one request: its header has about 2 KB. Servers accept 8 KB. */
const PARTS_AT_ONCE = 100

/** Bytes of complete objects, such as tables: received, and to receive in total. Retries can decrease `loaded`. */
export interface Progress {
  loaded: number
  total: number
}

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
  {
    verify,
    onProgress = () => {},
  }: { verify: FileVerifier | 'in memory' | null; onProgress?: ((progress: Progress) => void) | undefined },
): Objects {
  const closed = new AbortController()
  const reading: Reading = { source, effects, signal: closed.signal }
  const inTurn = atMost(AT_ONCE)
  const kept = generationalCache<string, Buffer>(KEPT_BYTES, ({ length }) => length)
  let large: { sha256: string; bytes: Buffer } | null = null
  const coming = new Map<string, Promise<Buffer>>()
  const proofs = new Map<string, Promise<Reading>>()
  /** False after the server has sent a whole file instead of a part, or has not sent several parts at once. */
  let hasRanges = true
  let hasManyRanges: boolean | null = null
  const progress: Progress = { loaded: 0, total: 0 }

  const read = <T>(path: string, work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      try {
        return await work()
      } catch (error) {
        throw closed.signal.aborted ? closed.signal.reason : faultOf(source, path, error)
      }
    })

  const fileOf = (path: string, most: number) => read(path, () => readFile(path, most, reading))

  const keptBytes = ({ sha256 }: FileEntry) => kept.get(sha256) ?? (large?.sha256 === sha256 ? large.bytes : undefined)

  let subset: Promise<Subset | null> | null = null
  const readSubset = async (): Promise<Subset | null> => {
    try {
      return decodeSubset(await fileOf(SUBSET_NAME, MAX_SUBSET_BYTES))
    } catch (error) {
      if (error instanceof SnapshotError && error.code === 'missing') return null
      throw error
    }
  }

  /** A partial mirror states which files it does not have. The statement is read when one is missing. */
  async function orLeftOut<T>(file: FileEntry, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof SnapshotError) || error.code !== 'missing') throw error
      subset ??= readSubset()
      const stated = await subset.catch(() => null)
      if (!stated || !isLeftOut(stated, file)) throw error
      throw leftOutError(stated, file)
    }
  }

  async function whole(file: FileEntry): Promise<Buffer> {
    const known = keptBytes(file)
    if (known) return known
    if (file.size > MOST_BYTES)
      throw new SnapshotError('malformed', `${describe(file)} has more than ${MOST_BYTES} bytes`)
    const path = objectName(file.sha256)
    // A copy that was verified is not downloaded again.
    const from = await verifiedReading(file)
    const bytes = await read(path, () => watched(file.size, (onBytes) => readFile(path, file.size, from, onBytes)))
    if (bytes.length !== file.size || sha256(bytes) !== file.sha256) throw otherDigest(file)
    // Parts would download it again.
    if (!hasRanges) keep(file, bytes)
    return bytes
  }

  function keep({ sha256 }: FileEntry, bytes: Buffer): void {
    if (bytes.length > KEPT_BYTES / 2) large = { sha256, bytes }
    else kept.set(sha256, bytes)
  }

  /** Reports the bytes of a file of `size` bytes while `work` receives them. */
  async function watched<T>(size: number, work: (onBytes: (received: number) => void) => Promise<T>): Promise<T> {
    let loaded = 0
    const report = (received: number) => {
      progress.loaded += received - loaded
      loaded = received
      onProgress({ ...progress })
    }
    progress.total += size
    try {
      return await work(report)
    } catch (error) {
      progress.total -= size
      report(0)
      throw error
    }
  }

  /** Returns the bytes of runs; null if the server does not support ranges. */
  async function readRuns(file: FileEntry, runs: readonly Run[], from: Reading): Promise<Buffer[] | null> {
    const path = objectName(file.sha256)
    if (runs.length > 1 && from.source.readSpans && hasManyRanges !== false) {
      const groups = Array.from({ length: Math.ceil(runs.length / PARTS_AT_ONCE) }, (_, group) =>
        runs.slice(group * PARTS_AT_ONCE, (group + 1) * PARTS_AT_ONCE),
      )
      const found = await Promise.all(groups.map((group) => read(path, () => readParts(path, group, from))))
      const parts = found.flatMap((group) => group ?? [])
      hasManyRanges = parts.length === runs.length
      if (hasManyRanges) return parts
    }
    const parts = await Promise.all(runs.map((run) => read(path, () => readPart(path, run, file.size, from))))
    return parts.includes(null) ? null : (parts as Buffer[])
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
    const bytes = await remembered(coming, sha256, () => whole(file).finally(() => coming.delete(sha256)))
    keep(file, bytes)
    return bytes
  }

  async function parts(file: FileEntry, spans: readonly Span[]): Promise<Buffer[]> {
    for (const { at, length } of spans) {
      if (at >= 0 && length > 0 && at + length <= file.size) continue
      throw new SnapshotError('malformed', `${describe(file)} has no ${length} bytes at byte ${at}`)
    }
    const from = await verifiedReading(file)
    const runs = runsOf(spans, GAP_BYTES)
    const read = verify !== 'in memory' && hasRanges ? await readRuns(file, runs, from) : null
    if (read === null) {
      hasRanges = false
      const bytes = await cached(file)
      return spans.map(({ at, length }) => bytes.subarray(at, at + length))
    }
    const found: Buffer[] = []
    runs.forEach((run, number) => {
      for (const i of run.spans) {
        const start = spans[i]!.at - run.at
        found[i] = read[number]!.subarray(start, start + spans[i]!.length)
      }
    })
    return found
  }

  return {
    file: fileOf,
    whole: (file) => orLeftOut(file, whole(file)),
    has: ({ sha256 }) => read(objectName(sha256), () => isThere(objectName(sha256), reading)),
    parts: (file, spans) => orLeftOut(file, parts(file, spans)),
    takesManyRanges: () => hasManyRanges === true && !source.isLocal && verify === null,
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
  const { code } = error
  if (code === 'missing') return new SnapshotError('missing', `${path} is missing in ${name}`, { cause: error })
  const named = about(name, error) as TransferError
  const isOther = OTHER_FILE.includes(code) || (isLocal && SHORT_FILE.includes(code))
  return isOther ? new SnapshotError('digest', named.message, { cause: error }) : named
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
