/** `vulnshelf snapshots`: lists the snapshots in a `dist`. */
import {
  type EarlierSnapshot,
  earlierSnapshots,
  isComplete,
  readableManifests,
} from '../corpus/repository/snapshots.ts'
import {
  checkSignatures,
  countCves,
  type Manifest,
  manifestDigests,
  readCurrent,
  type SignatureVerdict,
} from '../corpus/snapshot/index.ts'

export interface RetainedSnapshot {
  id: string
  createdAt: string
  /** The snapshot that it was built on. */
  parent: string | null
  cves: number
  /** Whether all files exist; `/changes` needs them for a comparison. */
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
  earlier: (RetainedSnapshot & Pick<EarlierSnapshot, 'ancestor'>)[]
  damaged: string[]
}

/** @throws SnapshotError if there is no current snapshot, or its manifest is damaged */
export async function listSnapshots(dist: string, now = new Date()): Promise<SnapshotsReport> {
  const { pointer, pointerBytes, manifest } = readCurrent(dist)
  const summary = (of: Manifest): RetainedSnapshot => summaryOf(dist, of)
  const digests = manifestDigests(dist)
  const readable = new Set(readableManifests(dist, digests).map(({ digest }) => digest))
  return {
    current: {
      ...summary(manifest),
      version: pointer.version,
      signatures: await checkSignatures(pointerBytes, null, now),
      expiresAt: pointer.expires_at ?? null,
    },
    earlier: earlierSnapshots(dist, digests, pointer.manifest.sha256).map(({ manifest, ancestor }) => ({
      ...summary(manifest),
      ancestor,
    })),
    damaged: digests.filter((digest) => !readable.has(digest)),
  }
}

function summaryOf(dist: string, manifest: Manifest): RetainedSnapshot {
  // Several files can share one object.
  const sizes = new Map(manifest.files.map(({ sha256, size }) => [sha256, size]))
  return {
    id: manifest.snapshot,
    createdAt: manifest.created_at,
    parent: manifest.parent?.snapshot ?? null,
    cves: countCves(manifest),
    complete: isComplete(dist, manifest),
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
  }
}
