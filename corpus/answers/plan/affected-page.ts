/** Pages of the rows of `/affected`. */
import type { AffectedRow } from '../../model/packages/affected-row.ts'
import { compareText } from '../../model/sources.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { cursorId, type RowKey, SEVERITIES, toBillionths } from '../../snapshot/index.ts'

export interface AffectedPage {
  data: AffectedRow[]
  /** Of the last row, if rows follow. */
  last: RowKey | null
}

/** `after` need not be the key of a row: the rows may be those of a newer snapshot. */
export function pageOfRows(rows: readonly AffectedRow[], after: RowKey | null, limit: number): AffectedPage {
  const start = after === null ? 0 : positionAfter(rows, after)
  const data = rows.slice(start, start + limit)
  const last = data.at(-1)
  return { data, last: last && start + limit < rows.length ? keyOf(last) : null }
}

function positionAfter(rows: readonly AffectedRow[], key: RowKey): number {
  const known = rows.findIndex((row) => isSame(keyOf(row), key))
  if (known >= 0) return known + 1
  return partitionPoint(rows.length, (position) => {
    const { value, id } = keyOf(rows[position]!)
    return (Number(key.value) - Number(value) || compareText(id, key.id)) > 0
  })
}

const isSame = (a: RowKey, b: RowKey): boolean => a.value === b.value && a.id === b.id

/** More than any EPSS score in billionths. */
const EPSS_STEPS = 2e9

/** Severity, KEV and EPSS in one number, in the order of rows. */
function keyOf({ severity, kev, epss, advisory_id }: AffectedRow): RowKey {
  const rank = severity === null ? 0 : SEVERITIES.indexOf(severity) + 1
  const probability = epss === null ? 0 : toBillionths(epss) + 1
  return { value: (rank * 2 + Number(kev)) * EPSS_STEPS + probability, id: cursorId(advisory_id) }
}

/** Whether `/affected` could have issued a cursor with this key. */
export const isAffectedKey = ({ value, id }: RowKey): boolean =>
  id !== '' && Number.isSafeInteger(value) && Number(value) >= 0
