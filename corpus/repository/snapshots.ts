/** The snapshots of a `dist`, in the order in which `prune` keeps them. */
import { existsSync } from 'node:fs'
import { SnapshotError } from '../snapshot/error.ts'
import { objectPath, readManifest } from '../snapshot/layout.ts'
import type { Manifest } from '../snapshot/manifest.ts'

/** A manifest of a `dist` and the digest that it is named by. */
export interface KnownManifest {
  digest: string
  manifest: Manifest
}

export interface EarlierSnapshot extends KnownManifest {
  /** Whether the current snapshot was built upon it, at once or over others: `/changes` knows only such. */
  ancestor: boolean
}

/**
 * Returns the snapshots before the one whose manifest has the digest `current`: first those that it was built upon, each
 * upon the next, then all others, newest first. A build that was killed leaves a manifest that never became current.
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

/** Returns the manifests that can be read. */
export function readableManifests(dist: string, digests: readonly string[]): KnownManifest[] {
  return digests.flatMap((digest) => {
    try {
      return [{ digest, manifest: readManifest(dist, digest) }]
    } catch (error) {
      if (error instanceof SnapshotError) return []
      throw error
    }
  })
}

/** Whether every file of a snapshot exists. A mirror has manifests of nights that it skipped, without their files. */
export const isComplete = (dist: string, { files }: Manifest): boolean =>
  files.every(({ sha256 }) => existsSync(objectPath(dist, sha256)))
