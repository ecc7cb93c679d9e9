/** `vulnshelf snapshots`: lists the snapshots in a `dist`. */
import { earlierSnapshots, type KnownSnapshot, knownSnapshot, objectDigests } from '../corpus/repository/snapshots.ts'
import { checkSignatures, manifestDigests, readCurrent, type SignatureVerdict } from '../corpus/snapshot/index.ts'

export interface RetainedSnapshot {
  id: string
  createdAt: string
  /** The snapshot that it was built on. */
  parent: string | null
  cves: number
  /** Whether all files exist; `/changes` needs them for a comparison. `prune` and mirrors leave manifests without files. */
  complete: boolean
  /** Includes shared files. */
  bytes: number
}

/** Earlier pointers are not kept. */
export interface CurrentSnapshot extends RetainedSnapshot {
  version: number
  /** Not verified: use `verify --keys`. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
}

export interface SnapshotsReport {
  current: CurrentSnapshot
  /** In the order in which `prune` keeps them. */
  earlier: (RetainedSnapshot & Pick<KnownSnapshot, 'ancestor'>)[]
  damaged: string[]
}

/** @throws SnapshotError if there is no current snapshot, or its manifest is damaged */
export async function listSnapshots(dist: string, now = new Date()): Promise<SnapshotsReport> {
  const { pointer, pointerBytes, manifest } = readCurrent(dist)
  const { sha256: digest, size: length } = pointer.manifest
  const { earlier, damaged } = earlierSnapshots(dist, manifestDigests(dist), digest)
  return {
    current: {
      ...summaryOf(knownSnapshot({ digest, manifest, bytes: { length } }, new Set(objectDigests(dist)))),
      version: pointer.version,
      signatures: await checkSignatures(pointerBytes, null, now),
      expiresAt: pointer.expires_at ?? null,
    },
    earlier: earlier.map((snapshot) => ({ ...summaryOf(snapshot), ancestor: snapshot.ancestor })),
    damaged,
  }
}

const summaryOf = ({ id, createdAt, parent, cves, complete, bytes }: KnownSnapshot): RetainedSnapshot => ({
  id,
  createdAt,
  parent: parent?.snapshot ?? null,
  cves,
  complete,
  bytes,
})
