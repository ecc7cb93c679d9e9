/** Answers the full entry of a catalog: as stored, or with selected fields. */
import type { Steps } from '../../runtime/steps.ts'
import { type ReadMember, type SnapshotData, spliced } from '../../snapshot/index.ts'
import { type Answer, jsonAnswer, splicedAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { notFound } from '../errors.ts'
import { entrySegment, entryText } from '../plan/entry.ts'

/**
 * `what` names the entry's type, such as `weakness`.
 * @throws ApiError `not_found` (rule 9)
 */
export function* catalogEntry(
  { snapshots: { current } }: Context,
  list: 'cwes' | 'capecs',
  what: string,
  id: string,
  fields: readonly string[] | undefined,
): Steps<Answer> {
  const member = yield* current.lists[list].entry(id)
  if (!member) throw notFound(`the catalog has no ${what} ${id.toUpperCase()}`)
  if (!fields) return entryAnswer(current, member)
  const entry = JSON.parse(entryText(member)) as object
  const chosen = Object.entries(entry).filter(([field]) => fields.includes(field))
  return jsonAnswer(Object.fromEntries(chosen), 'shard', current.id)
}

/** Answers an entry as stored. */
export const entryAnswer = (snapshot: SnapshotData, member: ReadMember): Answer =>
  splicedAnswer(snapshot, 'shard', [spliced(member, entrySegment(member))])
