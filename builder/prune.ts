/** `vulnshelf prune`: forgets snapshots but the newest, and the objects that none of the kept ones needs. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { manifestDigests, manifestPath, objectPath, readCurrent, readManifest } from '../corpus/snapshot/layout.ts'
import { lockDist } from './build/lock.ts'
import type { Effects } from './effects.ts'

const HEX_64 = /^[0-9a-f]{64}$/

export interface PruneReport {
  /** Ids of the snapshots that stay, the newest first. */
  kept: string[]
  removed: { manifests: number; objects: number; bytes: number }
}

/**
 * Keeps the current snapshot and the `keep - 1` before it. Manifests go first: what is left behind by a kill is then
 * only objects that the next run removes.
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
    const needed = new Set(current.files.map(({ sha256 }) => sha256))
    const there = new Set(manifestDigests(dist))
    for (let { parent } = current; parent && kept.length < keep && there.has(parent.manifest); ) {
      const manifest = readManifest(dist, parent.manifest)
      kept.push(parent.manifest)
      ids.push(manifest.snapshot)
      for (const { sha256 } of manifest.files) needed.add(sha256)
      parent = manifest.parent
    }
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

/** The objects that are there; files that are none are not ours to remove. */
function objectDigests(dist: string): string[] {
  const entries = readdirSync(join(dist, 'objects'), { recursive: true, withFileTypes: true })
  return entries
    .filter(
      (entry) => entry.isFile() && HEX_64.test(entry.name) && basename(entry.parentPath) === entry.name.slice(0, 2),
    )
    .map(({ name }) => name)
}
