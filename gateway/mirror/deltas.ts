/**
 * Delta packs of a mirror: the chain of snapshots that leads from the one that is here to the one that is wanted, where it
 * is worth it, and the shards that are made on the way. Where packs are of no use, files come whole. SPEC.md, "Delta pack".
 */
import { join } from 'node:path'
import { type Effects, replaceFile } from '../../corpus/command/effects.ts'
import { MAX_MANIFEST_BYTES } from '../../corpus/snapshot/bounds.ts'
import { decodePack, MOST_NIGHTS, type PackedFile, rebuilt } from '../../corpus/snapshot/delta.ts'
import { sha256 } from '../../corpus/snapshot/digest.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import {
  describe,
  describePack,
  manifestName,
  manifestPath,
  objectPath,
  readObject,
  readStored,
  temporaryFolder,
} from '../../corpus/snapshot/layout.ts'
import { decodeManifest, type FileEntry, type Manifest, type Stored } from '../../corpus/snapshot/manifest.ts'
import type { Pointer } from '../../corpus/snapshot/pointer.ts'
import { TransferError, type TransferErrorCode } from '../../corpus/transfer/error.ts'
import type { NetworkEffects } from '../../corpus/transfer/network.ts'
import { knownManifest } from './folder.ts'
import { bytesOf, isHere } from './objects.ts'
import { askFor, fetchAll, type Transfers } from './transfers.ts'

/** One night: a snapshot, the one it was built upon, and the pack that leads from that to it. */
export interface Link {
  child: Manifest
  parent: Manifest
  pack: Stored
}

/**
 * The links from the snapshot whose manifest has the digest `have` to the one of `manifest`, the oldest first; null where
 * there are none, or where they cost as much as `worth` bytes. `manifestOf` gets a manifest by its digest, and what it cost.
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
  while (links.length < MOST_NIGHTS) {
    const { parent, delta } = child
    if (!parent || !delta) return null
    spent += delta.size
    if (spent >= worth) return null
    const { manifest: before, cost } = await manifestOf(parent.manifest)
    if (before.snapshot !== parent.snapshot) {
      throw new SnapshotError(
        'malformed',
        `the manifest ${parent.manifest} is not of the snapshot that its child names`,
      )
    }
    links.unshift({ child, parent: before, pack: delta })
    if (parent.manifest === have) return links
    spent += cost
    child = before
  }
  return null
}

/** A shard that is to be made, and of what. */
interface Making {
  entry: FileEntry
  former: FileEntry
}

/**
 * Makes of the missing objects those that the packs lead to, and adds their digests to `made`. The packs must be here.
 * @throws SnapshotError where a pack does not make what its manifest names: what was made until then is sound
 */
export async function makeFromPacks(
  links: readonly Link[],
  missing: ReadonlySet<string>,
  made: Set<string>,
  dist: string,
  effects: Effects,
): Promise<void> {
  // Packs are read twice: those of a month would take a gigabyte together.
  const nights = links.map((link) => packedIn(link, dist).map(({ making }) => making))
  for (const [night, makings] of stepsTo(missing, nights, links[0]?.parent.files ?? []).entries()) {
    const needed = new Set(makings.map(({ entry }) => entry.sha256))
    if (needed.size === 0) continue
    for (const { making, packed } of packedIn(links[night]!, dist)) {
      const { entry, former } = making
      if (!needed.has(entry.sha256) || made.has(entry.sha256)) continue
      const bytes = rebuilt(packed, readObject(dist, former), entry.size)
      if (sha256(bytes) !== entry.sha256) {
        throw new SnapshotError('digest', `a delta pack makes something else of ${describe(entry)}`)
      }
      await replaceFile(objectPath(dist, entry.sha256), bytes, join(temporaryFolder(dist), 'made'), effects)
      made.add(entry.sha256)
    }
  }
}

function packedIn({ child, parent, pack }: Link, dist: string): { making: Making; packed: PackedFile }[] {
  return decodePack(readStored(dist, pack, describePack(pack))).map((packed) => {
    const [entry, former] = [child.files[packed.file], parent.files[packed.former]]
    if (!entry || !former) throw new SnapshotError('malformed', `${describePack(pack)} is of files that there are not`)
    return { making: { entry, former }, packed }
  })
}

/**
 * Of each night what is needed of it in the end: what is wanted, and what leads to that from the files that are `had`. A
 * shard that was in no pack on the way leads nowhere, and what would be made of it comes whole.
 */
function stepsTo(
  wanted: ReadonlySet<string>,
  nights: readonly (readonly Making[])[],
  had: readonly Stored[],
): Making[][] {
  const known = new Set(had.map(({ sha256 }) => sha256))
  const possible = nights.map((night) => {
    const step = night.filter(({ former }) => known.has(former.sha256))
    for (const { entry } of step) known.add(entry.sha256)
    return step
  })
  const needed = new Set(wanted)
  const steps: Making[][] = []
  for (const night of possible.toReversed()) {
    const step = night.filter(({ entry }) => needed.has(entry.sha256))
    for (const { former } of step) needed.add(former.sha256)
    steps.unshift(step)
  }
  return steps
}

/** So many times as long as that of today no manifest of the month before is. */
const MOST_SHRUNK = 8

/** What leads from the snapshot that is here to the one that is wanted; nothing where whole objects are less. */
export async function worthwhileLinks(
  manifest: Manifest,
  missing: readonly FileEntry[],
  have: Pointer,
  transfers: Transfers,
): Promise<Link[]> {
  const { dist, source, effects } = transfers
  const shards = bytesOf(missing.filter(({ role }) => role === 'cve' || role === 'catalog'))
  if (shards === 0 || have.snapshot === manifest.snapshot) return []
  const worth = source.isPart ? Number.POSITIVE_INFINITY : shards
  // Only what has come whole can be held against its digest.
  const most = Math.min(MAX_MANIFEST_BYTES, MOST_SHRUNK * JSON.stringify(manifest).length)
  const manifestOf = async (digest: string) => {
    const known = knownManifest(dist, digest)
    if (known) return { manifest: decodeManifest(known), cost: 0 }
    const bytes = await askFor(manifestName(digest), most, transfers)
    if (sha256(bytes) !== digest) throw new SnapshotError('digest', `the manifest ${digest} has another digest`)
    // The chain of manifests is what `/changes` goes back by, also over nights that were never here.
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

/** What packs have brought. */
export interface FromPacks {
  /** Digests of what was made. */
  made: ReadonlySet<string>
  /** The packs that came now; others had come with a run that broke off. */
  fetched: readonly Stored[]
}

/** Fetches the packs that are not here yet, and makes with them what is missing, as far as they lead. */
export async function madeFromPacks(
  links: readonly Link[],
  missing: readonly FileEntry[],
  transfers: Transfers,
  onBytes: (bytes: number) => void,
): Promise<FromPacks> {
  const { dist, effects } = transfers
  const packs: { object: Stored; name: string }[] = []
  for (const { pack } of links) {
    if (!(await isHere(dist, pack, new Map()))) packs.push({ object: pack, name: describePack(pack) })
  }
  const wanted = new Set(missing.map(({ sha256 }) => sha256))
  const made = new Set<string>()
  try {
    await fetchAll(packs, transfers, onBytes)
    await makeFromPacks(links, wanted, made, dist, effects)
  } catch (error) {
    withoutPacks(error, effects)
  }
  return { made, fetched: packs.map(({ object }) => object) }
}

/** What is wrong with a file that is offered, and not with the way to it. */
const WRONG_FILE: readonly TransferErrorCode[] = ['missing', 'refused', 'digest', 'cut', 'restart', 'too_large']

/** Packs spare bytes; where they are missing or damaged, objects come whole. */
function withoutPacks(error: unknown, effects: NetworkEffects): void {
  const isTheirs = error instanceof SnapshotError || (error instanceof TransferError && WRONG_FILE.includes(error.code))
  if (!isTheirs) throw error
  effects.log(`delta packs are of no use, so files are fetched whole: ${error.message}`)
}
