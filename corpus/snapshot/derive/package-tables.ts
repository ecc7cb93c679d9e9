/**
 * The tables that find advisories, packages and aliases by their hashes. They are absent from a snapshot without
 * advisories. SPEC.md, "Index" and "Aliases".
 */
import { MAX_HASHED_SHARDS } from '../bounds.ts'
import { decodeTable, encodeTable, type Table } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import type { FileEntry, Manifest } from '../files/manifest.ts'
import { type HashedRole, keyHash, shardOfHash } from '../record/hashed-shard.ts'
import type { HashedRows } from './advisory-rows.ts'
import { type Aliases, decodeAliases, NO_ALIASES } from './aliases.ts'
import { decodeHashed, type HashColumns, hashedColumns, rowsOfHash } from './hashed-table.ts'

/** The positions of the members of hashed shards. Plain data, so that threads can transfer it. */
export interface HashedIndex extends HashColumns {
  at: Uint32Array
  length: Uint32Array
  /** Number of shards, a power of two; 0 without members. */
  shards: number
}

/** The columns beside the hashes. */
export const POSITION_COLUMNS = ['at', 'length'] as const

/** A possible position of a member: the number of its shard, offset and length in it. */
export interface HashedPosition {
  shard: number
  at: number
  length: number
}

/** @throws RangeError when there are more rows than readers accept */
export function encodeHashedIndex({ keys, at, length }: HashedRows): Buffer {
  const { columns, cut } = hashedColumns(keys, { at, length })
  return encodeTable({ about: {}, columns: { ...columns }, cuts: [cut] })
}

/**
 * Decodes an index, or a block of it.
 * @throws SnapshotError `malformed` when the number of shards is impossible
 */
export function decodeHashedIndex(table: Pick<Table, 'columns'>, shards: number): HashedIndex {
  assertShards(shards)
  return { ...decodeHashed(table, POSITION_COLUMNS), shards }
}

/** @throws SnapshotError `malformed` */
function assertShards(shards: number): void {
  const isPower = shards > 0 && shards <= MAX_HASHED_SHARDS && (shards & (shards - 1)) === 0
  if (!isPower) throw new SnapshotError('malformed', `an index of hashed shards does not go with ${shards} shards`)
}

/** Returns where the member of a key can be: usually one position or none. Compare the key of the member. */
export function hashedPositions(index: HashedIndex, key: string): HashedPosition[] {
  const hash = keyHash(key)
  const shard = shardOfHash(hash.high, index.shards)
  return rowsOfHash(index, hash).map((row) => ({ shard, at: index.at[row]!, length: index.length[row]! }))
}

/** Plain data, so that threads can transfer it. */
export interface PackageTables {
  advisories: HashedIndex
  packages: HashedIndex
  aliases: Aliases
}

const NONE = new Uint32Array()
const NO_MEMBERS: HashedIndex = { hashHigh: NONE, hashLow: NONE, at: NONE, length: NONE, shards: 0 }

const shardsOf = ({ files }: Manifest, role: HashedRole) => files.filter((file) => file.role === role).length

/**
 * Returns the index of the members of a role; null without members.
 * @throws SnapshotError `malformed` when there are members, but no index, or the reverse, or an impossible number of shards
 */
export function hashedIndexFile(manifest: Manifest, role: HashedRole): { file: FileEntry; shards: number } | null {
  const file = manifest.files.find((one) => one.role === 'index' && one.name === role)
  const shards = shardsOf(manifest, role)
  if (file) {
    assertShards(shards)
    return { file, shards }
  }
  if (shards === 0) return null
  throw new SnapshotError('malformed', `there is no index of ${role}`)
}

/**
 * Returns the file of aliases; null without advisories.
 * @throws SnapshotError `malformed` when there are advisories, but no aliases
 */
export function aliasesFile(manifest: Manifest): FileEntry | null {
  const file = manifest.files.find(({ role }) => role === 'aliases')
  if (file) return file
  if (shardsOf(manifest, 'advisories') === 0) return null
  throw new SnapshotError('malformed', 'there are no aliases of advisories')
}

/**
 * Decodes the tables of a snapshot. `read` returns the bytes of a file, checked against its digest.
 * @throws SnapshotError `malformed`, and what `read` throws
 */
export function readPackageTables(manifest: Manifest, read: (file: FileEntry) => Uint8Array): PackageTables {
  const indexOf = (role: HashedRole) => {
    const found = hashedIndexFile(manifest, role)
    return found ? decodeHashedIndex(decodeTable(read(found.file)), found.shards) : NO_MEMBERS
  }
  const aliases = aliasesFile(manifest)
  return {
    advisories: indexOf('advisories'),
    packages: indexOf('packages'),
    aliases: aliases ? decodeAliases(read(aliases)) : NO_ALIASES,
  }
}
