/** Signs repositories, and changes what they say. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { renewed } from '../../../builder/snapshot/activate.ts'
import { sha256 } from '../../../corpus/runtime/digest.ts'
import {
  manifestPath,
  objectPath,
  pointerPath,
  readCurrent,
  readPointer,
} from '../../../corpus/snapshot/files/layout.ts'
import { encodeManifest, type FileEntry, snapshotId } from '../../../corpus/snapshot/files/manifest.ts'
import type { Pointer } from '../../../corpus/snapshot/files/pointer.ts'
import {
  makeKeyPair,
  readSigningKey,
  type SigningKey,
  signPointer,
  type TrustedKey,
} from '../../../corpus/snapshot/files/signature.ts'

export interface Signer {
  signing: SigningKey
  publicKey: TrustedKey
}

export async function makeSigner(): Promise<Signer> {
  const { privateKey, publicKey } = await makeKeyPair('EdDSA')
  return { signing: await readSigningKey(JSON.stringify(privateKey), 'the key of the test'), publicKey }
}

/** Signs the pointer of a `dist`, with whatever else it should say. */
export async function signDist(dist: string, { signing }: Signer, other: Partial<Pointer> = {}): Promise<Pointer> {
  const pointer: Pointer = { ...renewed(readPointer(dist)!), expires_at: '2099-01-01T00:00:00.000Z', ...other }
  writeFileSync(pointerPath(dist), await signPointer(pointer, [signing]))
  return pointer
}

/** A copy of a repository whose manifest says something else of its files, signed by its own key; gives where it lies. */
export async function copyResigned(
  from: string,
  dist: string,
  signer: Signer,
  change: (files: FileEntry[], dist: string) => void,
): Promise<string> {
  cpSync(from, dist, { recursive: true })
  const { manifest } = readCurrent(dist)
  const files = structuredClone(manifest.files)
  change(files, dist)
  const snapshot = snapshotId(files)
  const bytes = encodeManifest({ ...manifest, files, snapshot })
  const digest = sha256(bytes)
  writeFileSync(manifestPath(dist, digest), bytes)
  await signDist(dist, signer, { snapshot, manifest: { sha256: digest, size: bytes.length } })
  return dist
}

/** Puts other bytes where a file of a manifest lies, under their digest. */
export function replaceObject(dist: string, file: FileEntry, bytes: Buffer): void {
  file.sha256 = sha256(bytes)
  file.size = bytes.length
  mkdirSync(dirname(objectPath(dist, file.sha256)), { recursive: true })
  writeFileSync(objectPath(dist, file.sha256), bytes)
}
