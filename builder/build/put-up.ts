/** Last step of a build: the manifest, then the pointer, each by rename. */
import { sha256 } from '../../corpus/snapshot/digest.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import { manifestPath, pointerPath, readManifest } from '../../corpus/snapshot/layout.ts'
import { encodeManifest, type FileEntry, FORMAT, type Manifest, snapshotId } from '../../corpus/snapshot/manifest.ts'
import { encodePointer, type Pointer } from '../../corpus/snapshot/pointer.ts'
import type { Effects } from '../effects.ts'
import { temporaryFolder } from './objects.ts'

export interface PutUp {
  snapshot: string
  /** The pointer's version. */
  version: number
  /** False where the snapshot was already the current one: then nothing was put up. */
  changed: boolean
}

/** Writes the manifest, then the pointer; does nothing where this snapshot is the current one already. */
export async function putUp(
  dist: string,
  files: FileEntry[],
  before: Pointer | null,
  parent: Manifest | null,
  effects: Effects,
): Promise<PutUp> {
  const snapshot = snapshotId(files)
  if (before?.snapshot === snapshot && isIntact(dist, before)) {
    return { snapshot, version: before.version, changed: false }
  }
  // A snapshot is never older than the one before it, whatever the clock says: cursors are compared by it.
  const created = Math.max(effects.now().getTime(), before ? Date.parse(before.created_at) + 1 : 0)
  const created_at = new Date(created).toISOString()
  const manifest: Manifest = {
    format: FORMAT,
    snapshot,
    created_at,
    parent: parent && before && { snapshot: parent.snapshot, manifest: before.manifest.sha256 },
    files,
  }
  const bytes = encodeManifest(manifest)
  const digest = sha256(bytes)
  await replace(manifestPath(dist, digest), bytes, dist, effects)
  const version = (before?.version ?? 0) + 1
  const pointer: Pointer = {
    format: FORMAT,
    version,
    snapshot,
    manifest: { sha256: digest, size: bytes.length },
    created_at,
  }
  await replace(pointerPath(dist), encodePointer(pointer), dist, effects)
  return { snapshot, version, changed: true }
}

function isIntact(dist: string, pointer: Pointer): boolean {
  try {
    return readManifest(dist, pointer.manifest.sha256).snapshot === pointer.snapshot
  } catch (error) {
    if (error instanceof SnapshotError) return false
    throw error
  }
}

async function replace(path: string, bytes: Uint8Array, dist: string, effects: Effects): Promise<void> {
  const staged = `${temporaryFolder(dist)}/put-up`
  await effects.mkdir(path.slice(0, path.lastIndexOf('/')))
  await effects.write(staged, bytes)
  await effects.rename(staged, path)
}
