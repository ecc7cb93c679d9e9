/** Answers the full entry of a catalog: as stored, or with selected fields. */
import type { Answer } from '../http/answer.ts'
import { notFound } from '../http/errors.ts'
import { entryAnswer } from '../plan/list-answer.ts'
import type { Context } from './context.ts'

/**
 * `what` names the entry's type, such as `weakness`.
 * @throws ApiError `not_found` (rule 9)
 */
export function catalogEntry(
  { registry: { current } }: Context,
  list: 'cwes' | 'capecs',
  what: string,
  id: string,
  fields: readonly string[] | undefined,
): Answer {
  const ordinal = current.lists[list].ordinalOf(id)
  if (ordinal === undefined) throw notFound(`the catalog has no ${what} ${id.toUpperCase()}`)
  return entryAnswer(current, list, ordinal, fields)
}
