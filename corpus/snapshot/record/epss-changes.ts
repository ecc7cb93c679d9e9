/** The changes of the EPSS scores of a snapshot, by row. SPEC.md, "EPSS changes". */
import { byDays, CHANGE_DAYS, type ChangeDays, NO_CHANGE, scoresOn, ZERO_CHANGE } from '../../model/epss/changes.ts'
import { utcDate } from '../../model/values/date.ts'
import { column, decodeTable, encodeTable } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { historyTexts } from './epss-history.ts'

export interface EpssChanges {
  /** `YYYY-MM-DD` of the edition that the scores are compared with. Null: no change is known. */
  since: Record<ChangeDays, string | null>
  /** By row: billionths plus `ZERO_CHANGE`, or `NO_CHANGE`. */
  values: Record<ChangeDays, Uint32Array>
}

const columnOf = (days: ChangeDays) => `days${days}`

export function encodeEpssChanges({ since, values }: EpssChanges): Buffer {
  return encodeTable({
    about: { since },
    columns: Object.fromEntries(CHANGE_DAYS.map((days) => [columnOf(days), values[days]])),
  })
}

/** @throws SnapshotError `malformed` */
export function decodeEpssChanges(bytes: Uint8Array): EpssChanges {
  const table = decodeTable(bytes)
  const { since = {} } = table.about as { since?: Partial<Record<ChangeDays, unknown>> }
  const values = byDays((days) => column(table, columnOf(days), 'u32'))
  const isValid = CHANGE_DAYS.every((days) => {
    const date = since[days]
    const isDate = date === null || (typeof date === 'string' && utcDate(date) === date)
    return isDate && values[days].every((value) => value === NO_CHANGE || value <= 2 * ZERO_CHANGE)
  })
  if (!isValid || values[7].length !== values[30].length) {
    throw new SnapshotError('malformed', 'the table of EPSS changes is damaged')
  }
  return { since: since as EpssChanges['since'], values }
}

/** Returns the change of a row in billionths; null if it is not known. */
export function changeAt({ values }: EpssChanges, days: ChangeDays, row: number): number | null {
  const value = values[days][row]
  return value === undefined || value === NO_CHANGE ? null : value - ZERO_CHANGE
}

/**
 * Returns the scores on the dates `since` of the ids in a file of the history, by the last three digits of their numbers:
 * billionths or `NO_EPSS`.
 * @throws SnapshotError
 */
export function scoresBefore(file: Buffer, since: EpssChanges['since']): EpssChanges['values'] {
  const { key, texts } = historyTexts(file)
  const dates = CHANGE_DAYS.map((days) => since[days])
  const scores = scoresOn(texts, dates)
  if (scores === null) throw new SnapshotError('malformed', `the EPSS history of ${key} cannot be read`)
  return byDays((days) => scores[CHANGE_DAYS.indexOf(days)]!)
}

/** Ids of a row and a change fit exactly into a double below this number of rows. */
const MAX_ROWS = 2 ** 22

/** Returns the rows by their change, descending, then by their number, descending; those without a change last. */
export function rowsByChange(values: Uint32Array): { rows: Uint32Array; keyed: number } {
  if (values.length > MAX_ROWS) throw new RangeError(`more than ${MAX_ROWS} rows cannot be sorted by their change`)
  // One number per row: sorting numbers takes a tenth of the time of comparing rows.
  const keys = new Float64Array(values.length)
  let keyed = 0
  values.forEach((value, row) => {
    if (value !== NO_CHANGE) keyed++
    keys[row] = (value === NO_CHANGE ? 0 : value + 1) * MAX_ROWS + row
  })
  keys.sort().reverse()
  return { rows: Uint32Array.from(keys, (key) => key % MAX_ROWS), keyed }
}
