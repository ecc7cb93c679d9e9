/**
 * `vulnshelf-gateway mirror`: fetches and verifies pointer, manifest and missing objects, then replaces the pointer,
 * with its signatures. Until then the local snapshot stays. After a failure, the next run continues.
 */
import { join } from 'node:path'
import { replaceFile } from '../../corpus/command/effects.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { formatYears } from '../../corpus/model/values/years.ts'
import { keepNewest, type PruneReport } from '../../corpus/repository/prune.ts'
import { readFile } from '../../corpus/repository/read.ts'
import { knownManifest } from '../../corpus/repository/snapshots.ts'
import type { Source } from '../../corpus/repository/source.ts'
import {
  checkSignatures,
  decodeSubset,
  encodeSubset,
  isLeftOut,
  MAX_POINTER_BYTES,
  MAX_SUBSET_BYTES,
  manifestName,
  manifestPath,
  POINTER_NAME,
  pointerPath,
  readPointerBytes,
  readSubset,
  type SignatureVerdict,
  type Stored,
  SUBSET_NAME,
  type Subset,
  type TrustedKey,
  temporaryFolder,
} from '../../corpus/snapshot/index.ts'
import { TransferError } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { writeBundle } from './bundle.ts'
import { MirrorError } from './error.ts'
import { makeRoom, ownPointer, removeParts, takeFolder } from './folder.ts'
import { getMissing, missingOf } from './missing.ts'
import { bytesOf, type Sound } from './objects.ts'
import { pacer } from './pace.ts'
import { judgeManifest, judgePointer } from './trust.ts'

export interface MirrorOptions {
  dist: string
  /** One of them must have signed; null checks no signatures. */
  keys: readonly TrustedKey[] | null
  parallel?: number
  /** In total; null for no limit. */
  maxRate?: number | null
  maxBytes?: number
  /** Threads to derive files with; null fetches them. */
  derive?: number | null
  /** Copies only the records of these years; `all` copies everything. Default: what the folder has, else everything. */
  years?: Subset | 'all'
  /** Receives the difference to the local snapshot. */
  bundle?: string | null
  /** Includes this one; null keeps all. */
  keep?: number | null
  /** Verified by earlier runs of this process. */
  sound?: Sound
  /** Ends a run; partial objects stay. */
  signal?: AbortSignal
}

export interface MirrorReport {
  source: string
  snapshot: string
  version: number
  /** `not_checked` without keys, empty if unsigned. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
  changed: boolean
  /** Fetched objects and packs; files rebuilt with packs; derived files; existing files. */
  fetched: Tally
  made: Tally
  derived: Tally
  reused: Tally
  /** Null if not requested or nothing is new. */
  bundle: { file: string; bytes: number } | null
  /** The years that the folder has, such as `2024-`; null for all. */
  years: string | null
  /** Null if all snapshots are kept. */
  pruned: PruneReport['removed'] | null
  /** Over the network, including failed attempts. */
  received: number
  seconds: number
}

export interface Tally {
  files: number
  bytes: number
}

const PARALLEL = 6
const MAX_BYTES = 1e12

/** @throws MirrorError, SnapshotError or TransferError; then the local snapshot is unchanged */
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

/** Restarts with a new pointer, if the repository is updated, pruned or signed again during a copy. */
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
      return await readFile(POINTER_NAME, MAX_POINTER_BYTES, { source, effects, signal: options.signal })
    } catch (error) {
      if (!(error instanceof TransferError) || error.code !== 'missing') throw error
      throw new TransferError(
        'missing',
        `${source.name} has no snapshot: ${error.message}; use a repository that \`vulnshelf build\`, \`publish\` or \`mirror\` wrote`,
        { cause: error },
      )
    }
  }
  for (let moves = 0; ; moves++) {
    const bytes = await askForPointer()
    try {
      const copied = await copy(source, bytes, options, effects, (count, wanted) => {
        received += count
        progress('downloaded', Math.min(received, wanted), wanted, 'bytes')
      })
      return { ...copied, received, seconds: (effects.now().getTime() - started) / 1000 }
    } catch (error) {
      const isGone = error instanceof TransferError && error.code === 'missing'
      const isExpired = error instanceof MirrorError && error.code === 'expired'
      if (!(isGone || isExpired) || moves === MOST_MOVES || (await askForPointer()).equals(bytes)) {
        throw (isGone && (await leftOutOf(source, options, effects))) || error
      }
    }
  }
}

/** Returns the error of a source that is a partial mirror itself and lacks some of the wanted years; null for others. */
async function leftOutOf(
  source: Source,
  { dist, years, signal }: MirrorOptions,
  effects: NetworkEffects,
): Promise<MirrorError | null> {
  const stated = await readFile(SUBSET_NAME, MAX_SUBSET_BYTES, { source, effects, signal }).then(
    decodeSubset,
    () => null,
  )
  const wanted = wantedSubset(dist, years)
  if (!stated || (wanted && wanted.from >= stated.from && wanted.to <= stated.to)) return null
  const has = formatYears(stated)
  return new MirrorError(
    'usage',
    `${source.name} is a mirror with only the records of the years ${has}; use --years ${has}, or mirror a complete repository`,
  )
}

/** Returns the years to copy; null for all. */
const wantedSubset = (dist: string, years: MirrorOptions['years']): Subset | null =>
  years === 'all' ? null : (years ?? readSubset(dist))

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
  const known = knownManifest(dist, digest)?.bytes
  const manifestBytes = known ?? (await readFile(manifestName(digest), size, { source, effects, signal }))
  const manifest = judgeManifest(manifestBytes, pointer, maxBytes)

  const subset = wantedSubset(dist, options.years)
  if (subset) judgeSubset(subset, options)
  const files = manifest.files.filter((file) => !isLeftOut(subset, file))
  const { here, missing } = await missingOf(dist, files, sound)
  await makeRoom(dist, manifest, missing, effects)
  const transfers = { dist, source, effects, pace: pacer(maxRate, effects), parallel, signal }
  const came = await getMissing(manifest, missing, have, options.derive ?? null, transfers, onBytes)

  const isNew = !before?.equals(bytes)
  if (options.bundle && !isNew) effects.log(`no snapshot is new, so ${options.bundle} was not written`)
  const fresh = { pointer: bytes, manifestBytes, manifest, before: have, came }
  const write = (file: string) => writingTo(file, () => writeBundle(file, dist, fresh, judge, effects))
  const bundle = options.bundle && isNew ? await write(options.bundle) : null
  const staged = join(temporaryFolder(dist), 'put-up')
  if (!known) await replaceFile(manifestPath(dist, digest), manifestBytes, staged, effects)
  await keepSubset(dist, subset, staged, effects)
  if (isNew) {
    // It may have expired during the copy.
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
    years: subset && formatYears(subset),
    pruned,
  }
}

/** @throws MirrorError `usage` */
function judgeSubset(subset: Subset, { derive, bundle }: MirrorOptions): void {
  const needing = derive != null ? '--derive' : bundle != null ? '--bundle' : null
  if (needing === null) return
  throw new MirrorError(
    'usage',
    `${needing} needs all records, but this mirror has only those of the years ${formatYears(subset)}; use --years all, or leave out ${needing}`,
  )
}

/** Written when all files of the new subset are there, and before the pointer to a snapshot without the others. */
async function keepSubset(dist: string, subset: Subset | null, staged: string, effects: NetworkEffects): Promise<void> {
  const path = join(dist, SUBSET_NAME)
  const before = readSubset(dist)
  if (subset === null) {
    if (before) await effects.remove(path)
  } else if (!before || formatYears(before) !== formatYears(subset)) {
    await replaceFile(path, encodeSubset(subset), staged, effects)
  }
}

const tallyOf = (objects: readonly Stored[]): Tally => ({ files: objects.length, bytes: bytesOf(objects) })
