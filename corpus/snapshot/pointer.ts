/** The pointer `latest.json`: which snapshot is the current one. It is written last. SPEC.md, "Pointer". */
import { SnapshotError } from './error.ts'
import { FORMAT } from './manifest.ts'

export interface Pointer {
  format: number
  /** Grows by one with each snapshot that is put up, and never falls. */
  version: number
  snapshot: string
  manifest: { sha256: string; size: number }
  created_at: string
}

const HEX_64 = /^[0-9a-f]{64}$/

export function encodePointer(pointer: Pointer): Buffer {
  return Buffer.from(`${JSON.stringify(pointer, null, 1)}\n`)
}

/** @throws SnapshotError `malformed` or `unsupported` */
export function decodePointer(bytes: Uint8Array): Pointer {
  let pointer: Partial<Pointer> | null
  try {
    pointer = JSON.parse(Buffer.from(bytes).toString()) as Partial<Pointer> | null
  } catch (cause) {
    throw new SnapshotError('malformed', 'latest.json is no JSON', { cause })
  }
  if (pointer?.format !== undefined && pointer.format !== FORMAT) {
    throw new SnapshotError('unsupported', `latest.json is of format ${pointer.format}; known is ${FORMAT}`)
  }
  const { version, snapshot, manifest, created_at } = pointer ?? {}
  if (
    !Number.isSafeInteger(version) ||
    !HEX_64.test(snapshot ?? '') ||
    !HEX_64.test(manifest?.sha256 ?? '') ||
    !Number.isSafeInteger(manifest?.size) ||
    !Number.isFinite(Date.parse(created_at ?? ''))
  ) {
    throw new SnapshotError('malformed', 'latest.json lacks what a pointer says')
  }
  return pointer as Pointer
}
