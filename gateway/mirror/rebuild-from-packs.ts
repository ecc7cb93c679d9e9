/**
 * Delta packs of a mirror: finds the chain of snapshots from the local one to the wanted one, and rebuilds shards with
 * its packs. If packs are more expensive or unusable, files are fetched whole. SPEC.md, "Delta pack".
 */
import { join } from 'node:path'
import { type Effects, replaceFile } from '../../corpus/command/effects.ts'
import { downloadAll } from '../../corpus/repository/download.ts'
import { readFile } from '../../corpus/repository/read.ts'
import { knownManifest } from '../../corpus/repository/snapshots.ts'
import { sha256 } from '../../corpus/runtime/digest.ts'
import {
  decodeManifest,
  decodePack,
  describe,
  describePack,
  type FileEntry,
  MAX_MANIFEST_BYTES,
  MAX_NIGHTS,
  type Manifest,
  manifestName,
  manifestPath,
  objectPath,
  type PackedFile,
  type Pointer,
  readObject,
  readStored,
  rebuilt,
  SnapshotError,
  type Stored,
  temporaryFolder,
} from '../../corpus/snapshot/index.ts'
import { TransferError, type TransferErrorCode } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import type { Transfers } from './missing.ts'
import { bytesOf, isHere } from './objects.ts'

export interface Link {
  child: Manifest
  parent: Manifest
  pack: Stored
}

/**
 * Returns the links from manifest digest `have` to `manifest`, oldest first. Null without a chain, or if it costs at
 * least `worth` bytes. `manifestOf` returns a manifest and its cost in bytes.
 */
export async function linksTo(
  manifest: Manifest,
  have: string,
  worth: number,
  manifestOf: (digest: string) => Promise<{ manifest: Manifest; cost: number }>,
): Promise<Link[] | null> {
  const links: Link[] = []
  let child = manifest
  let spent = 0
  while (links.length < MAX_NIGHTS) {
    const { parent, delta } = child
    if (!parent || !delta) return null
    spent += delta.size
    if (spent >= worth) return null
    const { manifest: before, cost } = await manifestOf(parent.manifest)
    if (before.snapshot !== parent.snapshot) {
      throw new SnapshotError('malformed', `the manifest ${parent.manifest} states a different snapshot than its child`)
    }
    links.unshift({ child, parent: before, pack: delta })
    if (parent.manifest === have) return links
    spent += cost
    child = before
  }
  return null
}

interface Making {
  entry: FileEntry
  previous: FileEntry
}

/**
 * Rebuilds missing objects, and adds their digests to `made`. The packs must be local.
 * @throws SnapshotError if a pack's result does not match its manifest; objects in `made` are intact
 */
export async function rebuildFromPacks(
  links: readonly Link[],
  missing: ReadonlySet<string>,
  made: Set<string>,
  dist: string,
  effects: Effects,
): Promise<void> {
  // A month of packs would take a gigabyte of memory, so they are read twice.
  const nights = links.map((link) => packedIn(link, dist).map(({ making }) => making))
  for (const [night, makings] of stepsTo(missing, nights, links[0]?.parent.files ?? []).entries()) {
    const needed = new Set(makings.map(({ entry }) => entry.sha256))
    if (needed.size === 0) continue
    for (const { making, packed } of packedIn(links[night]!, dist)) {
      const { entry, previous } = making
      if (!needed.has(entry.sha256) || made.has(entry.sha256)) continue
      const bytes = rebuilt(packed, readObject(dist, previous), entry.size)
      if (sha256(bytes) !== entry.sha256) {
        throw new SnapshotError('digest', `a delta pack produces another file than ${describe(entry)}`)
      }
      await replaceFile(objectPath(dist, entry.sha256), bytes, join(temporaryFolder(dist), 'made'), effects)
      made.add(entry.sha256)
    }
  }
}

function packedIn({ child, parent, pack }: Link, dist: string): { making: Making; packed: PackedFile }[] {
  return decodePack(readStored(dist, pack, describePack(pack))).map((packed) => {
    const [entry, previous] = [child.files[packed.file], parent.files[packed.previous]]
    if (!entry || !previous) throw new SnapshotError('malformed', `${describePack(pack)} refers to unknown files`)
    return { making: { entry, previous }, packed }
  })
}

/**
 * Returns the shards to rebuild in each night: the wanted ones, and the intermediate ones that lead to them from the
 * files in `had`. A chain with a gap is dropped, and its result is fetched whole.
 */
function stepsTo(
  wanted: ReadonlySet<string>,
  nights: readonly (readonly Making[])[],
  had: readonly Stored[],
): Making[][] {
  const known = new Set(had.map(({ sha256 }) => sha256))
  const possible = nights.map((night) => {
    const step = night.filter(({ previous }) => known.has(previous.sha256))
    for (const { entry } of step) known.add(entry.sha256)
    return step
  })
  const needed = new Set(wanted)
  const steps: Making[][] = []
  for (const night of possible.toReversed()) {
    const step = night.filter(({ entry }) => needed.has(entry.sha256))
    for (const { previous } of step) needed.add(previous.sha256)
    steps.unshift(step)
  }
  return steps
}

/** Maximum ratio of an earlier manifest's size to today's. */
const MOST_SHRUNK = 8

/** Returns no links if whole objects are cheaper. */
export async function worthwhileLinks(
  manifest: Manifest,
  missing: readonly FileEntry[],
  have: Pointer,
  transfers: Transfers,
): Promise<Link[]> {
  const { dist, source, effects } = transfers
  const shards = bytesOf(missing.filter(({ derived }) => !derived))
  if (shards === 0 || have.snapshot === manifest.snapshot) return []
  const worth = source.isBundle ? Number.POSITIVE_INFINITY : shards
  // A digest can only be checked after the whole download.
  const most = Math.min(MAX_MANIFEST_BYTES, MOST_SHRUNK * JSON.stringify(manifest).length)
  const manifestOf = async (digest: string) => {
    const known = knownManifest(dist, digest)
    if (known) return { manifest: known.manifest, cost: 0 }
    const bytes = await readFile(manifestName(digest), most, transfers)
    if (sha256(bytes) !== digest) throw new SnapshotError('digest', `the manifest ${digest} does not match its digest`)
    // `/changes` needs the whole chain, including skipped nights.
    await replaceFile(manifestPath(dist, digest), bytes, join(temporaryFolder(dist), 'between'), effects)
    return { manifest: decodeManifest(bytes), cost: bytes.length }
  }
  try {
    return (await linksTo(manifest, have.manifest.sha256, worth, manifestOf)) ?? []
  } catch (error) {
    withoutPacks(error, effects)
    return []
  }
}

export interface PackRebuilds {
  /** Digests of rebuilt objects. */
  made: ReadonlySet<string>
  /** Without packs of an interrupted run. */
  fetched: readonly Stored[]
}

export async function rebuiltFromPacks(
  links: readonly Link[],
  missing: readonly FileEntry[],
  transfers: Transfers,
  onBytes: (bytes: number) => void,
): Promise<PackRebuilds> {
  const { dist, effects } = transfers
  const packs: { object: Stored; name: string }[] = []
  for (const { pack } of links) {
    if (!(await isHere(dist, pack, new Map()))) packs.push({ object: pack, name: describePack(pack) })
  }
  const wanted = new Set(missing.map(({ sha256 }) => sha256))
  const made = new Set<string>()
  try {
    await downloadAll(packs, { ...transfers, onBytes })
    await rebuildFromPacks(links, wanted, made, dist, effects)
  } catch (error) {
    withoutPacks(error, effects)
  }
  return { made, fetched: packs.map(({ object }) => object) }
}

/** Faults of the file, not of the connection. */
const WRONG_FILE: readonly TransferErrorCode[] = ['missing', 'refused', 'digest', 'cut', 'restart', 'too_large']

/** Without usable packs, objects are fetched whole. */
function withoutPacks(error: unknown, effects: NetworkEffects): void {
  const isTheirs = error instanceof SnapshotError || (error instanceof TransferError && WRONG_FILE.includes(error.code))
  if (!isTheirs) throw error
  effects.log(`cannot use delta packs, downloading files instead: ${error.message}`)
}
