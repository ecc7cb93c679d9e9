/** The local folder of a mirror: ownership, lock, contents, and leftovers. */
import { readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Effects } from '../../corpus/command/effects.ts'
import { lockFile } from '../../corpus/command/lock.ts'
import { cannotWrite } from '../../corpus/command/system-error.ts'
import { arrivedOf, objectOfPart } from '../../corpus/repository/download.ts'
import { removeUnnamed } from '../../corpus/repository/prune.ts'
import {
  decodePointer,
  distRefusal,
  type Manifest,
  type Pointer,
  SnapshotError,
  type Stored,
  temporaryFolder,
} from '../../corpus/snapshot/index.ts'
import { MirrorError } from './error.ts'

/**
 * Locks a folder; creates it if necessary. Returns the release function.
 * @throws MirrorError `busy`; `unusable` if it has foreign contents or is not writable
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
  throw new MirrorError('busy', `another mirror or build is writing to ${dist}; wait until it ends`)
}

/**
 * A mirror killed before it takes the lock leaves only `tmp`, so such a folder is accepted.
 * @throws MirrorError `unusable`
 */
function assertDist(dist: string): void {
  const why = distRefusal(dist, 'a mirror', ['tmp'])
  if (why !== null) throw new MirrorError('unusable', why)
}

/** @throws MirrorError if it is damaged, because a rollback could not be detected */
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

/** Must stay free. */
const SPARE_BYTES = 64e6

/**
 * If space is short, removes leftovers of runs for other snapshots.
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
    `not enough disk space for ${dist}: ${lack.bytes} bytes are needed, ${lack.free} are free, and ${SPARE_BYTES} must stay free. Free some space, use another disk, or remove older snapshots with vulnshelf prune`,
  )
}

/** Partial objects already use space. */
async function lackOf(dist: string, missing: readonly Stored[]): Promise<{ bytes: number; free: number } | null> {
  let bytes = 0
  for (const object of missing) bytes += object.size - arrivedOf(dist, object)
  if (bytes === 0) return null
  const { bavail, bsize } = await statfs(dist)
  const free = bavail * bsize
  return bytes + SPARE_BYTES <= free ? null : { bytes, free }
}

/** Keeps the objects in `wanted`. */
export async function removeParts(dist: string, effects: Effects, wanted?: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(temporaryFolder(dist))) {
    const object = objectOfPart(name)
    if (object !== null && !wanted?.has(object)) await effects.remove(join(temporaryFolder(dist), name))
  }
}
