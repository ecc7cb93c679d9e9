/** Lines as a text table: a row for each line and corpus, with two or more blanks between columns. */
import { type BenchLine, type Budget, isMet, type Spread } from './line.ts'

/** Placeholder for a missing value: no cell is empty. */
const NONE = '—'

const COLUMNS: readonly { heading: string; left?: true; cell(line: BenchLine): string }[] = [
  { heading: 'line', left: true, cell: ({ name }) => name },
  { heading: 'CVEs', cell: ({ cves }) => figureText(cves) },
  { heading: 'figure', cell: ({ figure }) => figureText(figure) },
  { heading: 'in', left: true, cell: ({ unit }) => unit },
  { heading: 'reference', cell: ({ reference }) => (reference ? figureText(reference.figure) : NONE) },
  { heading: 'ratio', cell: ({ ratio }) => (ratio ? figureText(ratio.median) : NONE) },
  { heading: 'min to max', cell: ({ ratio }) => rangeText(ratio) },
  { heading: 'growth', cell: ({ growth }) => (growth ? figureText(growth.median) : NONE) },
  { heading: 'min to max', cell: ({ growth }) => rangeText(growth) },
  { heading: 'budget', cell: ({ budget, unit }) => budgetText(budget, unit) },
  { heading: 'verdict', left: true, cell: verdictText },
]

/** Returns the table. Lines are in the order of their names, each from the smallest corpus to the largest. */
export function table(lines: readonly BenchLine[]): string {
  const names = [...new Set(lines.map(({ name }) => name))]
  const sorted = [...lines].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name) || a.cves - b.cves)
  const rows = [COLUMNS.map(({ heading }) => heading), ...sorted.map((line) => COLUMNS.map(({ cell }) => cell(line)))]
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const padded = (text: string, i: number) => (COLUMNS[i]!.left ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n')
}

export function verdictText(line: BenchLine): 'met' | 'missed' | '—' {
  const met = isMet(line)
  return met === null ? NONE : met ? 'met' : 'missed'
}

const rangeText = (spread: Spread | null) => (spread ? `${figureText(spread.min)} to ${figureText(spread.max)}` : NONE)

/** `≥ 0.7`, `≤ 1,500 MB`. */
export function budgetText(budget: Budget | null, unit: string): string {
  if (budget === null) return NONE
  const { of, least, most } = budget
  const bounds = [
    least === undefined ? [] : `≥ ${figureText(least)}`,
    most === undefined ? [] : `≤ ${figureText(most)}`,
  ]
  return `${bounds.flat().join(' ')}${of === 'figure' ? ` ${unit}` : ''}`
}

const SIGNIFICANT_DIGITS = 3

/** Three significant digits below 1,000, otherwise all digits before the point. */
export function figureText(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en')
  return value.toLocaleString('en', { maximumSignificantDigits: SIGNIFICANT_DIGITS })
}

/** Returns `p99 1.25 ms` for `p99 ms`: a unit at the end of a name follows the figure. */
export function detailText(name: string, value: number): string {
  const [, what, unit] = UNIT_AT_END.exec(name) ?? []
  return unit === undefined ? `${name} ${figureText(value)}` : `${what} ${figureText(value)} ${unit}`
}

const UNIT_AT_END = /^(.+) (s|ms|µs|MB|kB|bytes)$/
