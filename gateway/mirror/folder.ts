/** The folder that a mirror keeps: whether it may, one at a time, what is there, and what is left behind. */
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Effects } from '../../corpus/command/effects.ts'
import { lockFile } from '../../corpus/command/lock.ts'
import { cannotWrite } from '../../corpus/command/system-error.ts'
import { removeUnnamed } from '../../corpus/repository/prune.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { readManifestBytes, temporaryFolder } from '../../corpus/snapshot/layout.ts'
import type { Manifest, Stored } from '../../corpus/snapshot/manifest.ts'
import { whyNotOurs } from '../../corpus/snapshot/own-folder.ts'
import { decodePointer, type Pointer } from '../../corpus/snapshot/pointer.ts'
import { MirrorError } from './error.ts'
import { arrivedOf, objectOfPart } from './objects.ts'

/**
 * Takes a folder, which need not be there yet; the result gives it back.
 * @throws MirrorError `busy`, or `unusable` where it holds something else or cannot be written to
 */
export async function takeFolder(dist: string, effects: Effects): Promise<() => void> {
  assertDist(dist)
  let unlock: (() => void) | null
  try {
    await effects.mkdir(temporaryFolder(dist))
    unlock = lockFile(join(dist, 'lock'))
  } catch (cause) {
    throw new MirrorError('unusable', cannotWrite(dist, cause), { cause })
  }
  if (unlock) return unlock
  throw new MirrorError('busy', `another mirror or build is writing to ${dist}; wait for it`)
}

/**
 * A folder of somebody else's files is not mirrored into. One with nothing but `tmp` was taken, and the mirror killed.
 * @throws MirrorError `unusable`
 */
function assertDist(dist: string): void {
  const why = whyNotOurs(dist, 'a mirror', ['tmp'])
  if (why !== null) throw new MirrorError('unusable', why)
}

/** @throws MirrorError: what cannot be read cannot tell what would be a step back */
export function ownPointer(bytes: Buffer, dist: string): Pointer {
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

/** The bytes of a manifest where it is here already, and sound. */
export function knownManifest(dist: string, sha256: string): Buffer | null {
  try {
    return readManifestBytes(dist, sha256)
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

/** What a disk should have left beside what is fetched. */
const SPARE_BYTES = 64e6

/**
 * Where there is too little room for the missing objects of `wanted`, what runs for other snapshots left behind gives way.
 * @throws MirrorError `no_space`
 */
export async function makeRoom(
  dist: string,
  wanted: Manifest,
  missing: readonly Stored[],
  effects: Effects,
): Promise<void> {
  if ((await lackOf(dist, missing)) === null) return
  await removeParts(dist, effects, new Set(missing.map(({ sha256 }) => sha256)))
  await removeUnnamed(dist, wanted, effects)
  const lack = await lackOf(dist, missing)
  if (lack === null) return
  throw new MirrorError(
    'no_space',
    `no space on the disk of ${dist}: ${lack.bytes} bytes are to come, ${lack.free} are free, and ${SPARE_BYTES} must stay free; free some, use another disk, or remove older snapshots with vulnshelf prune`,
  )
}

/** What has arrived of the missing objects takes its room already. */
async function lackOf(dist: string, missing: readonly Stored[]): Promise<{ bytes: number; free: number } | null> {
  let bytes = 0
  for (const object of missing) bytes += object.size - (await arrivedOf(dist, object))
  if (bytes === 0) return null
  const { bavail, bsize } = await statfs(dist)
  const free = bavail * bsize
  return bytes + SPARE_BYTES <= free ? null : { bytes, free }
}

/** What was begun for snapshots that were never completed is not needed any more, but for the `wanted` objects. */
export async function removeParts(dist: string, effects: Effects, wanted?: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(temporaryFolder(dist))) {
    const object = objectOfPart(name)
    if (object !== null && !wanted?.has(object)) await effects.remove(join(temporaryFolder(dist), name))
  }
}
