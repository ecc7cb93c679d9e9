/** `vulnshelf snapshots`: lists the snapshots in a `dist`. */
import { earlierSnapshots, type KnownSnapshot, knownSnapshot, objectDigests } from '../corpus/repository/snapshots.ts'
import {
  checkSignatures,
  manifestDigests,
  readCurrent,
  type SignatureVerdict,
  SnapshotError,
} from '../corpus/snapshot/index.ts'

export interface RetainedSnapshot {
  id: string
  createdAt: string
  /** The snapshot that it was built on. */
  parent: string | null
  cves: number
  /** Whether all files exist; `/changes` needs them for a comparison. `prune` and mirrors leave manifests without files. */
  complete: boolean
  /** Whether only derived files are missing: `derive` makes them again. */
  derivable: boolean
  /** Of the files that exist. Includes shared ones. */
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

/**
 * Returns the snapshot whose id is `choice` or begins with it.
 * @throws SnapshotError `missing` for none or several, and as `readCurrent`
 */
export function findSnapshot(dist: string, choice: string): KnownSnapshot {
  const { pointer, manifest } = readCurrent(dist)
  const { sha256: digest, size: length } = pointer.manifest
  const current = knownSnapshot({ digest, manifest, bytes: { length } }, new Set(objectDigests(dist)))
  const known = [{ ...current, ancestor: true }, ...earlierSnapshots(dist, manifestDigests(dist), digest).earlier]
  const found = ID_START.test(choice) ? known.filter(({ id }) => id.startsWith(choice)) : []
  const ids = new Set(found.map(({ id }) => id))
  if (ids.size === 1) return found[0]!
  const remedy = `\`vulnshelf snapshots ${dist}\` lists the ids; use ${MIN_DIGITS} digits or more`
  if (ids.size === 0) throw new SnapshotError('missing', `${dist} has no snapshot '${choice}'; ${remedy}`)
  throw new SnapshotError('missing', `${ids.size} snapshots in ${dist} begin with ${choice}; use more digits`)
}

/** As `/changes?since=`. */
const MIN_DIGITS = 7
const ID_START = /^[0-9a-f]{7,64}$/

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

const summaryOf = ({ id, createdAt, parent, cves, files, bytes }: KnownSnapshot): RetainedSnapshot => ({
  id,
  createdAt,
  parent: parent?.snapshot ?? null,
  cves,
  complete: files === 'all',
  derivable: files === 'sources',
  bytes,
})
