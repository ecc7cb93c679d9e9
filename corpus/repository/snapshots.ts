/** The snapshots of a `dist`, in the order in which `prune` keeps them. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  countCves,
  decodeManifest,
  type FileEntry,
  isLeftOut,
  type Manifest,
  readManifestBytes,
  readSubset,
  SnapshotError,
  type Stored,
  type Subset,
} from '../snapshot/index.ts'

const HEX_64 = /^[0-9a-f]{64}$/

/** A manifest of a `dist`, with the digest in its name. */
export interface KnownManifest {
  digest: string
  manifest: Manifest
  bytes: Buffer
}

/** Part of a manifest: a whole one takes megabytes of memory, and a `dist` can have a thousand. */
export interface KnownSnapshot {
  /** Digest of the manifest. */
  digest: string
  manifestBytes: number
  id: string
  createdAt: string
  parent: Manifest['parent']
  delta: Stored | null
  /** Digest of the index of CVEs. Readers take a snapshot without it for removed. */
  index: string | null
  cves: number
  /** Size of all existing files together. Includes files that other snapshots share. */
  bytes: number
  /** Which files exist. Mirrors have manifests of nights that they skipped, and `prune` leaves some. */
  files: ExistingFiles
  /** Whether it is a direct or indirect parent of the current snapshot. `/changes` covers only these. */
  ancestor: boolean
}

/** `sources`: at least those that cannot be derived, and the index of CVEs, which `/changes` needs. */
export type ExistingFiles = 'all' | 'sources' | 'incomplete'

/** Whether `prune` may remove a file of a kept snapshot. `/snapshots` and `/changes` need the index of CVEs. */
export const canBeRemoved = ({ role, name, derived }: FileEntry): boolean =>
  derived && !(role === 'index' && name === 'cve')

export interface KnownSnapshots {
  /** The ancestors of the current snapshot, from parent to parent, then all others, newest first. */
  earlier: KnownSnapshot[]
  /** Digests of unreadable manifests. */
  damaged: string[]
}

/**
 * Returns the snapshots except the one with manifest digest `current`. A killed build leaves a manifest that never
 * became current.
 */
export function earlierSnapshots(dist: string, digests: readonly string[], current: string): KnownSnapshots {
  const present = new Set(objectDigests(dist))
  const subset = readSubset(dist)
  const left = new Map<string, KnownSnapshot>()
  const damaged: string[] = []
  for (const digest of digests) {
    const known = knownManifest(dist, digest)
    if (known) left.set(digest, knownSnapshot(known, present, subset))
    else damaged.push(digest)
  }
  const ancestors: KnownSnapshot[] = []
  for (let next = left.get(current); next; next = left.get(next.parent?.manifest ?? '')) {
    left.delete(next.digest)
    if (next.digest !== current) ancestors.push({ ...next, ancestor: true })
  }
  const others = [...left.values()].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
  return { earlier: [...ancestors, ...others], damaged }
}

/** `present` has the digests of the existing objects; `subset` is what a partial mirror has. */
export function knownSnapshot(
  { digest, manifest, bytes }: Omit<KnownManifest, 'bytes'> & { bytes: { length: number } },
  present: ReadonlySet<string>,
  subset: Subset | null,
): KnownSnapshot {
  const { snapshot: id, created_at: createdAt, parent, delta, files } = manifest
  const existing = files.filter(({ sha256 }) => present.has(sha256))
  const missing = files.filter((file) => !present.has(file.sha256) && !isLeftOut(subset, file))
  // Several files can share one object.
  const sizes = new Map(existing.map(({ sha256, size }) => [sha256, size]))
  return {
    digest,
    manifestBytes: bytes.length,
    id,
    createdAt,
    parent,
    delta,
    index: files.find(({ role, name }) => role === 'index' && name === 'cve')?.sha256 ?? null,
    cves: countCves(manifest),
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
    files: missing.length === 0 ? 'all' : missing.every(canBeRemoved) ? 'sources' : 'incomplete',
    ancestor: false,
  }
}

/** Returns the digests of the existing objects. Ignores other files, which must not be removed. */
export function objectDigests(dist: string): string[] {
  const folder = join(dist, 'objects')
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : []
  return entries
    .filter(
      (entry) => entry.isFile() && HEX_64.test(entry.name) && basename(entry.parentPath) === entry.name.slice(0, 2),
    )
    .map(({ name }) => name)
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
