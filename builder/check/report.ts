/** The report of `vulnshelf check` as text. */
import { counted, grouped, plural, shortened, table } from '../../corpus/command/format.ts'
import { printableLine, printableLines } from '../../corpus/command/printable.ts'
import { type Finding, isUndecided } from '../../corpus/inventory/findings.ts'
import { packageName, type SkippedEntry, type SkipReason } from '../../corpus/inventory/inventory.ts'
import type { CheckReport } from './check.ts'

/** Packages without a finding that a list names. */
const NAMED = 10

export function formatCheckReport({ findings, notIndexed, skipped, ...report }: CheckReport): string {
  const { packages, affected, undecided } = report.counts
  const summary = [
    `${counted(packages, 'package')} in ${report.file} (${report.format})`,
    counted(affected, 'finding'),
    `${grouped(undecided)} undecided`,
    `${grouped(notIndexed.length)} not indexed`,
    `${grouped(skipped.length)} skipped`,
  ]
  return printableLines([
    ...(findings.length > 0 ? [...tableOf(findings), ''] : []),
    ...namesOf('not indexed', notIndexed.map(packageName)),
    ...namesOf('skipped', skipped.map(skippedText)),
    summary.join(', '),
    verdictOf(report),
  ])
}

const HEADINGS = ['package', 'version', 'advisory', 'severity', 'KEV', 'EPSS', 'fixed in', 'verdict']
const LEFT = [0, 1, 2, 3, 4, 6, 7]

const tableOf = (findings: readonly Finding[]) =>
  table([HEADINGS, ...findings.map(rowOf)], LEFT).map((line) => line.trimEnd())

function rowOf(finding: Finding): string[] {
  const { advisory_id, cve_ids, severity, kev, epss, fixed_versions } = finding.advisory
  const others = cve_ids.filter((id) => id !== advisory_id)
  const cells = [
    packageName(finding),
    finding.version,
    others.length === 0 ? advisory_id : `${advisory_id} (${others[0]}${others.length > 1 ? ', …' : ''})`,
    severity ?? '-',
    kev ? 'yes' : '-',
    epss === null ? '-' : epss.toFixed(5),
    fixed_versions[0] ?? '-',
    isUndecided(finding) ? 'undecided' : 'affected',
  ]
  // Escapes change the width.
  return cells.map((cell) => printableLine(shortened(cell, 100)))
}

const REASONS: Readonly<Record<SkipReason, string>> = {
  local: 'part of the project',
  'no-version': 'no version',
  'no-purl': 'no purl',
  'malformed-purl': 'malformed purl',
  'not-pinned': 'not pinned to one version',
  'not-followed': 'names another file; check it too',
  'not-listed': 'not in the file; go.sum has them',
  variable: 'contains a variable',
  malformed: 'cannot be read',
}

const skippedText = ({ name, reason, line }: SkippedEntry) =>
  `${shortened(name, 100)} (${line === null ? '' : `line ${line}, `}${REASONS[reason]})`

function namesOf(heading: string, names: readonly string[]): string[] {
  const more = names.length > NAMED ? [`… and ${grouped(names.length - NAMED)} more (--json lists all)`] : []
  return [...names.slice(0, NAMED), ...more].map((name) => `${heading}: ${name}`)
}

function verdictOf({ failing, failOn: { level } }: Pick<CheckReport, 'failing' | 'failOn'>): string {
  if (level === 'none') return 'passed: no finding fails (--fail-on none)'
  const bound = level === 'critical' ? level : `${level} or above`
  return failing === 0
    ? `passed: no finding is ${bound} (--fail-on ${level})`
    : `failed: ${grouped(failing)} ${plural(failing, 'finding')} ${failing === 1 ? 'is' : 'are'} ${bound} (--fail-on ${level})`
}
