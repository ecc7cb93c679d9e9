/** Shortens the report of a night, so that monitoring and mail accept it. */
import { printableJson } from '../../corpus/command/printable.ts'
import type { NightlyReport } from './report.ts'

/** As the file is written. */
export const MAX_REPORT_BYTES = 200_000

/** Longest lists, in the order of the attempts. */
const LENGTHS = [1000, 200, 50, 10, 2, 0]
/** Entries of `shortened`. */
const MAX_NAMED = 100

/** Returns the report, or a copy with shorter lists in the reports of its steps, and their full lengths. */
export function withinLimit(report: NightlyReport): NightlyReport {
  const size = (one: NightlyReport) => Buffer.byteLength(printableJson(one, 1))
  let within = report
  for (const length of LENGTHS) {
    if (size(within) <= MAX_REPORT_BYTES) return within
    const shortened: NightlyReport['shortened'] = []
    const steps = report.steps.map((step) =>
      step.report ? { ...step, report: cut(step.report, step.name, length, shortened) as typeof step.report } : step,
    )
    within = { ...report, warnings: report.warnings.slice(0, Math.max(length, MAX_NAMED)), steps }
    within.shortened = shortened.toSorted((a, b) => b.items - a.items).slice(0, MAX_NAMED)
  }
  return within
}

function cut(value: unknown, path: string, length: number, shortened: NightlyReport['shortened']): unknown {
  if (Array.isArray(value)) {
    // Each feed and each snapshot has one entry.
    const isLong = value.length > Math.max(length, path.endsWith('.feeds') ? MAX_NAMED : 0)
    if (isLong) shortened.push({ path, items: value.length })
    return (isLong ? value.slice(0, length) : value).map((one, i) => cut(one, `${path}[${i}]`, length, shortened))
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, cut(member, `${path}.${name}`, length, shortened)]),
  )
}
