/** `vulnshelf prune`: forgets snapshots but the newest, and the objects that none of the kept ones needs. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Effects } from '../corpus/command/effects.ts'
import { SnapshotError } from '../corpus/snapshot/error.ts'
import { manifestDigests, manifestPath, objectPath, readCurrent, readManifest } from '../corpus/snapshot/layout.ts'
import type { Manifest } from '../corpus/snapshot/manifest.ts'
import { gatheredPath, openGathered } from './build/gathered.ts'
import { lockDist } from './build/lock.ts'

const HEX_64 = /^[0-9a-f]{64}$/

export interface PruneReport {
  /** Ids of the snapshots that stay, the newest first. */
  kept: string[]
  removed: { manifests: number; objects: number; bytes: number }
}

/**
 * Keeps the current snapshot and the `keep - 1` before it. Manifests go first: what is left behind by a kill is then
 * only objects that the next run removes. What a build gathered is kept where it is of the current snapshot.
 * @throws SnapshotError when the current snapshot cannot be read: then nothing is removed
 */
export async function prune(dist: string, keep: number, effects: Effects): Promise<PruneReport> {
  // Before anything is written into a folder that is none of ours.
  readCurrent(dist)
  const unlock = lockDist(dist)
  try {
    const { pointer, manifest: current } = readCurrent(dist)
    const kept = [pointer.manifest.sha256]
    const ids = [current.snapshot]
    const needed = new Set(objectsOf(current))
    const there = manifestDigests(dist)
    for (const { digest, manifest } of newestFirst(dist, there).filter((one) => one.digest !== kept[0])) {
      if (kept.length >= keep) break
      kept.push(digest)
      ids.push(manifest.snapshot)
      for (const sha256 of objectsOf(manifest)) needed.add(sha256)
    }
    if (!openGathered(dist, current.files)) await effects.remove(gatheredPath(dist))
    const removed = { manifests: 0, objects: 0, bytes: 0 }
    for (const digest of there) {
      if (kept.includes(digest)) continue
      await effects.remove(manifestPath(dist, digest))
      removed.manifests++
    }
    for (const digest of objectDigests(dist)) {
      if (needed.has(digest)) continue
      const path = objectPath(dist, digest)
      removed.bytes += statSync(path).size
      await effects.remove(path)
      removed.objects++
    }
    return { kept: ids, removed }
  } finally {
    unlock()
  }
}

/** Digests of all that a snapshot is made of, and of the pack that leads to it. */
const objectsOf = ({ files, delta }: Manifest) => [...files, ...(delta ? [delta] : [])].map(({ sha256 }) => sha256)

/** The snapshots that can be read, by when they were put up; a manifest that cannot is kept by nobody. */
function newestFirst(dist: string, digests: readonly string[]): { digest: string; manifest: Manifest }[] {
  const readable = digests.flatMap((digest) => {
    try {
      return [{ digest, manifest: readManifest(dist, digest) }]
    } catch (error) {
      if (error instanceof SnapshotError) return []
      throw error
    }
  })
  return readable.sort((a, b) => Date.parse(b.manifest.created_at) - Date.parse(a.manifest.created_at))
}

/** The objects that are there; files that are none are not ours to remove. */
function objectDigests(dist: string): string[] {
  const entries = readdirSync(join(dist, 'objects'), { recursive: true, withFileTypes: true })
  return entries
    .filter(
      (entry) => entry.isFile() && HEX_64.test(entry.name) && basename(entry.parentPath) === entry.name.slice(0, 2),
    )
    .map(({ name }) => name)
}
