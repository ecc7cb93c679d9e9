/**
 * What a mirror that has a snapshot's parent fetches, reckoned from the two: nothing is transferred. Once by whole
 * objects, as any mirror can; once by what a delta carries (DESIGN, "Delta packs"): the members that changed, of each
 * shard the recipe that puts it together, EPSS and the small files as they are; what is derived is rebuilt.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { readCurrent, readManifest, readObject } from '../../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest } from '../../../corpus/snapshot/manifest.ts'
import type { Segment } from '../../../corpus/snapshot/member.ts'
import { membersOf } from '../../../corpus/snapshot/shard.ts'

/** Everything in bytes, except where it says otherwise. */
export interface Fetched {
  /** The manifest, and every file that it lists and the parent does not. */
  objects: number
  objectCount: number
  /** The same without what is derived. */
  objectsUnderived: number
  /** All of a delta: the four below and the manifest. */
  delta: number
  /** Compressed members as they lie, of CVEs and catalogues. */
  members: number
  memberCount: number
  /** Of these members what their former selves do not have: heads and segments that say something else. */
  changedParts: number
  recipes: number
  epss: number
  /** `about` and `rejected`. */
  tables: number
  manifest: number
  /** The JSON of the same members, each gzipped by itself at level 6, and the EPSS columns. */
  reference: number
  /** The same JSON gzipped in one go, and the EPSS columns. */
  referenceTogether: number
}

/** @throws SnapshotError; Error where the current snapshot has no parent */
export function fetchedOf(dist: string): Fetched {
  const { pointer, manifest } = readCurrent(dist)
  if (manifest.parent === null) throw new Error(`the snapshot in ${dist} has no parent to be compared with`)
  const parent = readManifest(dist, manifest.parent.manifest)
  const had = new Set(parent.files.map(({ sha256 }) => sha256))
  const wanted = manifest.files.filter(({ sha256 }) => !had.has(sha256))
  const sizeOf = (files: readonly FileEntry[]) => files.reduce((sum, { size }) => sum + size, 0)
  const ofRole = (...roles: FileEntry['role'][]) => wanted.filter(({ role }) => roles.includes(role))

  let [members, memberCount, changedParts, recipes, alone] = [0, 0, 0, 0, 0]
  const plain: Buffer[] = []
  for (const file of ofRole('cve', 'catalog')) {
    const change = changeOf(readObject(dist, file), shardOf(dist, parent, file))
    recipes += change.recipeBytes
    changedParts += change.partBytes
    for (const member of change.members) {
      const json = gunzipSync(member)
      memberCount++
      members += member.length
      alone += gzipSync(json, { level: 6 }).length
      plain.push(json)
    }
  }
  const manifestBytes = pointer.manifest.size
  const epss = sizeOf(ofRole('epss'))
  const tables = sizeOf(ofRole('about', 'rejected'))
  return {
    objects: sizeOf(wanted) + manifestBytes,
    objectCount: wanted.length + 1,
    objectsUnderived: sizeOf(wanted.filter(({ derived }) => !derived)) + manifestBytes,
    delta: members + recipes + epss + tables + manifestBytes,
    members,
    memberCount,
    changedParts,
    recipes,
    epss,
    tables,
    manifest: manifestBytes,
    reference: alone + epss,
    referenceTogether: gzipSync(Buffer.concat(plain), { level: 6 }).length + epss,
  }
}

/** The parent's shard of the same name; empty where it had none. */
function shardOf(dist: string, parent: Manifest, { role, name }: FileEntry): Buffer {
  const file = parent.files.find((one) => one.role === role && one.name === name)
  return file ? readObject(dist, file) : Buffer.alloc(0)
}

export interface ShardChange {
  /** The members that the old shard does not have, byte for byte. */
  members: Buffer[]
  /** Of these the heads, and the segments that the member of the same key has not. */
  partBytes: number
  /** Length of the recipe that makes the new shard of the old one and these. */
  recipeBytes: number
}

/**
 * What leads from one shard to another. A recipe is runs in the order of the new shard, each two numbers in seven bits a
 * byte: its length, with a bit for where it comes from, and, of the old shard, how far behind the run before it begins.
 * @throws SnapshotError
 */
export function changeOf(shard: Buffer, before: Buffer): ShardChange {
  const old = new Map([...membersOf(before)].map((member) => [member.key, member]))
  const members: Buffer[] = []
  const runs: { from: number | null; length: number }[] = []
  let partBytes = 0
  for (const { key, at, length, headLength, segments } of membersOf(shard)) {
    const bytes = shard.subarray(at, at + length)
    const same = old.get(key)
    const isKept = same !== undefined && bytes.equals(before.subarray(same.at, same.at + same.length))
    if (!isKept) {
      members.push(bytes)
      const isNew = ({ hash }: Segment) => !same?.segments.some((former) => Buffer.compare(former.hash, hash) === 0)
      partBytes += segments.filter(isNew).reduce((sum, segment) => sum + segment.length, headLength)
    }
    const last = runs.at(-1)
    const from = isKept ? same.at : null
    const goesOn =
      last !== undefined &&
      (from === null ? last.from === null : last.from !== null && last.from + last.length === from)
    if (goesOn) last.length += length
    else runs.push({ from, length })
  }
  let recipeBytes = 0
  let end = 0
  for (const { from, length } of runs) {
    recipeBytes += sevenBitLength(length * 2)
    if (from === null) continue
    recipeBytes += sevenBitLength(Math.abs(from - end) * 2)
    end = from + length
  }
  return { members, partBytes, recipeBytes }
}

/** Bytes that a whole number takes at seven bits a byte. */
function sevenBitLength(value: number): number {
  let bytes = 1
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes++
  return bytes
}
