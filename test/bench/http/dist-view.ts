/** A `dist` with some snapshots of another one: shared files, but its own manifests and pointer. */
import { copyFileSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { manifestPath, pointerPath, readManifest, readPointer } from '../../../corpus/snapshot/files/layout.ts'
import { encodePointer, type Pointer } from '../../../corpus/snapshot/files/pointer.ts'

export interface DistView {
  path: string
  /** Activates a snapshot by a rename, as a build does. */
  activate(pointer: Pointer): void
}

/**
 * Returns the pointers to the two newest snapshots of a `dist`.
 * @throws Error if there is only one
 */
export function lastPointers(dist: string): { first: Pointer; second: Pointer } {
  const second = readPointer(dist)
  if (!second) throw new Error(`${dist} holds no snapshot`)
  const { parent } = readManifest(dist, second.manifest.sha256)
  if (!parent) throw new Error(`${dist} holds one snapshot, and none before it`)
  const { created_at } = readManifest(dist, parent.manifest)
  const first: Pointer = {
    ...second,
    version: second.version - 1,
    snapshot: parent.snapshot,
    manifest: { sha256: parent.manifest, size: statSync(manifestPath(dist, parent.manifest)).size },
    created_at,
  }
  return { first, second }
}

/** Creates a view in `folder` with the manifests of `shown`. The first one is active. */
export function viewOf(dist: string, folder: string, shown: readonly [Pointer, ...Pointer[]]): DistView {
  mkdirSync(join(folder, 'manifests'), { recursive: true })
  symlinkSync(resolve(dist, 'objects'), join(folder, 'objects'))
  for (const { manifest } of shown)
    copyFileSync(manifestPath(dist, manifest.sha256), manifestPath(folder, manifest.sha256))
  const activate = (pointer: Pointer) => {
    const staged = `${pointerPath(folder)}.new`
    writeFileSync(staged, encodePointer(pointer))
    renameSync(staged, pointerPath(folder))
  }
  activate(shown[0])
  return { path: folder, activate }
}
