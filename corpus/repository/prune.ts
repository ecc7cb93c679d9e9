/** Removes snapshots of a `dist`, and the files that no kept snapshot needs. */
import { statSync } from 'node:fs'
import type { Effects } from '../command/effects.ts'
import {
  MAX_NIGHTS,
  type Manifest,
  manifestDigests,
  manifestPath,
  objectPath,
  readCurrent,
  readManifest,
  readSubset,
} from '../snapshot/index.ts'
import { type KeepRules, keptBy } from './retention.ts'
import {
  canBeRemoved,
  earlierSnapshots,
  type KnownSnapshot,
  knownSnapshot,
  objectDigests,
  readableManifests,
} from './snapshots.ts'

export interface PruneOptions {
  keep: KeepRules
  /**
   * Number of kept snapshots, the newest, that keep their derived files. Default: all. The current snapshot and protected
   * ones keep them in any case.
   */
  keepDerived?: number | undefined
  /** Digests of manifests whose snapshots stay, with the reason. The current snapshot always stays. */
  protect?: ReadonlyMap<string, string>
  /** Removes nothing; the report is the same. */
  dryRun?: boolean
}

export interface PrunedSnapshot {
  id: string
  createdAt: string
  kept: boolean
  /** The rules that keep it, or why it goes. */
  reasons: string[]
  /** Whether its derived files stay, as far as they exist. */
  derived: boolean
}

export interface PruneReport {
  dryRun: boolean
  /** Ids of the kept snapshots, newest first. */
  kept: string[]
  /** All snapshots that have at least the files that cannot be derived: the current one, its ancestors, then others. */
  snapshots: PrunedSnapshot[]
  /** Number of manifests that stay without files, because readers find older kept snapshots through them. */
  manifestsWithoutFiles: number
  /** `manifests` includes those of snapshots without files, and unreadable ones. */
  removed: { snapshots: number; manifests: number; objects: number; bytes: number }
}

/**
 * Keeps the current snapshot, protected ones, and those that a rule keeps. An ancestor counts before any snapshot that
 * is none. The manifests between the current snapshot and the oldest kept ancestor stay, because readers follow them.
 * Manifests are removed first, so that a killed run leaves only objects that the next run removes. The caller must have
 * the lock.
 * @throws SnapshotError if the current snapshot cannot be read. Then nothing is removed.
 */
export async function removeSnapshots(dist: string, options: PruneOptions, effects: Effects): Promise<PruneReport> {
  const { dryRun = false } = options
  const plan = planOf(dist, options)
  const removed = { snapshots: 0, manifests: 0, objects: 0, bytes: 0 }
  const remove = async (path: string) => {
    removed.bytes += statSync(path).size
    if (!dryRun) await effects.remove(path)
  }
  for (const digest of plan.manifests) {
    await remove(manifestPath(dist, digest))
    removed.manifests++
  }
  for (const digest of plan.objects) {
    await remove(objectPath(dist, digest))
    removed.objects++
  }
  const { snapshots, manifestsWithoutFiles } = plan
  const kept = snapshots.filter(({ kept }) => kept).map(({ id }) => id)
  removed.snapshots = snapshots.length - kept.length
  return { dryRun, kept, snapshots, manifestsWithoutFiles, removed }
}

/** Keeps the current snapshot and the `keep - 1` before it. As `removeSnapshots`. */
export const keepNewest = (dist: string, keep: number, effects: Effects): Promise<PruneReport> =>
  removeSnapshots(dist, { keep: { last: keep } }, effects)

interface Plan {
  snapshots: PrunedSnapshot[]
  manifestsWithoutFiles: number
  /** Digests of what goes. */
  manifests: string[]
  objects: string[]
}

function planOf(dist: string, options: PruneOptions): Plan {
  const { keep, keepDerived = Number.POSITIVE_INFINITY, protect = new Map() } = options
  const { pointer, manifest } = readCurrent(dist)
  const digests = manifestDigests(dist)
  const objects = objectDigests(dist)
  const current = { digest: pointer.manifest.sha256, manifest, bytes: { length: pointer.manifest.size } }
  // The gateway serves it even if files are missing, and the next build or mirror completes it.
  const known = [
    { ...knownSnapshot(current, new Set(objects), readSubset(dist)), ancestor: true },
    ...earlierSnapshots(dist, digests, current.digest).earlier,
  ]
  const whole = known.filter(({ files }, i) => files !== 'incomplete' || i === 0)
  const counted = whole.filter((snapshot, i) => snapshot.ancestor || !isRepeated(snapshot, whole.slice(0, i)))
  const byRule = keptBy(
    counted.map(({ createdAt }) => Date.parse(createdAt)),
    keep,
  )
  const reasons = new Map(counted.map((snapshot, i) => [snapshot, byRule[i]!]))
  const why = (snapshot: KnownSnapshot, i: number) => {
    const protection = i === 0 ? 'current' : protect.get(snapshot.digest)
    return [...(protection === undefined ? [] : [protection]), ...(reasons.get(snapshot) ?? [])]
  }
  const rows = whole.map((snapshot, i) => ({ snapshot, reasons: why(snapshot, i) }))
  const kept = new Set(rows.filter(({ reasons }) => reasons.length > 0).map(({ snapshot }) => snapshot))
  const linking = linksOf(known, kept)
  const named = new Set([...kept, ...linking].map(({ digest }) => digest))
  const needed = new Set(packsOf(linking))
  const lean = new Set(
    [...kept].filter(({ digest }, i) => i >= keepDerived && digest !== current.digest && !protect.has(digest)),
  )
  for (const snapshot of kept) {
    const { files } = readManifest(dist, snapshot.digest)
    for (const file of files) if (!(lean.has(snapshot) && canBeRemoved(file))) needed.add(file.sha256)
  }
  // A killed run must not leave an index without the other files.
  const indexes = new Set(known.map(({ index }) => index))
  const unneeded = objects.filter((digest) => !needed.has(digest))
  return {
    snapshots: rows.map(({ snapshot, reasons }) => ({
      id: snapshot.id,
      createdAt: snapshot.createdAt,
      kept: kept.has(snapshot),
      reasons: kept.has(snapshot) ? reasons : [snapshot.ancestor ? NO_RULE : NO_ANCESTOR],
      derived: kept.has(snapshot) && !lean.has(snapshot),
    })),
    manifestsWithoutFiles: linking.filter((snapshot) => !kept.has(snapshot)).length,
    manifests: digests.filter((digest) => !named.has(digest)),
    objects: [
      ...unneeded.filter((digest) => indexes.has(digest)),
      ...unneeded.filter((digest) => !indexes.has(digest)),
    ],
  }
}

const NO_RULE = 'no rule keeps it'
const NO_ANCESTOR = 'no rule keeps it, and the current snapshot was not built on it'

/** Whether it is the same snapshot as one before: a killed build was run again. */
const isRepeated = ({ id }: KnownSnapshot, before: readonly KnownSnapshot[]) => before.some((one) => one.id === id)

/** Returns the current snapshot and its ancestors down to the oldest kept one. */
function linksOf(known: readonly KnownSnapshot[], kept: ReadonlySet<KnownSnapshot>): KnownSnapshot[] {
  const ancestors = known.filter(({ ancestor }) => ancestor)
  return ancestors.slice(0, 1 + ancestors.findLastIndex((snapshot) => kept.has(snapshot)))
}

/** Returns the digests of the packs with which a mirror can catch up. */
const packsOf = (linking: readonly KnownSnapshot[]) =>
  linking.slice(0, MAX_NIGHTS).flatMap(({ delta }) => (delta ? [delta.sha256] : []))

/**
 * Removes the objects that neither the manifests in `dist` nor `wanted` name. They belong to builds that never
 * finished. Removes nothing if a manifest is unreadable, because it may be the served one. The caller must have the
 * lock.
 */
export async function removeUnnamed(dist: string, wanted: Manifest, effects: Effects): Promise<void> {
  const digests = manifestDigests(dist)
  const known = readableManifests(dist, digests)
  if (known.length < digests.length) return
  const named = new Set([wanted, ...known.map(({ manifest }) => manifest)].flatMap(packedObjectsOf))
  for (const digest of objectDigests(dist)) if (!named.has(digest)) await effects.remove(objectPath(dist, digest))
}

const objectsOf = ({ files }: Manifest) => files.map(({ sha256 }) => sha256)
const packedObjectsOf = (manifest: Manifest) => [
  ...objectsOf(manifest),
  ...(manifest.delta ? [manifest.delta.sha256] : []),
]
