/**
 * Trust decisions of a mirror, without I/O: from the received bytes and the local state. Attacks have the names that
 * The Update Framework uses. SPEC.md, "Pointer".
 */
import { sha256 } from '../../corpus/runtime/digest.ts'
import {
  ageFault,
  decodeManifest,
  decodePointer,
  type Manifest,
  openSigned,
  type Pointer,
  pointerOrder,
  SnapshotError,
  type TrustedKey,
} from '../../corpus/snapshot/index.ts'
import { MirrorError } from './error.ts'

export interface Trust {
  /** One of them must have signed; null checks digests only. */
  keys: readonly TrustedKey[] | null
  /** Null in a new folder. */
  have: Pointer | null
  now: Date
}

/**
 * Parses a pointer and checks that it may replace the local one.
 * @throws SnapshotError `untrusted`, `malformed`, `unsupported`; MirrorError `expired` (freeze), `rollback`,
 * `contradiction` (mix and match)
 */
export async function judgePointer(bytes: Uint8Array, { keys, have, now }: Trust): Promise<Pointer> {
  const pointer = keys ? (await openSigned(bytes, keys, now)).pointer : decodePointer(bytes)
  judgeAge(pointer, keys !== null, now)
  if (have) judgeSuccession(pointer, have)
  return pointer
}

function judgeAge(pointer: Pointer, isSigned: boolean, now: Date): void {
  const fault = ageFault(pointer, now)
  if (fault?.code === 'expired') throw new MirrorError('expired', fault.message)
  if (fault && isSigned) throw new SnapshotError('untrusted', fault.message)
}

function judgeSuccession(pointer: Pointer, have: Pointer): void {
  switch (pointerOrder(pointer, have)) {
    case 'older':
      throw new MirrorError(
        'rollback',
        `the source has version ${pointer.version}, older than the local version ${have.version}; mirror another repository into another folder`,
      )
    case 'other':
      throw new MirrorError(
        'contradiction',
        `version ${pointer.version} of the source is another snapshot than the local version ${pointer.version}`,
      )
    case 'timestampRegression':
      throw new MirrorError(
        'contradiction',
        `version ${pointer.version} of the source was created at ${pointer.created_at}, before the local version ${have.version} (${have.created_at})`,
      )
  }
}

/**
 * Parses a manifest and checks that the pointer names it and that its files take at most `maxBytes`.
 * @throws SnapshotError `digest`, `malformed`, `unsupported`; MirrorError `contradiction`, `too_large`
 */
export function judgeManifest(bytes: Uint8Array, pointer: Pointer, maxBytes: number): Manifest {
  if (bytes.length !== pointer.manifest.size || sha256(bytes) !== pointer.manifest.sha256) {
    throw new SnapshotError('digest', 'the manifest differs from the digest or size in latest.json')
  }
  const manifest = decodeManifest(bytes)
  if (manifest.snapshot !== pointer.snapshot || manifest.created_at !== pointer.created_at) {
    throw new MirrorError('contradiction', 'latest.json and its manifest state different snapshots or times')
  }
  let total = 0
  for (const { size } of manifest.files) total += size
  if (total > maxBytes) {
    throw new MirrorError(
      'too_large',
      `the snapshot has ${total} bytes; the limit is ${maxBytes}; raise --max-bytes to accept it`,
    )
  }
  return manifest
}
