/** Histories of small snapshots in a `dist`, with files that several share. They can be listed and pruned, not served. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { sha256 } from '../../corpus/runtime/digest.ts'
import { manifestPath, objectPath, pointerPath } from '../../corpus/snapshot/files/layout.ts'
import {
  encodeManifest,
  type FileEntry,
  FORMAT,
  type Manifest,
  type Role,
  snapshotId,
} from '../../corpus/snapshot/files/manifest.ts'
import { encodePointer } from '../../corpus/snapshot/files/pointer.ts'

export interface HistoryNight {
  createdAt: string
  /** The text of the shard: nights with the same text share it. */
  shard: string
  /** The manifest alone, as a mirror has it of a night that it skipped. */
  isSkipped?: boolean
  /** Built, but not activated. */
  isAside?: boolean
}

export interface BuiltNight {
  digest: string
  manifest: Manifest
}

/** Writes the nights, oldest first. The last one that is not aside is current. */
export function writeHistory(dist: string, nights: readonly HistoryNight[]): BuiltNight[] {
  const built: BuiltNight[] = []
  let parent: BuiltNight | null = null
  for (const [i, { createdAt, shard, isSkipped = false, isAside = false }] of nights.entries()) {
    const put = (text: string) => {
      const bytes = Buffer.from(text)
      const path = objectPath(dist, sha256(bytes))
      mkdirSync(dirname(path), { recursive: true })
      if (!isSkipped) writeFileSync(path, bytes)
      return { sha256: sha256(bytes), size: bytes.length }
    }
    const file = (role: Role, name: string, text: string): FileEntry => ({
      role,
      name,
      ...put(text),
      content: sha256(text),
      count: 1,
      derived: role === 'index' || role === 'pages',
    })
    const files = [
      file('about', 'cve', `night ${i}`),
      file('cve', '2024/0xxx', shard),
      file('index', 'cve', `index ${i}`),
      file('pages', 'published', `pages ${i}`),
    ]
    const snapshot = snapshotId(files)
    const before: BuiltNight | null = parent
    const manifest: Manifest = {
      format: FORMAT,
      snapshot,
      created_at: createdAt,
      parent: before && { snapshot: before.manifest.snapshot, manifest: before.digest },
      delta: before && put(`pack ${i}`),
      files,
    }
    const bytes = encodeManifest(manifest)
    const night = { digest: sha256(bytes), manifest }
    mkdirSync(dirname(manifestPath(dist, night.digest)), { recursive: true })
    writeFileSync(manifestPath(dist, night.digest), bytes)
    built.push(night)
    if (isAside) continue
    parent = night
    const pointer = { sha256: night.digest, size: bytes.length }
    writeFileSync(
      pointerPath(dist),
      encodePointer({ format: FORMAT, version: i + 1, snapshot, manifest: pointer, created_at: createdAt }),
    )
  }
  return built
}
