/**
 * Delta packs of a mirror: the chain of snapshots that leads from the one that is here to the one that is wanted, and the
 * shards that are made on the way. SPEC.md, "Delta pack".
 */
import { dirname, join } from 'node:path'
import type { Effects } from '../../corpus/command/effects.ts'
import { decodePack, type PackedFile, rebuilt } from '../../corpus/snapshot/delta.ts'
import { sha256 } from '../../corpus/snapshot/digest.ts'
import { SnapshotError } from '../../corpus/snapshot/error.ts'
import {
  describe,
  describePack,
  objectPath,
  readObject,
  readStored,
  temporaryFolder,
} from '../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest } from '../../corpus/snapshot/manifest.ts'
import type { Stored } from './objects.ts'

/** One night: a snapshot, the one it was built upon, and the pack that leads from that to it. */
export interface Link {
  child: Manifest
  parent: Manifest
  pack: Stored
}

/** Behind so many nights nobody goes back: their manifests alone would be more than what has stayed. */
const MOST_LINKS = 30

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
  while (links.length < MOST_LINKS) {
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

/** A shard that is to be made. */
interface Making {
  entry: FileEntry
  former: FileEntry
  packed: PackedFile
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
  for (const makings of stepsTo(
    missing,
    links.map((link) => makingsOf(link, dist)),
  )) {
    for (const { entry, former, packed } of makings) {
      if (made.has(entry.sha256)) continue
      const bytes = rebuilt(packed, readObject(dist, former), entry.size)
      if (sha256(bytes) !== entry.sha256) {
        throw new SnapshotError('digest', `a delta pack makes something else of ${describe(entry)}`)
      }
      const staged = join(temporaryFolder(dist), 'made')
      const path = objectPath(dist, entry.sha256)
      await effects.mkdir(dirname(path))
      await effects.write(staged, bytes)
      await effects.rename(staged, path)
      made.add(entry.sha256)
    }
  }
}

function makingsOf({ child, parent, pack }: Link, dist: string): Making[] {
  return decodePack(readStored(dist, pack, describePack(pack))).map((packed) => {
    const [entry, former] = [child.files[packed.file], parent.files[packed.former]]
    if (!entry || !former) throw new SnapshotError('malformed', `${describePack(pack)} is of files that there are not`)
    return { entry, former, packed }
  })
}

/** Of each night what is needed of it in the end: what is wanted, and what leads to that. */
export function stepsTo(wanted: ReadonlySet<string>, nights: readonly (readonly Making[])[]): Making[][] {
  const needed = new Set(wanted)
  const steps: Making[][] = []
  for (const night of nights.toReversed()) {
    const step = night.filter(({ entry }) => needed.has(entry.sha256))
    for (const { former } of step) needed.add(former.sha256)
    steps.unshift(step)
  }
  return steps
}
