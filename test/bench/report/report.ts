/** The result of a bench run: the content of `--json`, and its text. */
import { type BenchLine, isMet } from './line.ts'
import type { Machine } from './machine.ts'
import { detailText, figureText, table } from './table.ts'

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

/** Returns the whole report as text: the machine, the table, a description of its lines, and what was omitted. */
export function reportText(report: BenchReport): string {
  const { lines, failures, remarks } = report
  const parts = [conditions(report)]
  if (lines.length > 0) parts.push(table(lines), legend(lines), verdict(lines))
  for (const { group, message } of failures) parts.push(`${group} did not get to its end: ${message}`)
  if (remarks.length > 0) parts.push(remarks.map((remark) => `- ${remark}`).join('\n'))
  return parts.join('\n\n')
}

function conditions({ machine, command, began, seconds, corpora, rounds, roundSeconds }: BenchReport): string {
  const { cores, cpu, memoryBytes, system, node, commit, loadBefore } = machine
  const sizes = corpora.map(({ cves, feeds, nights }) => {
    return `${cves.toLocaleString('en')} CVEs (${feeds} feeds, nights ${nights.join(' and ')})`
  })
  return `vulnshelf ${commit}, measured ${began}, ${Math.ceil(seconds / 60)} min: npm run bench${command && ` -- ${command}`}
  machine  ${cores} cores, ${cpu}, ${Math.round(memoryBytes / 1e9)} GB; ${system}, node ${node}; load of ${loadBefore.toFixed(2)} before the run${
    loadBefore > 0.5 ? ': NOT AN IDLE MACHINE' : ''
  }
  corpus   ${sizes.join('; ')}
  rounds   ${rounds}, alternating with the reference; rounds of requests take ${roundSeconds} s; the load generator shares the machine`
}

/** Returns a description of each line: its reference, and other measurements on each corpus. */
function legend(lines: readonly BenchLine[]): string {
  const names = [...new Set(lines.map(({ name }) => name))]
  return names
    .map((name) => {
      const all = lines.filter((line) => line.name === name)
      const { title, reference } = all[0]!
      const details = all.flatMap(({ cves, details }) => {
        const told = Object.entries(details).map(([what, value]) => detailText(what, value))
        return told.length === 0 ? [] : [`    ${figureText(cves)}: ${told.join('; ')}`]
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
