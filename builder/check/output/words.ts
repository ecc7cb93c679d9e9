/** What the reports of `vulnshelf check` call files, packages and results. */
import { counted, grouped, plural, shortened } from '../../../corpus/command/format.ts'
import {
  type Finding,
  type LocatedComponent,
  type NotChecked,
  type UndecidedPackage,
  worstSeverity,
} from '../../../corpus/inventory/findings.ts'
import { componentKey, packageName } from '../../../corpus/inventory/inventory.ts'
import { NO_SAFE_VERSION_REASONS, UNDECIDED_REASONS } from '../../../corpus/inventory/reasons.ts'
import type { CheckReport, ReportedFinding } from '../check.ts'

type Summarized = Omit<CheckReport, 'findings' | 'undecided' | 'notChecked'>

/** Returns `12 packages in package-lock.json (package-lock.json), 2 affected, …`. */
export const countsText = ({ counts, files, omit }: Pick<CheckReport, 'counts' | 'files' | 'omit'>): string =>
  [
    `${counted(counts.packages, 'package')} in ${filesText(files)}`,
    `${grouped(counts.affected)} affected`,
    `${grouped(counts.notAffected)} not affected`,
    `${grouped(counts.undecided)} undecided`,
    `${grouped(counts.notChecked)} not checked`,
    ...(counts.suppressed === 0 ? [] : [`${counted(counts.suppressed, 'finding')} suppressed`]),
    ...(omit.length === 0 ? [] : [`${grouped(omittedIn(files))} omitted (--omit ${omit.join()})`]),
  ].join(', ')

const omittedIn = (files: CheckReport['files']) => files.reduce((sum, { omitted }) => sum + omitted, 0)

/** Returns the snapshot of `--since` in words; nothing without it. */
export const sinceTexts = ({ since }: Pick<CheckReport, 'since'>): string[] =>
  since === null
    ? []
    : [
        `news since snapshot ${since.id.slice(0, 12)} of ${since.createdAt}; ${counted(since.known, 'finding')} known then`,
      ]

const filesText = (files: CheckReport['files']): string =>
  files.length === 1 ? `${files[0]!.file} (${files[0]!.format})` : counted(files.length, 'file')

/** Returns why the check passed or failed, one reason each. */
export function outcomeTexts({ outcome, failing, failOn, counts, unreadable, files }: Summarized): string[] {
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

/** Returns `package-lock.json:12`, as editors open it. */
export const positionOf = ({ file, line }: Pick<LocatedComponent, 'file' | 'line'>): string =>
  line === null ? file : `${file}:${line}`

export const fullName = (component: LocatedComponent): string =>
  `${packageName(component)} ${shortened(component.version, 100)}`

export const safeVersionText = ({ safeVersion, noSafeVersion }: Finding): string =>
  safeVersion === null ? `no safe version: ${NO_SAFE_VERSION_REASONS[noSafeVersion!]}` : `safe version ${safeVersion}`

/** Returns the severity, and the publisher's rating if it differs. */
export function severityText({ advisory }: Finding): string {
  const { severity, stated_severity, urgency } = advisory
  const rated = stated_severity === null ? (severity ?? '-') : `${severity ?? '-'} (stated ${stated_severity})`
  return urgency === null ? rated : `${rated}, ${urgency}`
}

/** Returns `GHSA-… (critical, known to be exploited)`. */
export function advisoryText({ advisory }: Finding): string {
  const { advisory_id, kev } = advisory
  return `${advisory_id} (${worstSeverity(advisory) ?? 'no severity'}${kev ? ', known to be exploited' : ''})`
}

export const undecidedReason = ({ reasons, advisories }: UndecidedPackage): string =>
  `${grouped(advisories.length)} ${advisories.length === 1 ? 'advisory' : 'advisories'}: ${reasons.map((reason) => UNDECIDED_REASONS[reason]).join('; ')}`

/** Returns the name and the version of what was not checked. */
export const notCheckedName = ({ name, version }: NotChecked): string =>
  shortened(version === null ? name : `${name} ${version}`, 100)

/** Returns the findings of each package, that with the most severe finding first; of each file with `inFile`. */
export const byPackage = (
  findings: readonly ReportedFinding[],
  { inFile }: { inFile: boolean },
): ReportedFinding[][] => [
  ...Map.groupBy(findings, (one) => `${inFile ? one.file : ''}\n${componentKey(one)}`).values(),
]
