/**
 * `vulnshelf-gateway mirror`: pointer, trust, manifest, missing objects, and last the pointer, as it was received, with
 * its signatures. Until then the snapshot that is here stays; whatever happens on the way, the next run goes on from there.
 */
import { join } from 'node:path'
import { replaceFile } from '../../corpus/command/effects.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { keepNewest, type PruneReport } from '../../corpus/repository/prune.ts'
import {
  manifestName,
  manifestPath,
  POINTER_NAME,
  pointerPath,
  readPointerBytes,
  temporaryFolder,
} from '../../corpus/snapshot/layout.ts'
import type { Stored } from '../../corpus/snapshot/manifest.ts'
import { MAX_POINTER_BYTES } from '../../corpus/snapshot/pointer.ts'
import { checkSignatures, type SignatureVerdict, type TrustedKey } from '../../corpus/snapshot/signature.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { writeBundle } from './bundle.ts'
import { MirrorError } from './error.ts'
import { knownManifest, makeRoom, ownPointer, removeParts, takeFolder } from './folder.ts'
import { getMissing, missingOf } from './missing.ts'
import { bytesOf, type Sound } from './objects.ts'
import { pacer } from './pace.ts'
import type { Source } from './source.ts'
import { askFor } from './transfers.ts'
import { judgeManifest, judgePointer } from './trust.ts'

export interface MirrorOptions {
  dist: string
  /** Keys of which one must have signed; null believes whoever answers. */
  keys: readonly TrustedKey[] | null
  /** Transfers at once. */
  parallel?: number
  /** Bytes per second of all of them; null for no bound. */
  maxRate?: number | null
  /** A larger snapshot is refused. */
  maxBytes?: number
  /** Makes what is derived with so many threads instead of fetching it; null fetches it. */
  derive?: number | null
  /** Where to write, as one file, what is new since the snapshot that is here; null writes none. */
  bundle?: string | null
  /** How many snapshots to keep, with this one; null keeps all. */
  keep?: number | null
  /** What earlier runs of this process found sound. */
  sound?: Sound
  /** Ends a run; what has arrived stays. */
  signal?: AbortSignal
}

export interface MirrorReport {
  source: string
  snapshot: string
  version: number
  /** The signatures of the pointer: `not_checked` without keys, empty when it is unsigned. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
  /** Whether another snapshot than before is here now. */
  changed: boolean
  /**
   * Objects that came, delta packs among them; files that were made with these, or derived here; and those that were here
   * already.
   */
  fetched: Tally
  made: Tally
  derived: Tally
  reused: Tally
  /** What was written for others to carry; null where there was nothing new, or nobody asked. */
  bundle: { file: string; bytes: number } | null
  /** What was removed of older snapshots. */
  pruned: PruneReport['removed'] | null
  /** Bytes that came over the wire for files, those of attempts that failed included. */
  received: number
  seconds: number
}

export interface Tally {
  files: number
  bytes: number
}

const PARALLEL = 6
const MAX_BYTES = 1e12

/**
 * Makes `dist` a copy of what the source puts up.
 * @throws MirrorError, SnapshotError or TransferError; then what was here is as it was
 */
export async function mirror(
  source: Source,
  options: MirrorOptions,
  effects: NetworkEffects,
  progress: Progress,
): Promise<MirrorReport> {
  const unlock = await takeFolder(options.dist, effects)
  try {
    return await writingTo(options.dist, () => mirrorInto(source, options, effects, progress))
  } finally {
    unlock()
  }
}

/** A repository may move on while it is copied, be pruned or signed again: then its next pointer leads to what is there. */
const MOST_MOVES = 5

async function mirrorInto(
  source: Source,
  options: MirrorOptions,
  effects: NetworkEffects,
  progress: Progress,
): Promise<MirrorReport> {
  const started = effects.now().getTime()
  let received = 0
  const askForPointer = async () => {
    try {
      return await askFor(POINTER_NAME, MAX_POINTER_BYTES, { source, effects, signal: options.signal })
    } catch (error) {
      if (!(error instanceof TransferError) || error.code !== 'missing') throw error
      throw new TransferError(
        'missing',
        `there is no snapshot at ${source.name}: ${error.message}; name what \`vulnshelf build\`, \`publish\` or \`mirror\` has written`,
        { cause: error },
      )
    }
  }
  for (let moves = 0; ; moves++) {
    const bytes = await askForPointer()
    try {
      const copied = await copy(source, bytes, options, effects, (count, wanted) => {
        received += count
        progress('bytes', Math.min(received, wanted), wanted)
      })
      return { ...copied, received, seconds: (effects.now().getTime() - started) / 1000 }
    } catch (error) {
      const isGone = error instanceof TransferError && error.code === 'missing'
      const isExpired = error instanceof MirrorError && error.code === 'expired'
      if (!(isGone || isExpired) || moves === MOST_MOVES || (await askForPointer()).equals(bytes)) throw error
    }
  }
}

/** Copies what a pointer names, and puts it up. */
async function copy(
  source: Source,
  bytes: Buffer,
  options: MirrorOptions,
  effects: NetworkEffects,
  onBytes: (bytes: number, wanted: number) => void,
): Promise<Omit<MirrorReport, 'received' | 'seconds'>> {
  const { dist, keys, parallel = PARALLEL, maxRate = null, maxBytes = MAX_BYTES, sound = new Map(), signal } = options
  const before = readPointerBytes(dist)
  const have = before && ownPointer(before, dist)
  const judge = () => judgePointer(bytes, { keys, have, now: effects.now() })
  const pointer = await judge()
  const { sha256: digest, size } = pointer.manifest
  const known = knownManifest(dist, digest)
  const manifestBytes = known ?? (await askFor(manifestName(digest), size, { source, effects, signal }))
  const manifest = judgeManifest(manifestBytes, pointer, maxBytes)

  const { here, missing } = await missingOf(dist, manifest, sound)
  await makeRoom(dist, manifest, missing, effects)
  const transfers = { dist, source, effects, pace: pacer(maxRate, effects), parallel, signal }
  const came = await getMissing(manifest, missing, have, options.derive ?? null, transfers, onBytes)

  const isNew = !before?.equals(bytes)
  if (options.bundle && !isNew) effects.log(`nothing is new since the last time, so ${options.bundle} is not written`)
  const fresh = { pointer: bytes, manifestBytes, manifest, before: have, came }
  const write = (file: string) => writingTo(file, () => writeBundle(file, dist, fresh, judge, effects))
  const bundle = options.bundle && isNew ? await write(options.bundle) : null
  const staged = join(temporaryFolder(dist), 'put-up')
  if (!known) await replaceFile(manifestPath(dist, digest), manifestBytes, staged, effects)
  if (isNew) {
    // It may have expired since the copy began.
    await judge()
    await replaceFile(pointerPath(dist), bytes, staged, effects)
  }
  await removeParts(dist, effects)
  const pruned = options.keep ? (await keepNewest(dist, options.keep, effects)).removed : null
  return {
    source: source.name,
    snapshot: pointer.snapshot,
    version: pointer.version,
    signatures: await checkSignatures(bytes, keys, effects.now()),
    expiresAt: pointer.expires_at ?? null,
    changed: have?.snapshot !== pointer.snapshot,
    fetched: tallyOf([...came.fetchedPacks, ...came.whole]),
    made: tallyOf(came.made),
    derived: tallyOf(came.derived),
    reused: tallyOf(here),
    bundle,
    pruned,
  }
}

const tallyOf = (objects: readonly Stored[]): Tally => ({ files: objects.length, bytes: bytesOf(objects) })
