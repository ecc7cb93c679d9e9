/**
 * Last step of a build: writes the manifest, then the pointer, each by rename. Also writes a pointer alone, newly
 * signed.
 */

import { join } from 'node:path'
import { type Effects, replaceFile } from '../../corpus/command/effects.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import {
  encodeManifest,
  encodePointer,
  type FileEntry,
  FORMAT,
  type Manifest,
  manifestPath,
  type Pointer,
  pointerPath,
  readManifest,
  readSubset,
  type SigningKey,
  SnapshotError,
  SUBSET_NAME,
  signPointer,
  snapshotId,
  temporaryFolder,
} from '../../corpus/snapshot/index.ts'

export interface Signing {
  keys: readonly SigningKey[]
  expiresInMs: number
}

export interface Activation {
  snapshot: string
  version: number
  /** False if the snapshot was already the current one. At most its pointer was signed again. */
  changed: boolean
  signedBy: string[]
  /** Null if unsigned. */
  expiresAt: string | null
}

export interface ActivateOptions {
  before: Pointer | null
  parent: Manifest | null
  delta: Manifest['delta']
  /** For the manifest. */
  source: string
  signing: Signing | null
}

/**
 * Writes the manifest, then the pointer. If the snapshot is the current one already, only the pointer can change: it
 * gets a later expiry or loses its signatures. An unsigned pointer stays unchanged unless `signing` is given.
 */
export async function activate(
  dist: string,
  files: FileEntry[],
  { before, parent, delta, source, signing }: ActivateOptions,
  effects: Effects,
): Promise<Activation> {
  const snapshot = snapshotId(files)
  // All files are there: a partial mirror into which a snapshot is built is complete.
  if (readSubset(dist)) await effects.remove(join(dist, SUBSET_NAME))
  if (before?.snapshot === snapshot && isIntact(dist, before)) {
    const { version, expires_at } = before
    if (!signing && expires_at === undefined)
      return { snapshot, version, changed: false, signedBy: [], expiresAt: null }
    return { ...(await writePointer(dist, renewed(before), signing, effects)), changed: false }
  }
  // Cursors compare snapshots by this time, so it always increases, even if the clock goes back.
  const created = Math.max(effects.now().getTime(), before ? Date.parse(before.created_at) + 1 : 0)
  const created_at = new Date(created).toISOString()
  const manifest: Manifest = {
    format: FORMAT,
    snapshot,
    created_at,
    parent: parent && before && { snapshot: parent.snapshot, manifest: before.manifest.sha256 },
    delta,
    source,
    files,
  }
  const bytes = encodeManifest(manifest)
  const digest = sha256(bytes)
  await replaceFile(manifestPath(dist, digest), bytes, stagedIn(dist), effects)
  const pointer: Pointer = {
    format: FORMAT,
    version: (before?.version ?? 0) + 1,
    snapshot,
    manifest: { sha256: digest, size: bytes.length },
    created_at,
  }
  return { ...(await writePointer(dist, pointer, signing, effects)), changed: true }
}

export function renewed({ expires_at: _, ...pointer }: Pointer): Pointer {
  return { ...pointer, version: pointer.version + 1 }
}

export async function writePointer(
  dist: string,
  pointer: Pointer,
  signing: Signing | null,
  effects: Effects,
): Promise<Omit<Activation, 'changed'>> {
  const { snapshot, version } = pointer
  if (signing === null) {
    await replaceFile(pointerPath(dist), encodePointer(pointer), stagedIn(dist), effects)
    return { snapshot, version, signedBy: [], expiresAt: null }
  }
  const { keys, expiresInMs } = signing
  const expires_at = new Date(effects.now().getTime() + expiresInMs).toISOString()
  await replaceFile(pointerPath(dist), await signPointer({ ...pointer, expires_at }, keys), stagedIn(dist), effects)
  return { snapshot, version, signedBy: keys.map(({ kid }) => kid), expiresAt: expires_at }
}

function isIntact(dist: string, pointer: Pointer): boolean {
  try {
    return readManifest(dist, pointer.manifest.sha256).snapshot === pointer.snapshot
  } catch (error) {
    if (error instanceof SnapshotError) return false
    throw error
  }
}

export const stagedIn = (dist: string) => join(temporaryFolder(dist), 'put-up')
