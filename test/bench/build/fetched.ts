/**
 * Computes the download of a mirror that has a snapshot's parent, without a transfer. There are two cases: whole
 * objects; and the delta pack of the build (SPEC.md, "Delta pack") plus whole objects that it does not cover. Derived
 * files are rebuilt.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import { decodePack } from '../../../corpus/snapshot/files/delta.ts'
import {
  describePack,
  readCurrent,
  readManifest,
  readObject,
  readStored,
} from '../../../corpus/snapshot/files/layout.ts'
import type { FileEntry, Manifest } from '../../../corpus/snapshot/files/manifest.ts'
import { membersOf as membersIn } from '../../../corpus/snapshot/record/shard.ts'

/** All values in bytes unless noted. */
export interface Fetched {
  /** The manifest, and every file in it that the parent does not have. */
  objects: number
  objectCount: number
  /** The same without derived files. */
  objectsUnderived: number
  pack: number
  /** The pack, the manifest, and the files that are neither derived nor covered by the pack. */
  delta: number
  /** Changed members of shards, compressed as stored, by role. */
  membersOf: Record<ShardRole, number>
  memberCount: number
  /** Shards that are not in the pack: new ones, and mostly new ones. */
  whole: number
  /** EPSS, `about` and `rejected`. */
  tables: number
  manifest: number
  /** The JSON of the same members, each gzipped separately at level 6, and the EPSS columns. */
  reference: number
}

const TABLE_ROLES = ['epss', 'about', 'rejected'] as const
/** The roles of shards that are not derived, except the history of EPSS. */
const SHARD_ROLES = ['cve', 'catalog', 'advisories', 'packages'] as const
type ShardRole = (typeof SHARD_ROLES)[number]

/** @throws SnapshotError; Error if the current snapshot has no parent, or no pack from it */
export function fetchedOf(dist: string): Fetched {
  const { pointer, manifest } = readCurrent(dist)
  if (manifest.parent === null) throw new Error(`the snapshot in ${dist} has no parent to be compared with`)
  if (manifest.delta === null) throw new Error(`the snapshot in ${dist} has no delta pack; --fresh makes it anew`)
  const parent = readManifest(dist, manifest.parent.manifest)
  const had = new Set(parent.files.map(({ sha256 }) => sha256))
  const wanted = manifest.files.filter(({ sha256 }) => !had.has(sha256))
  const sizeOf = (files: readonly FileEntry[]) => files.reduce((sum, { size }) => sum + size, 0)
  const ofRole = (...roles: FileEntry['role'][]) => wanted.filter(({ role }) => roles.includes(role))

  let [memberCount, alone] = [0, 0]
  const membersOf: Record<ShardRole, number> = { cve: 0, catalog: 0, advisories: 0, packages: 0 }
  const shards = ofRole(...SHARD_ROLES)
  for (const file of shards) {
    for (const member of changedMembers(readObject(dist, file), shardOf(dist, parent, file))) {
      memberCount++
      membersOf[file.role as ShardRole] += member.length
      alone += gzipSync(gunzipSync(member), { level: 6 }).length
    }
  }
  const pack = decodePack(readStored(dist, manifest.delta, describePack(manifest.delta)))
  const packed = new Set(pack.map(({ file }) => manifest.files[file]!.sha256))
  const manifestBytes = pointer.manifest.size
  const tables = sizeOf(ofRole(...TABLE_ROLES))
  const others = wanted.filter(({ derived, role }) => !derived && !TABLE_ROLES.some((one) => one === role))
  const whole = sizeOf(others.filter(({ sha256 }) => !packed.has(sha256)))
  return {
    objects: sizeOf(wanted) + manifestBytes,
    objectCount: wanted.length + 1,
    objectsUnderived: sizeOf(wanted.filter(({ derived }) => !derived)) + manifestBytes,
    pack: manifest.delta.size,
    delta: manifest.delta.size + whole + tables + manifestBytes,
    membersOf,
    memberCount,
    whole,
    tables,
    manifest: manifestBytes,
    reference: alone + sizeOf(ofRole('epss')),
  }
}

/** Returns the parent's shard of the same name; empty if there is none. */
function shardOf(dist: string, parent: Manifest, { role, name }: FileEntry): Buffer {
  const file = parent.files.find((one) => one.role === role && one.name === name)
  return file ? readObject(dist, file) : Buffer.alloc(0)
}

/** Returns the members that the old shard does not contain byte for byte. */
export function changedMembers(shard: Buffer, before: Buffer): Buffer[] {
  const bytesIn = (bytes: Buffer, { at, length }: { at: number; length: number }) => bytes.subarray(at, at + length)
  const old = new Map([...membersIn(before)].map((member) => [member.key, bytesIn(before, member)]))
  return [...membersIn(shard)].flatMap((member) => {
    const bytes = bytesIn(shard, member)
    return old.get(member.key)?.equals(bytes) ? [] : [bytes]
  })
}
