/** Files of comma-separated values (RFC 4180). */

export type Cell = string | number | boolean | null

/**
 * Returns a cell of RFC 4180. Null is empty. A text that a spreadsheet would take for a formula, because it begins with
 * `=`, `+`, `-`, `@` (also in full width), a tab or a line break, gets an apostrophe before it.
 */
export function csvCell(value: Cell): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Returns a record with its line end. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`
