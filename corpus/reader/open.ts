/** Opens a snapshot: verifies its pointer, manifest and tables by signatures and digests. */

import { sha256 } from '../runtime/digest.ts'
import {
  type About,
  ageFault,
  decodeAbout,
  decodeManifest,
  decodePointer,
  fileOf,
  gunzipFile,
  MAX_MANIFEST_BYTES,
  MAX_POINTER_BYTES,
  type Manifest,
  manifestName,
  POINTER_NAME,
  type Pointer,
  SnapshotError,
  type TrustedKey,
} from '../snapshot/index.ts'
import type { Objects } from './objects.ts'

/** What every method needs. The tables are read by those that need them. */
export interface OpenedSnapshot {
  manifest: Manifest
  about: About
}

export interface Trust {
  /** One of these keys must have signed the pointer. Null accepts an unverified pointer. */
  keys: readonly TrustedKey[] | null
  now: Date
}

/**
 * Opens the current snapshot.
 * @throws SnapshotError, TransferError
 */
export async function openCurrent(objects: Objects, trust: Trust): Promise<OpenedSnapshot> {
  const pointer = await judgedPointer(await objects.file(POINTER_NAME, MAX_POINTER_BYTES), trust)
  const manifest = await readManifest(objects, pointer)
  const about = await objects.whole(fileOf(manifest, 'about'))
  return { manifest, about: decodeAbout(gunzipFile('about', about)) }
}

/** Verifies the pointer. Signatures must expire, or a server could withhold newer snapshots (SPEC.md, "Pointer"). */
async function judgedPointer(bytes: Buffer, { keys, now }: Trust): Promise<Pointer> {
  if (keys === null) return decodePointer(bytes)
  const { openSigned } = await import('./signed-pointer.ts')
  const { pointer } = await openSigned(bytes, keys, now)
  const fault = ageFault(pointer, now)
  if (fault) throw new SnapshotError('untrusted', fault.message)
  return pointer
}

async function readManifest(
  objects: Objects,
  { manifest: { sha256: digest, size }, snapshot }: Pointer,
): Promise<Manifest> {
  const bytes = await objects.file(manifestName(digest), Math.min(size, MAX_MANIFEST_BYTES))
  if (bytes.length !== size || sha256(bytes) !== digest) {
    throw new SnapshotError('digest', `manifest ${digest} differs from the digest or size in latest.json`)
  }
  const manifest = decodeManifest(bytes)
  if (manifest.snapshot === snapshot) return manifest
  throw new SnapshotError('digest', 'latest.json and its manifest state different snapshots')
}
