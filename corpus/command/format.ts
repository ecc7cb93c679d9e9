/** Formats numbers, sizes, times and foreign texts for reports. */

/** Returns `12,280`. */
export const grouped = (value: number) => value.toLocaleString('en-US')

export const plural = (count: number, thing: string) => `${thing}${count === 1 ? '' : 's'}`

/** Returns `1 file`, `2 files`. */
export const counted = (count: number, thing: string) => `${grouped(count)} ${plural(count, thing)}`

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

export const duration = (seconds: number) => `${seconds.toFixed(1)} s`

/** Returns the text on one line, cut after `length` characters. A feed must not be able to add lines to a report. */
export function shortened(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > length ? `${line.slice(0, length).toWellFormed()}…` : line
}

/**
 * Returns lines of aligned columns, two spaces apart. `left` contains the indexes of left-aligned columns. `paint` colours a
 * cell after it was aligned.
 */
export function table(
  rows: readonly (readonly string[])[],
  left: readonly number[],
  paint: (cell: string, row: number, column: number) => string = (cell) => cell,
): string[] {
  const widths = rows[0]!.map((_, column) => rows.reduce((width, row) => Math.max(width, row[column]!.length), 0))
  return rows.map((row, i) =>
    row
      .map((cell, column) => {
        const width = widths[column]!
        return paint(left.includes(column) ? cell.padEnd(width) : cell.padStart(width), i, column)
      })
      .join('  '),
  )
}
