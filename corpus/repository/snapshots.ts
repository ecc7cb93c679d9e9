/** The snapshots of a `dist`, in the order in which `prune` keeps them. */
import { existsSync } from 'node:fs'
import { decodeManifest, type Manifest, objectPath, readManifestBytes, SnapshotError } from '../snapshot/index.ts'

/** A manifest of a `dist`, with the digest in its name. */
export interface KnownManifest {
  digest: string
  manifest: Manifest
  bytes: Buffer
}

export interface EarlierSnapshot extends KnownManifest {
  /** Whether it is a direct or indirect parent of the current snapshot. `/changes` covers only these. */
  ancestor: boolean
}

/**
 * Returns the snapshots except the one with manifest digest `current`. Its ancestors come first, from parent to parent,
 * then all others, newest first. A killed build leaves a manifest that never became current.
 */
export function earlierSnapshots(dist: string, digests: readonly string[], current: string): EarlierSnapshot[] {
  const left = new Map(readableManifests(dist, digests).map((one) => [one.digest, one]))
  const ancestors: EarlierSnapshot[] = []
  for (let next = left.get(current); next; next = left.get(next.manifest.parent?.manifest ?? '')) {
    left.delete(next.digest)
    if (next.digest !== current) ancestors.push({ ...next, ancestor: true })
  }
  const others = [...left.values()]
    .map((one) => ({ ...one, ancestor: false }))
    .sort((a, b) => Date.parse(b.manifest.created_at) - Date.parse(a.manifest.created_at))
  return [...ancestors, ...others]
}

export const readableManifests = (dist: string, digests: readonly string[]): KnownManifest[] =>
  digests.flatMap((digest) => knownManifest(dist, digest) ?? [])

/** Returns null if the manifest is missing or damaged. */
export function knownManifest(dist: string, digest: string): KnownManifest | null {
  try {
    const bytes = readManifestBytes(dist, digest)
    return { digest, manifest: decodeManifest(bytes), bytes }
  } catch (error) {
    if (error instanceof SnapshotError) return null
    throw error
  }
}

/** Returns whether every file of a snapshot exists. A mirror has manifests of skipped nights without their files. */
export const isComplete = (dist: string, { files }: Manifest): boolean =>
  files.every(({ sha256 }) => existsSync(objectPath(dist, sha256)))
