/** The report of `vulnshelf check` as text. */
import { counted, grouped, plural, shortened, table } from '../../corpus/command/format.ts'
import { printableLine, printableLines } from '../../corpus/command/printable.ts'
import { isSuppressed } from '../../corpus/inventory/decisions/apply.ts'
import type { Finding, NotChecked, UndecidedPackage } from '../../corpus/inventory/findings.ts'
import { packageName } from '../../corpus/inventory/inventory.ts'
import { UNDECIDED_REASONS } from '../../corpus/inventory/reasons.ts'
import type { CheckReport } from './check.ts'
import { decidedLines, newsLines, unusedLines } from './decision-lines.ts'

/** Packages without a finding that a list names. */
const NAMED = 10

export function formatCheckReport({ findings, undecided, notChecked, ...report }: CheckReport): string {
  const { counts, since } = report
  const open = findings.filter((one) => !isSuppressed(one))
  const summary = [
    `${counted(counts.packages, 'package')} in ${filesText(report)}`,
    `${grouped(counts.affected)} affected`,
    `${grouped(counts.notAffected)} not affected`,
    `${grouped(counts.undecided)} undecided`,
    `${grouped(counts.notChecked)} not checked`,
    ...(counts.suppressed === 0 ? [] : [`${counted(counts.suppressed, 'finding')} suppressed`]),
  ]
  const known = since && `${counted(since.known, 'finding')} known then`
  return printableLines([
    ...(open.length > 0 ? [...tableOf(open), ''] : []),
    ...newsLines(open),
    ...decidedLines(findings, undecided),
    ...namesOf('undecided', undecided.map(undecidedText)),
    ...namesOf('not checked', notChecked.map(notCheckedText)),
    ...namesOf('no effect', unusedLines(report)),
    summary.join(', '),
    ...(since === null ? [] : [`news since snapshot ${since.id.slice(0, 12)} of ${since.createdAt}; ${known}`]),
    ...verdictOf(report),
  ])
}

type Verdict = Omit<CheckReport, 'findings' | 'undecided' | 'notChecked'>

const filesText = ({ files }: Pick<CheckReport, 'files'>): string => {
  const [first] = files
  return files.length === 1 ? `${first!.file} (${first!.format})` : counted(files.length, 'file')
}

/** `package-lock.json:12`, as editors open it. */
const positionOf = ({ file, line }: { file: string; line: number | null }) => (line === null ? file : `${file}:${line}`)

const HEADINGS = ['package', 'version', 'advisory', 'severity', 'KEV', 'EPSS', 'fixed in', 'file']
const LEFT = [0, 1, 2, 3, 4, 6, 7]

const tableOf = (findings: readonly Finding[]) =>
  table([HEADINGS, ...findings.map(rowOf)], LEFT).map((line) => line.trimEnd())

function rowOf(finding: Finding): string[] {
  const { advisory_id, cve_ids, kev, epss, fixed_versions } = finding.advisory
  const others = cve_ids.filter((id) => id !== advisory_id)
  const cells = [
    packageName(finding),
    finding.version,
    others.length === 0 ? advisory_id : `${advisory_id} (${others[0]}${others.length > 1 ? ', …' : ''})`,
    severityText(finding),
    kev ? 'yes' : '-',
    epss === null ? '-' : epss.toFixed(5),
    fixed_versions[0] ?? '-',
    positionOf(finding),
  ]
  // Escapes change the width.
  return cells.map((cell) => printableLine(shortened(cell, 100)))
}

function severityText({ advisory }: Finding): string {
  const { severity, stated_severity, urgency } = advisory
  const rated = stated_severity === null ? (severity ?? '-') : `${severity ?? '-'} (stated ${stated_severity})`
  return urgency === null ? rated : `${rated}, ${urgency}`
}

function undecidedText(one: UndecidedPackage): string {
  const reasons = one.reasons.map((reason) => UNDECIDED_REASONS[reason]).join('; ')
  const advisories = `${grouped(one.advisories.length)} ${one.advisories.length === 1 ? 'advisory' : 'advisories'}`
  return `${packageName(one)} ${shortened(one.version, 100)} (${positionOf(one)}, ${advisories}: ${reasons})`
}

function notCheckedText({ name, version, reason, ...position }: NotChecked): string {
  const what = version === null ? name : `${name} ${version}`
  return `${shortened(what, 100)} (${positionOf(position)}, ${reason})`
}

function namesOf(heading: string, names: readonly string[]): string[] {
  const more = names.length > NAMED ? [`… and ${grouped(names.length - NAMED)} more (--json lists all)`] : []
  return [...names.slice(0, NAMED), ...more].map((name) => `${heading}: ${name}`)
}

function verdictOf({ outcome, failing, failOn, counts, unreadable, files }: Verdict): string[] {
  if (outcome === 'unreadable') return unreadable.map(({ message }) => `not read: ${message}`)
  if (outcome === 'nothing_to_check') {
    return [`nothing to check: no package ${files.length === 1 ? `in ${files[0]!.file} ` : ''}can be judged`]
  }
  const { level } = failOn
  const bound = level === 'critical' ? level : `${level} or above`
  const unscored = counts.unscored === 0 ? '' : `, ${grouped(counts.unscored)} without a severity`
  const suppressed = counts.suppressed === 0 ? '' : `, ${grouped(counts.suppressed)} suppressed`
  const found = `${counted(counts.findings, 'finding')}${unscored}${suppressed}`
  if (outcome === 'passed') {
    const why = level === 'none' ? 'no finding fails' : `${counts.suppressed === 0 ? 'none' : 'no other'} is ${bound}`
    return [`passed: ${found}; ${why} (--fail-on ${level}${failOn.unscored ? '' : ', --unscored pass'})`]
  }
  return [
    ...(failing.findings === 0 ? [] : [`${grouped(failing.findings)} of ${found} (--fail-on ${level})`]),
    ...(failing.undecided === 0 ? [] : [`${counted(failing.undecided, 'undecided package')} (--fail-on-undecided)`]),
    ...(failing.notChecked === 0
      ? []
      : [`${grouped(failing.notChecked)} ${plural(failing.notChecked, 'package')} not checked (--fail-on-unchecked)`]),
  ].map((text) => `failed: ${text}`)
}
