/** The result of a bench run: the content of `--json`, and its text. */
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'
import { type BenchLine, type Budget, isMet, type Spread } from './line.ts'

/** The machine of the measurement: figures mean nothing without it. */
export interface Machine {
  cores: number
  cpu: string
  memoryBytes: number
  system: string
  node: string
  commit: string
  /** Average number of running or waiting processes in the minute before the run. */
  loadBefore: number
}

export interface BenchReport {
  machine: Machine
  /** The arguments of the run. */
  command: string
  began: string
  seconds: number
  corpora: { cves: number; nights: [first: string, second: string]; feeds: 'synthetic' | 'real' }[]
  rounds: number
  roundSeconds: number
  lines: BenchLine[]
  /** Groups that failed, and why. */
  failures: { group: string; message: string }[]
  /** Limits of this run, such as omitted lines. */
  remarks: string[]
}

export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryBytes: totalmem(),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    commit: commitOf(),
    loadBefore: loadavg()[0]!,
  }
}

/** Returns the commit of a checkout, by default of this one, with a `+` if files differ from it; `unknown` without git. */
export function commitOf(checkout = import.meta.dirname): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', ':/builder', ':/corpus', ':/gateway') !== ''
    return `${git('rev-parse', '--short=10', 'HEAD')}${isChanged ? '+' : ''}`
  } catch {
    // A checkout without git, or a machine without git, can be measured too.
    return 'unknown'
  }
}

/** Returns the whole report as text: the machine, the table, a description of its lines, and what was omitted. */
export function reportText(report: BenchReport): string {
  const { lines, failures, remarks } = report
  const parts = [conditions(report)]
  if (lines.length > 0) parts.push(lineTable(lines), legend(lines), verdict(lines))
  for (const { group, message } of failures) parts.push(`${group} failed: ${message}`)
  if (remarks.length > 0) parts.push(remarks.map((remark) => `- ${remark}`).join('\n'))
  return parts.join('\n\n')
}

function conditions({ machine, command, began, seconds, corpora, rounds, roundSeconds }: BenchReport): string {
  const { cores, cpu, memoryBytes, system, node, commit, loadBefore } = machine
  const sizes = corpora.map(({ cves, feeds, nights }) => {
    return `${cves.toLocaleString('en')} CVEs (${feeds} feeds, nights ${nights.join(' and ')})`
  })
  const idle = loadBefore > 0.5 ? ': NOT AN IDLE MACHINE' : ''
  return [
    `vulnshelf ${commit}, measured ${began}, ${Math.ceil(seconds / 60)} min: npm run bench${command && ` -- ${command}`}`,
    `  machine  ${cores} cores, ${cpu}, ${Math.round(memoryBytes / 1e9)} GB; ${system}, node ${node}; load of ${loadBefore.toFixed(2)} before the run${idle}`,
    `  corpus   ${sizes.join('; ')}`,
    `  rounds   ${rounds}, alternating with the reference; rounds of requests take ${roundSeconds} s; the load generator shares the machine`,
  ].join('\n')
}

/** Placeholder for a missing value: no cell is empty. */
const NONE = '—'
const rangeText = (spread: Spread | null) => (spread ? `${figureText(spread.min)} to ${figureText(spread.max)}` : NONE)

const COLUMNS: Record<string, (line: BenchLine) => string> = {
  line: ({ name }) => name,
  CVEs: ({ cves }) => figureText(cves),
  figure: ({ figure }) => figureText(figure),
  in: ({ unit }) => unit,
  reference: ({ reference }) => (reference ? figureText(reference.figure) : NONE),
  ratio: ({ ratio }) => (ratio ? figureText(ratio.median) : NONE),
  'ratio from to': ({ ratio }) => rangeText(ratio),
  growth: ({ growth }) => (growth ? figureText(growth.median) : NONE),
  'growth from to': ({ growth }) => rangeText(growth),
  budget: ({ budget, unit }) => budgetText(budget, unit),
  verdict: verdictText,
}

/** Returns a row for each line and corpus: lines in the order of their names, each from the smallest corpus on. */
export function lineTable(lines: readonly BenchLine[]): string {
  const names = [...new Set(lines.map(({ name }) => name))]
  const sorted = [...lines].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name) || a.cves - b.cves)
  return textTable([Object.keys(COLUMNS), ...sorted.map((line) => Object.values(COLUMNS).map((cell) => cell(line)))])
}

/** Returns rows of cells as text, with two blanks between columns. The first column is aligned left. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  const padded = (text: string, i: number) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))
  return rows.map((row) => row.map(padded).join('  ').trimEnd()).join('\n')
}

export function verdictText(line: BenchLine): 'met' | 'missed' | '—' {
  const met = isMet(line)
  return met === null ? NONE : met ? 'met' : 'missed'
}

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

/** Returns a description of each line: its reference, and other measurements on each corpus. */
function legend(lines: readonly BenchLine[]): string {
  const names = [...new Set(lines.map(({ name }) => name))]
  return names
    .map((name) => {
      const all = lines.filter((line) => line.name === name)
      const { title, reference } = all[0]!
      const details = all.flatMap(({ cves, details }) => {
        const figures = Object.entries(details).map(([what, value]) => `${what}: ${figureText(value)}`)
        return figures.length === 0 ? [] : [`    ${figureText(cves)}: ${figures.join('; ')}`]
      })
      return [`${name}: ${title}${reference ? `; against ${reference.title}` : ''}`, ...details].join('\n')
    })
    .join('\n')
}

function verdict(lines: readonly BenchLine[]): string {
  const judged = lines.filter((line) => isMet(line) !== null)
  const missed = judged.filter((line) => isMet(line) === false)
  const names = missed.map(({ name, cves }) => `${name} at ${figureText(cves)}`)
  return `${judged.length - missed.length} of ${judged.length} budgets met${names.length > 0 ? `; missed: ${names.join(', ')}` : ''}`
}
