/** Opens a repository: verifies its pointer and the manifest that it names. */

import { sha256 } from '../runtime/digest.ts'
import {
  ageFault,
  decodeManifest,
  decodePointer,
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

export interface Trust {
  /** One of these keys must have signed the pointer. Null accepts an unverified pointer. */
  keys: readonly TrustedKey[] | null
  now: Date
}

/**
 * Returns the manifest of the current snapshot, and the pointer that names it, as stored.
 * @throws SnapshotError, TransferError
 */
export async function currentManifest(
  objects: Objects,
  trust: Trust,
): Promise<{ manifest: Manifest; pointer: Uint8Array }> {
  const bytes = await objects.file(POINTER_NAME, MAX_POINTER_BYTES)
  return { manifest: await readManifest(objects, await judgedPointer(bytes, trust)), pointer: bytes }
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
