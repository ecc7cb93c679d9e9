/** Shards of advisories and packages: a hash of the key chooses the shard. SPEC.md, "Hashed shards". */
import { SHORT_HASH_LENGTH, sha256, shortHash } from '../../runtime/digest.ts'
import { MAX_HASHED_SHARDS } from '../bounds.ts'
import type { FileEntry } from '../files/manifest.ts'

export const HASHED_ROLES = ['advisories', 'packages'] as const
export type HashedRole = (typeof HASHED_ROLES)[number]

/** The kind of the only segment of a member. */
export const HASHED_KINDS: Readonly<Record<HashedRole, number>> = { advisories: 66, packages: 67 }

/** On average, at most: some 0.5 MB. A change of one record rewrites a shard, and a reader may have to read it all. */
const MEMBERS_PER_SHARD = 512

const MAX_KEY_BYTES = 255

/** The first eight bytes of the SHA-256 of a key, big-endian. */
export interface KeyHash {
  high: number
  low: number
}

export function keyHash(key: string): KeyHash {
  const bytes = shortHash(key)
  const view = new DataView(bytes.buffer, bytes.byteOffset, SHORT_HASH_LENGTH)
  return { high: view.getUint32(0), low: view.getUint32(4) }
}

/** Returns the number of shards for a number of members: a power of two, or 0 without members. */
export function hashedShardCount(members: number): number {
  if (members === 0) return 0
  let count = 1
  while (count < MAX_HASHED_SHARDS && members > count * MEMBERS_PER_SHARD) count *= 2
  return count
}

/** Returns the shard of a hash among `count` shards, a power of two. */
export const shardOfHash = (high: number, count: number): number => Math.floor((high * count) / 2 ** 32)

export const hashedShardName = (shard: number): string => shard.toString(16).padStart(4, '0')

/** Returns the key of the member of a key. */
export function hashedMemberKey(key: string): string {
  const encoded = encodeURI(key.toWellFormed())
  return encoded.length <= MAX_KEY_BYTES ? encoded : sha256(key)
}

/** Returns the files of a role in the order of their shards. */
export function hashedFiles(files: readonly FileEntry[], role: HashedRole): FileEntry[] {
  return files.filter((file) => file.role === role).sort((a, b) => (a.name < b.name ? -1 : 1))
}
