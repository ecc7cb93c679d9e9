/**
 * What a mirror that has a snapshot's parent fetches, reckoned from the two: nothing is transferred. Once by whole
 * objects, as any mirror can; once by what a delta carries (DESIGN, "Delta packs"): the bytes of each shard that its
 * former self lacks, the recipe that puts it together from both, EPSS and the small files as they are; what is derived is
 * rebuilt.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { readCurrent, readManifest, readObject } from '../../../corpus/snapshot/layout.ts'
import type { FileEntry, Manifest } from '../../../corpus/snapshot/manifest.ts'
import { membersOf, type PlacedMember } from '../../../corpus/snapshot/shard.ts'

/** Everything in bytes, except where it says otherwise. */
export interface Fetched {
  /** The manifest, and every file that it lists and the parent does not. */
  objects: number
  objectCount: number
  /** The same without what is derived. */
  objectsUnderived: number
  /** All of a delta: what it carries, recipes, EPSS, tables and the manifest. */
  delta: number
  /** Members that changed, of CVEs and catalogues, compressed as they lie. */
  members: number
  memberCount: number
  /** Of these members what a delta carries: all but the segments that their former selves have. */
  carried: number
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

  let [members, memberCount, carried, recipes, alone] = [0, 0, 0, 0, 0]
  const plain: Buffer[] = []
  for (const file of ofRole('cve', 'catalog')) {
    const change = changeOf(readObject(dist, file), shardOf(dist, parent, file))
    recipes += change.recipeBytes
    carried += change.carriedBytes
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
    delta: carried + recipes + epss + tables + manifestBytes,
    members,
    memberCount,
    carried,
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
  /** What the old shard has not: of such a member all but the segments that the member of the same key had. */
  carriedBytes: number
  /** Length of the recipe that makes the new shard of the old one and what is carried. */
  recipeBytes: number
}

/** A stretch of the new shard, that of the old one which begins at `from`, or else carried. */
interface Run {
  from: number | null
  length: number
}

/**
 * What leads from one shard to another. A recipe is runs in the order of the new shard, each two numbers in seven bits a
 * byte: its length, with a bit for where it comes from, and, of the old shard, how far behind the run before it begins.
 * @throws SnapshotError
 */
export function changeOf(shard: Buffer, before: Buffer): ShardChange {
  const old = new Map([...membersOf(before)].map((member) => [member.key, member]))
  const members: Buffer[] = []
  const runs: Run[] = []
  for (const member of membersOf(shard)) {
    const bytes = shard.subarray(member.at, member.at + member.length)
    const former = old.get(member.key)
    if (former && bytes.equals(before.subarray(former.at, former.at + former.length))) {
      append(runs, { from: former.at, length: member.length })
      continue
    }
    members.push(bytes)
    for (const run of former ? runsOf(bytes, member, before, former) : [carry(member.length)]) append(runs, run)
  }
  return {
    members,
    carriedBytes: runs.reduce((sum, { from, length }) => sum + (from === null ? length : 0), 0),
    recipeBytes: recipeLength(runs),
  }
}

const carry = (length: number): Run => ({ from: null, length })

/** A changed member: its segments where its former self has them, byte for byte, and what lies between them carried. */
function* runsOf(bytes: Buffer, { segments, length }: PlacedMember, before: Buffer, former: PlacedMember) {
  let end = 0
  for (const { offset, length } of segments) {
    const segment = bytes.subarray(offset, offset + length)
    const same = former.segments.find((one) => {
      const at = former.at + one.offset
      return one.length === length && segment.equals(before.subarray(at, at + length))
    })
    if (!same) continue
    yield carry(offset - end)
    yield { from: former.at + same.offset, length }
    end = offset + length
  }
  yield carry(length - end)
}

/** Adds a run; to the last one, where it goes on from it. */
function append(runs: Run[], { from, length }: Run): void {
  if (length === 0) return
  const last = runs.at(-1)
  const expected = last && last.from !== null ? last.from + last.length : null
  if (last && from === expected) last.length += length
  else runs.push({ from, length })
}

function recipeLength(runs: readonly Run[]): number {
  let bytes = 0
  let end = 0
  for (const { from, length } of runs) {
    bytes += sevenBitLength(length * 2)
    if (from === null) continue
    bytes += sevenBitLength(Math.abs(from - end) * 2)
    end = from + length
  }
  return bytes
}

/** Bytes that a whole number takes at seven bits a byte. */
function sevenBitLength(value: number): number {
  let bytes = 1
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes++
  return bytes
}
