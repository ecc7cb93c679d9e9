/** The EPSS editions that the history consists of. SPEC.md, "EPSS editions". */
import type { Edition } from '../../model/epss/changes.ts'
import { utcDate } from '../../model/values/date.ts'
import { SnapshotError } from '../error.ts'

export const encodeEditions = (editions: readonly Edition[]): Buffer =>
  Buffer.from(
    JSON.stringify({ editions: editions.map(({ date, model, scores }) => ({ date, model_version: model, scores })) }),
  )

/**
 * Returns the editions, oldest first.
 * @throws SnapshotError `malformed`
 */
export function decodeEditions(bytes: Uint8Array): Edition[] {
  let parsed: { editions?: unknown } | null
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString())
  } catch (cause) {
    throw new SnapshotError('malformed', 'the EPSS editions are not JSON', { cause })
  }
  const found = Array.isArray(parsed?.editions) ? parsed.editions.map(editionIn) : [null]
  const isSorted = found.every((edition, i) => edition !== null && (found[i - 1]?.date ?? '') < edition.date)
  if (!isSorted) throw new SnapshotError('malformed', 'the EPSS editions are damaged')
  return found as Edition[]
}

function editionIn(entry: unknown): Edition | null {
  const { date, model_version: model, scores } = (entry ?? {}) as Record<string, unknown>
  const isEdition =
    typeof date === 'string' &&
    utcDate(date) === date &&
    typeof model === 'string' &&
    Number.isSafeInteger(scores) &&
    (scores as number) >= 0
  return isEdition ? { date, model, scores: scores as number } : null
}
