/** Members of hashed shards. */
import { SnapshotError } from '../error.ts'
import { HASHED_KINDS, type HashedRole, hashedMemberKey } from './hashed-shard.ts'
import { decodeMemberHead, type ReadMember } from './member.ts'

/**
 * Decodes the bytes at a position of the index. Returns null for the member of another key with the same hash.
 * @throws SnapshotError
 */
export function decodeHashedMember(role: HashedRole, key: string, bytes: Buffer): ReadMember | null {
  const head = decodeMemberHead(bytes)
  if (head.key !== hashedMemberKey(key)) return null
  if (head.segments[0]?.kind !== HASHED_KINDS[role]) {
    throw new SnapshotError('malformed', `${head.key} is not a member of ${role}`)
  }
  return { ...head, bytes }
}
