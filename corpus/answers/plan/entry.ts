/** Entries of catalogs: as stored, or as values. */
import { ENTRY_KIND, plainBytes, type ReadMember, SnapshotError } from '../../snapshot/index.ts'

/** @throws SnapshotError `malformed` */
export function entrySegment(member: ReadMember) {
  const [segment] = member.segments
  if (segment?.kind !== ENTRY_KIND) throw new SnapshotError('malformed', `${member.key} is not a catalog entry`)
  return segment
}

/** Returns the JSON of an entry. @throws SnapshotError */
export const entryText = (member: ReadMember): string => plainBytes(member.bytes, entrySegment(member)).toString()
