/** The rows of an answer as a table, NDJSON or CSV. */
import { shortened } from '../../corpus/command/format.ts'
import { printableJson, printableLine } from '../../corpus/command/printable.ts'
import { type Cell, csvLine } from '../../corpus/reader/csv.ts'
import { type Column, cellOf } from './columns.ts'

export const FORMATS = ['table', 'ndjson', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Characters of a cell of a table. */
const CELL_LENGTH = 60

export interface RowFormatter {
  /** Returns the lines before all rows. `first` has the rows that decide the widths of a table. */
  head(first: readonly unknown[]): string
  line(row: unknown): string
}

/** @param isTerminal whether the control characters of texts must be escaped */
export function rowFormatter(format: Format, columns: readonly Column[], isTerminal: boolean): RowFormatter {
  if (format === 'ndjson') return { head: () => '', line: (row) => `${printableJson(row)}\n` }
  if (format === 'table') return tableFormatter(columns)
  const shown = (cell: Cell) => (isTerminal && typeof cell === 'string' ? printableLine(cell) : cell)
  return {
    head: () => csvLine(columns.map(({ name }) => name)),
    line: (row) => csvLine(columns.map((column) => shown(cellOf(row, column)))),
  }
}

/** A longer cell than those of the first rows moves the rest of its line. */
function tableFormatter(columns: readonly Column[]): RowFormatter {
  let widths: number[] = []
  const lineOf = (cells: readonly Cell[]) =>
    `${cells
      .map((cell, i) =>
        typeof cell === 'number' ? tableCell(cell).padStart(widths[i]!) : tableCell(cell).padEnd(widths[i]!),
      )
      .join('  ')
      .trimEnd()}\n`
  const rowCells = (row: unknown) => columns.map((column) => cellOf(row, column))
  return {
    head(first) {
      const rows = first.map(rowCells)
      widths = columns.map(({ name }, i) => Math.max(name.length, ...rows.map((row) => tableCell(row[i]!).length)))
      return lineOf(columns.map(({ name }) => name))
    },
    line: (row) => lineOf(rowCells(row)),
  }
}

const tableCell = (cell: Cell) => printableLine(shortened(cell === null ? '' : String(cell), CELL_LENGTH))

/** Returns one object as lines of names and values, without those that are null. */
export function objectLines(answer: unknown, columns: readonly Column[]): string {
  const lines = columns.flatMap((column) => {
    const cell = cellOf(answer, column)
    return cell === null ? [] : [{ name: column.name, text: printableLine(String(cell)) }]
  })
  const width = Math.max(...lines.map(({ name }) => name.length))
  return lines.map(({ name, text }) => `${`${name.padEnd(width)}  ${text}`.trimEnd()}\n`).join('')
}
