/**
 * The pointer of the last verified snapshot, as a copy in the `dist` from before a build until its snapshot is verified.
 * A kill in between leaves the copy, so the next night knows the pointer too.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Effects, replaceFile } from '../../corpus/command/effects.ts'
import { writingTo } from '../../corpus/command/system-error.ts'
import { readRegularFile } from '../../corpus/runtime/regular-file.ts'
import {
  decodePointer,
  MAX_POINTER_BYTES,
  pointerPath,
  readManifest,
  readPointer,
  readPointerBytes,
  SnapshotError,
  temporaryFolder,
} from '../../corpus/snapshot/index.ts'
import { stagedIn } from '../snapshot/activate.ts'
import { lockDist } from '../snapshot/lock.ts'

const copyPath = (dist: string) => join(dist, 'verified.json')

/**
 * Copies the pointer, signatures included. An empty copy means that there was none. An earlier copy stays: a night was
 * killed before it verified the current snapshot.
 * @throws SnapshotError if the pointer is malformed; BuildError `busy`
 */
export async function copyPointer(dist: string, effects: Effects): Promise<void> {
  await whileLocked(dist, async () => {
    if (isUsable(dist)) return
    const bytes = readPointerBytes(dist) ?? Buffer.alloc(0)
    await effects.mkdir(temporaryFolder(dist))
    await replaceFile(copyPath(dist), bytes, stagedIn(dist), effects)
  })
}

/** Whether there is a copy, and its snapshot was not removed. */
function isUsable(dist: string): boolean {
  const stat = statSync(copyPath(dist), { throwIfNoEntry: false })
  return stat !== undefined && (stat.size === 0 || verifiedManifest(dist) !== null)
}

/** Returns the digest of the manifest that the copy names; null without a copy, or if one of them is unreadable. */
export function verifiedManifest(dist: string): string | null {
  try {
    const { sha256 } = decodePointer(readRegularFile(copyPath(dist), MAX_POINTER_BYTES)).manifest
    readManifest(dist, sha256)
    return sha256
  } catch (error) {
    if (error instanceof SnapshotError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * Makes the copy the pointer again, in one rename. Without an earlier snapshot, it removes the pointer. Does nothing if
 * another program has activated a snapshot since.
 * @param built the snapshot that has faults
 * @throws BuildError `busy`
 */
export async function restorePointer(dist: string, built: string, effects: Effects): Promise<void> {
  await whileLocked(dist, async () => {
    if (readPointer(dist)?.snapshot !== built) return removeCopy(dist, effects)
    const copy = copyPath(dist)
    if (statSync(copy).size > 0) return effects.rename(copy, pointerPath(dist))
    await effects.remove(pointerPath(dist))
    await removeCopy(dist, effects)
  })
}

/** The current snapshot is verified. */
export const removeCopy = (dist: string, effects: Effects): Promise<void> => effects.remove(copyPath(dist))

/** Removes the copy if the pointer is still the same, after a build that activated nothing. */
export async function removeEqualCopy(dist: string, effects: Effects): Promise<void> {
  const pointer = readPointerBytes(dist) ?? Buffer.alloc(0)
  if (pointer.equals(readRegularFile(copyPath(dist), MAX_POINTER_BYTES))) await removeCopy(dist, effects)
}

async function whileLocked(dist: string, work: () => Promise<void>): Promise<void> {
  const unlock = lockDist(dist)
  try {
    await writingTo(dist, work)
  } finally {
    unlock()
  }
}
