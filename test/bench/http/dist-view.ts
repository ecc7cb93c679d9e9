/** A `dist` that shows some snapshots of another one: the files are the same, manifests and pointer are its own. */
import { copyFileSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { manifestPath, pointerPath, readManifest, readPointer } from '../../../corpus/snapshot/files/layout.ts'
import { encodePointer, type Pointer } from '../../../corpus/snapshot/files/pointer.ts'

export interface DistView {
  path: string
  /** Puts up a snapshot, as a build does: by renaming. */
  activate(pointer: Pointer): void
}

/** Pointers to the two newest snapshots of a `dist`. @throws Error where it has only one */
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

/** A view in `folder` with the manifests of `shown`, the first of them put up. */
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
