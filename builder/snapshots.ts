/** `vulnshelf snapshots`: the snapshots that a `dist` keeps. */
import {
  type EarlierSnapshot,
  earlierSnapshots,
  isComplete,
  readableManifests,
} from '../corpus/repository/snapshots.ts'
import { manifestDigests, readCurrent } from '../corpus/snapshot/layout.ts'
import { countCves, type Manifest } from '../corpus/snapshot/manifest.ts'
import { checkSignatures, type SignatureVerdict } from '../corpus/snapshot/signature.ts'

export interface KeptSnapshot {
  id: string
  createdAt: string
  /** Id of the snapshot that it was built upon. */
  parent: string | null
  /** The number of CVE records. */
  cves: number
  /** Whether all files are here; without them `/changes` cannot compare with it. */
  complete: boolean
  /** Size of the files, those that other snapshots share included. */
  bytes: number
}

/** What the pointer says of the current snapshot; nothing is kept of pointers before. */
export interface CurrentSnapshot extends KeptSnapshot {
  version: number
  /** Never checked: `verify --keys` checks them. */
  signatures: SignatureVerdict[]
  expiresAt: string | null
}

export interface SnapshotsReport {
  current: CurrentSnapshot
  /** The snapshots before it, in the order in which `prune` keeps them. */
  earlier: (KeptSnapshot & Pick<EarlierSnapshot, 'ancestor'>)[]
  /** Digests of the manifests that cannot be read. */
  damaged: string[]
}

/** @throws SnapshotError when there is no current snapshot, or its manifest is damaged */
export async function listSnapshots(dist: string, now = new Date()): Promise<SnapshotsReport> {
  const { pointer, pointerBytes, manifest } = readCurrent(dist)
  const summary = (of: Manifest): KeptSnapshot => summaryOf(dist, of)
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

function summaryOf(dist: string, manifest: Manifest): KeptSnapshot {
  // Several files may be the same object.
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
