/** Forgetting old snapshots of a `dist`, and the objects that none of the kept ones needs. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Effects } from '../command/effects.ts'
import { type Manifest, manifestDigests, manifestPath, objectPath, readCurrent } from '../snapshot/index.ts'
import { earlierSnapshots, isComplete, readableManifests } from './snapshots.ts'

const HEX_64 = /^[0-9a-f]{64}$/

export interface PruneReport {
  /** Ids of the kept snapshots, newest first. */
  kept: string[]
  removed: { manifests: number; objects: number; bytes: number }
}

/**
 * Keeps the current snapshot and the `keep - 1` complete ones before it. Incomplete ones between them, which a mirror
 * skipped, keep their manifests. Manifests are removed first, so that a killed run leaves only objects that the next
 * run removes. The caller must have the lock.
 * @throws SnapshotError if the current snapshot cannot be read. Then nothing is removed.
 */
export async function keepNewest(dist: string, keep: number, effects: Effects): Promise<PruneReport> {
  const { pointer, manifest: current } = readCurrent(dist)
  const manifests = new Set([pointer.manifest.sha256])
  const kept = [current.snapshot]
  const needed = new Set(objectsOf(current))
  const there = manifestDigests(dist)
  for (const { digest, manifest } of earlierSnapshots(dist, there, pointer.manifest.sha256)) {
    if (kept.length >= keep) break
    // The same snapshot, built again after a killed run.
    if (kept.includes(manifest.snapshot)) continue
    manifests.add(digest)
    // Clients of this mirror can be as far behind as the mirror was and need the pack.
    if (manifest.delta) needed.add(manifest.delta.sha256)
    if (!isComplete(dist, manifest)) continue
    kept.push(manifest.snapshot)
    for (const sha256 of objectsOf(manifest)) needed.add(sha256)
  }
  const removed = { manifests: 0 }
  for (const digest of there) {
    if (manifests.has(digest)) continue
    await effects.remove(manifestPath(dist, digest))
    removed.manifests++
  }
  const { objects, bytes } = await removeObjectsBut(dist, needed, effects)
  return { kept, removed: { ...removed, objects, bytes } }
}

async function removeObjectsBut(
  dist: string,
  needed: ReadonlySet<string>,
  effects: Effects,
): Promise<{ objects: number; bytes: number }> {
  const removed = { objects: 0, bytes: 0 }
  for (const digest of objectDigests(dist)) {
    if (needed.has(digest)) continue
    const path = objectPath(dist, digest)
    removed.bytes += statSync(path).size
    await effects.remove(path)
    removed.objects++
  }
  return removed
}

/**
 * Removes the objects that neither the manifests in `dist` nor `wanted` name. They belong to builds that never
 * finished. Removes nothing if a manifest is unreadable, because it may be the served one. The caller must have the
 * lock.
 */
export async function removeUnnamed(dist: string, wanted: Manifest, effects: Effects): Promise<void> {
  const digests = manifestDigests(dist)
  const known = readableManifests(dist, digests)
  if (known.length < digests.length) return
  const named = known.map(({ manifest }) => manifest)
  await removeObjectsBut(dist, new Set([...named, wanted].flatMap(objectsOf)), effects)
}

/** Returns the digests of all files of a snapshot and of its delta pack. */
const objectsOf = ({ files, delta }: Manifest) => [...files, ...(delta ? [delta] : [])].map(({ sha256 }) => sha256)

/** Returns the digests of the existing objects. Ignores other files, which must not be removed. */
function objectDigests(dist: string): string[] {
  const folder = join(dist, 'objects')
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  return entries
    .filter(
      (entry) => entry.isFile() && HEX_64.test(entry.name) && basename(entry.parentPath) === entry.name.slice(0, 2),
    )
    .map(({ name }) => name)
}
