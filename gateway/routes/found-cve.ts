/** Finds the CVE of a path, checks the caller's access, and answers its parts. */
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import type { PartName } from '../../corpus/model/record.ts'
import { addPart, findRow, type Piece, type ReadMember, SnapshotError } from '../../corpus/snapshot/index.ts'
import { type Answer, jsonAnswer } from '../http/answer.ts'
import { notFound } from '../http/errors.ts'
import { cveId } from '../params/ids.ts'
import { partCount, partValue, splicedAnswer } from '../plan/cve-answer.ts'
import type { OpenSnapshot } from '../snapshots/open-snapshot.ts'
import type { Context } from './context.ts'

export const cvePath = { cveId: cveId() }

export interface FoundCve {
  snapshot: OpenSnapshot
  row: number
  member: ReadMember
}

/** @throws ApiError `not_found`, for a rejected record with its date (rule 10); `tier_restricted` */
export function findCve({ registry, access, subject }: Context, id: CveId): FoundCve {
  const snapshot = registry.current
  const row = findRow(snapshot.index, id)
  if (row >= 0) {
    access.judge(subject, snapshot, row, id)
    return { snapshot, row, member: memberOf(snapshot, row, id) }
  }
  const rejectedAt = snapshot.rejected.get(id)
  if (rejectedAt === undefined) throw notFound(`no record exists for ${id}`)
  throw notFound(`the record of ${id} was rejected${rejectedAt ? ` on ${rejectedAt}` : ''}`)
}

/** The id is checked, because an index may be wrong. */
function memberOf(snapshot: OpenSnapshot, row: number, id: CveId): ReadMember {
  const member = snapshot.member(row)
  if (member.key !== id) throw new SnapshotError('malformed', `the position of ${id} in the index has ${member.key}`)
  return member
}

/** Without `test`, items are answered as stored. */
export function itemsAnswer(
  found: FoundCve,
  id: CveId,
  part: PartName,
  key: string,
  test: ((item: never) => boolean) | null,
): Answer {
  const { snapshot, member } = found
  if (test && part !== 'core') {
    const items = (partValue(member, part) as never[]).filter(test)
    return jsonAnswer({ cve_id: id, count: items.length, [key]: items }, 'shard', snapshot.id)
  }
  const head = `{"cve_id":"${id}","count":${partCount(member, part)},"${key}":`
  const pieces: Piece[] = []
  pieces.push(`${addPart(pieces, head, member, part)}}`)
  return splicedAnswer(snapshot, 'shard', pieces)
}
