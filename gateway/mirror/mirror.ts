/**
 * `vulnshelf-gateway mirror`: pointer, trust, manifest, missing objects, and last the pointer, as it was received, with
 * its signatures. Until then the snapshot that is here stays; whatever happens on the way, the next run goes on from there.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lockFile } from '../../corpus/command/lock.ts'
import type { Progress } from '../../corpus/command/progress.ts'
import { sha256 } from '../../corpus/snapshot/digest.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import {
  describe,
  describePack,
  manifestName,
  manifestPath,
  POINTER_NAME,
  pointerPath,
  readManifestBytes,
  readPointerBytes,
  temporaryFolder,
} from '../../corpus/snapshot/layout.ts'
import { decodeManifest, type FileEntry, MAX_MANIFEST_BYTES, type Manifest } from '../../corpus/snapshot/manifest.ts'
import { decodePointer, MAX_POINTER_BYTES, type Pointer } from '../../corpus/snapshot/pointer.ts'
import { signersOf, type TrustedKey } from '../../corpus/snapshot/signature.ts'
import { about, TransferError, type TransferErrorCode } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { withRetries } from '../../corpus/transfer/retry.ts'
import { type Link, linksTo, makeFromPacks } from './deltas.ts'
import { MirrorError } from './error.ts'
import { type Fetching, fetchObject, isHere, objectOfPart, type Sound, type Stored } from './objects.ts'
import { pacer } from './pace.ts'
import { readWhole, type Source } from './source.ts'
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
  /** What earlier runs of this process found sound. */
  sound?: Sound
  /** Ends a run; what has arrived stays. */
  signal?: AbortSignal
}

export interface MirrorReport {
  source: string
  snapshot: string
  version: number
  /** Ids of the keys that the pointer says to be signed with. */
  signedBy: string[]
  expiresAt: string | null
  /** Whether another snapshot than before is here now. */
  changed: boolean
  /** Objects that came, delta packs among them; files that were made with these; and files that were here already. */
  fetched: { files: number; bytes: number }
  made: { files: number; bytes: number }
  reused: { files: number; bytes: number }
  /** Bytes that came over the wire for files, those of attempts that failed included. */
  received: number
  seconds: number
}

const PARALLEL = 6
const MAX_BYTES = 1e12
/** What a disk should have left beside what is fetched. */
const SPARE_BYTES = 64e6

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
  const { dist } = options
  assertDist(dist)
  await effects.mkdir(temporaryFolder(dist))
  const unlock = lock(dist)
  try {
    return await mirrorInto(source, options, effects, progress)
  } finally {
    unlock()
  }
}

/** A repository may move on while it is copied, and be pruned: then its next pointer leads to what is there. */
const MOST_MOVES = 5

async function mirrorInto(
  source: Source,
  options: MirrorOptions,
  effects: NetworkEffects,
  progress: Progress,
): Promise<MirrorReport> {
  const started = effects.now().getTime()
  let received = 0
  const askForPointer = () => askFor(source, POINTER_NAME, MAX_POINTER_BYTES, effects)
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
      if (!isGone || moves === MOST_MOVES || (await askForPointer()).equals(bytes)) throw error
    }
  }
}

/** Copies what a pointer names, and puts it up. */
async function copy(
  source: Source,
  bytes: Buffer,
  { dist, keys, parallel = PARALLEL, maxRate = null, maxBytes = MAX_BYTES, sound = new Map(), signal }: MirrorOptions,
  effects: NetworkEffects,
  onBytes: (bytes: number, wanted: number) => void,
): Promise<Omit<MirrorReport, 'received' | 'seconds'>> {
  const before = readPointerBytes(dist)
  const have = before && ownPointer(before, dist)
  const pointer = await judgePointer(bytes, { keys, have, now: effects.now() })
  const { sha256: digest, size } = pointer.manifest
  const known = knownManifest(dist, digest)
  const manifestBytes = known ?? (await askFor(source, manifestName(digest), size, effects))
  const manifest = judgeManifest(manifestBytes, pointer, maxBytes)

  const { here, missing } = await sorted(dist, manifest, sound)
  await assertRoom(dist, bytesOf(missing))
  const transfers = { dist, source, effects, pace: pacer(maxRate, effects), parallel, signal }
  const links = have ? await worthwhileLinks(manifest, missing, have, transfers) : []
  const packBytes = bytesOf(links.map(({ pack }) => pack))
  const made = await madeFromPacks(links, missing, transfers, (count) => onBytes(count, packBytes))
  const rest = missing.filter(({ sha256 }) => !made.has(sha256))
  const wanted = packBytes + bytesOf(rest)
  const named = rest.map((file) => ({ object: file, name: describe(file) }))
  await fetchAll(named, transfers, (count) => onBytes(count, wanted))

  if (!known) await put(manifestPath(dist, digest), manifestBytes, dist, effects)
  if (!before?.equals(bytes)) await put(pointerPath(dist), bytes, dist, effects)
  await removeParts(dist, effects)
  return {
    source: source.name,
    snapshot: pointer.snapshot,
    version: pointer.version,
    signedBy: signersOf(bytes),
    expiresAt: pointer.expires_at ?? null,
    changed: have?.snapshot !== pointer.snapshot,
    fetched: { files: links.length + rest.length, bytes: wanted },
    made: { files: missing.length - rest.length, bytes: bytesOf(missing) - bytesOf(rest) },
    reused: { files: here.length, bytes: bytesOf(here) },
  }
}

/** Each object of a snapshot once; of what is missing the largest first, for what takes longest should not begin last. */
async function sorted(
  dist: string,
  { files }: Manifest,
  sound: Sound,
): Promise<{ here: FileEntry[]; missing: FileEntry[] }> {
  const [here, missing]: [FileEntry[], FileEntry[]] = [[], []]
  for (const file of new Map(files.map((file) => [file.sha256, file])).values()) {
    if (await isHere(dist, file, sound)) here.push(file)
    else missing.push(file)
  }
  return { here, missing: missing.sort((a, b) => b.size - a.size) }
}

const bytesOf = (files: readonly Stored[]) => files.reduce((sum, { size }) => sum + size, 0)

/** What leads from the snapshot that is here to the one that is wanted; nothing where whole objects are less. */
async function worthwhileLinks(
  manifest: Manifest,
  missing: readonly FileEntry[],
  have: Pointer,
  { dist, source, effects }: Transfers,
): Promise<Link[]> {
  const worth = bytesOf(missing.filter(({ role }) => role === 'cve' || role === 'catalog'))
  if (worth === 0 || have.snapshot === manifest.snapshot) return []
  const manifestOf = async (digest: string) => {
    const known = knownManifest(dist, digest)
    if (known) return { manifest: decodeManifest(known), cost: 0 }
    const bytes = await askFor(source, manifestName(digest), MAX_MANIFEST_BYTES, effects)
    if (sha256(bytes) !== digest) throw new SnapshotError('digest', `the manifest ${digest} has another digest`)
    return { manifest: decodeManifest(bytes), cost: bytes.length }
  }
  try {
    return (await linksTo(manifest, have.manifest.sha256, worth, manifestOf)) ?? []
  } catch (error) {
    withoutPacks(error, effects)
    return []
  }
}

/** Fetches the packs, and makes with them what is missing, as far as they lead; gives the digests of that. */
async function madeFromPacks(
  links: readonly Link[],
  missing: readonly FileEntry[],
  transfers: Transfers,
  onBytes: (bytes: number) => void,
): Promise<Set<string>> {
  const { dist, effects } = transfers
  const packs = links.map(({ pack }) => ({ object: pack, name: describePack(pack) }))
  const wanted = new Set(missing.map(({ sha256 }) => sha256))
  const made = new Set<string>()
  try {
    await fetchAll(packs, transfers, onBytes)
    await makeFromPacks(links, wanted, made, dist, effects)
  } catch (error) {
    withoutPacks(error, effects)
  }
  return made
}

/** What is wrong with a file that is offered, and not with the way to it. */
const WRONG_FILE: readonly TransferErrorCode[] = ['missing', 'refused', 'digest', 'cut', 'restart', 'too_large']

/** Packs spare bytes; where they are missing or damaged, objects come whole. */
function withoutPacks(error: unknown, effects: NetworkEffects): void {
  const isTheirs = error instanceof SnapshotError || (error instanceof TransferError && WRONG_FILE.includes(error.code))
  if (!isTheirs) throw error
  effects.log(`delta packs are of no use, so files are fetched whole: ${error.message}`)
}

/** @throws MirrorError: what cannot be read cannot tell what would be a step back */
function ownPointer(bytes: Buffer, dist: string): Pointer {
  try {
    return decodePointer(bytes)
  } catch (cause) {
    if (!(cause instanceof SnapshotError)) throw cause
    throw new MirrorError(
      'unusable',
      `${dist} is damaged: ${cause.message}; restore it, or mirror into another folder`,
      { cause },
    )
  }
}

/** A small file, asked for again where that may help. */
async function askFor(source: Source, path: string, most: number, effects: NetworkEffects): Promise<Buffer> {
  const onWait = ({ message }: Error, ms: number) =>
    effects.log(`${path}: ${message}; asking again in ${Math.ceil(ms / 1000)} s`)
  try {
    return await withRetries(effects, () => readWhole(source, path, most), { onWait })
  } catch (error) {
    throw about(path, error)
  }
}

/** The bytes of a manifest where it is here already, and sound. */
function knownManifest(dist: string, sha256: string): Buffer | null {
  try {
    return readManifestBytes(dist, sha256)
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

interface Transfers extends Omit<Fetching, 'signal' | 'onBytes'> {
  parallel: number
  signal: AbortSignal | undefined
}

async function fetchAll(
  wanted: readonly { object: Stored; name: string }[],
  { parallel, signal: ended, ...transfers }: Transfers,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const stop = new AbortController()
  const signal = ended ? AbortSignal.any([stop.signal, ended]) : stop.signal
  const fetching = { ...transfers, signal, onBytes }
  const left = wanted.values()
  let failure: unknown = null
  const work = async () => {
    for (const { object, name } of left) {
      try {
        await fetchObject(object, name, fetching)
      } catch (error) {
        failure ??= error
        stop.abort(new Error('another transfer has failed'))
        return
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  if (failure !== null) throw failure
}

async function put(path: string, bytes: Uint8Array, dist: string, effects: NetworkEffects): Promise<void> {
  const staged = join(temporaryFolder(dist), 'put-up')
  await effects.mkdir(dirname(path))
  await effects.write(staged, bytes)
  await effects.rename(staged, path)
}

/** What was begun for snapshots that were never completed is not needed any more. */
async function removeParts(dist: string, effects: NetworkEffects): Promise<void> {
  for (const name of await readdir(temporaryFolder(dist))) {
    if (objectOfPart(name) !== null) await effects.remove(join(temporaryFolder(dist), name))
  }
}

async function assertRoom(dist: string, bytes: number): Promise<void> {
  if (bytes === 0) return
  const { bavail, bsize } = await statfs(dist)
  const free = bavail * bsize
  if (bytes + SPARE_BYTES <= free) return
  throw new MirrorError('no_space', `${bytes} bytes are to be fetched, and the disk of ${dist} has ${free} left`)
}

/** A folder of somebody else's files is not mirrored into. */
function assertDist(dist: string): void {
  const stat = statSync(dist, { throwIfNoEntry: false })
  if (!stat) return
  if (!stat.isDirectory()) throw new MirrorError('unusable', `${dist} is a file: a mirror takes a folder`)
  const names = readdirSync(dist)
  if (names.length > 0 && !names.some((name) => name === 'latest.json' || name === 'lock' || name === 'tmp')) {
    throw new MirrorError('unusable', `${dist} holds other files (${names[0]}): a mirror takes a folder of its own`)
  }
}

function lock(dist: string): () => void {
  let unlock: (() => void) | null
  try {
    mkdirSync(dist, { recursive: true })
    unlock = lockFile(join(dist, 'lock'))
  } catch (cause) {
    throw new MirrorError('unusable', `${dist} cannot be written to: ${(cause as Error).message}`, { cause })
  }
  if (unlock) return unlock
  throw new MirrorError('busy', `another mirror or build is writing to ${dist}; wait for it`)
}
