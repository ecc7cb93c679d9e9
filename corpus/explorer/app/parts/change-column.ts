/** The column of the EPSS change, which rows have only if `fields` names it. */
import { CVE_LIST_FIELDS } from '../../../answers/parameters/fields.ts'

export const CHANGE_COLUMN = 'epss_change'

/** Returns the columns of a list with this `sort`: one in the order of the change shows it. */
export function columnsInOrder(columns: readonly string[], sort: string | undefined): readonly string[] {
  const isOrder = sort?.toLowerCase().replace('-', '') === 'epss_change'
  return isOrder && !columns.includes(CHANGE_COLUMN) ? [...columns, CHANGE_COLUMN] : columns
}

/** Returns the `fields` of the request: all of them for this column; null for the whole records. */
export const fieldsOf = (columns: readonly string[]): typeof CVE_LIST_FIELDS | null =>
  columns.includes(CHANGE_COLUMN) ? CVE_LIST_FIELDS : null
