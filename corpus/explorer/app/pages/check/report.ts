/** The result of a check: groups, filters, files. */
import type { DecidedFinding, DecidedPackage } from '../../../../inventory/decisions/apply.ts'
import type { Decision } from '../../../../inventory/decisions/decide.ts'
import type { Finding, LocatedComponent } from '../../../../inventory/findings.ts'
import { componentKey, isForDevelopment } from '../../../../inventory/inventory.ts'
import type { SafeVersion } from '../../../../inventory/safe-version.ts'
import { SEVERITIES, type Severity } from '../../../../model/record.ts'
import { type Cell, csvLine } from '../../../../reader/csv.ts'
import type { ChoiceFilter } from '../../parts/filter.ts'
import { formatCount } from '../../parts/format.ts'
import type { CheckResult } from './decided.ts'

/** A package with all its findings. Several files can name it. */
export interface PackageFindings {
  component: LocatedComponent
  places: Pick<LocatedComponent, 'file' | 'line'>[]
  /** One for each advisory. */
  findings: DecidedFinding[]
}

/** Returns the findings by package. The package with the most severe finding comes first. */
export function byPackage(findings: readonly DecidedFinding[]): PackageFindings[] {
  return [...Map.groupBy(findings, componentKey).values()].map((members) => ({
    component: members[0]!,
    places: firstOfEach(members, ({ file }) => file),
    findings: firstOfEach(members, ({ advisory }) => advisory.advisory_id),
  }))
}

const firstOfEach = <T>(items: readonly T[], keyOf: (item: T) => string): T[] =>
  [...Map.groupBy(items, keyOf).values()].map(([first]) => first!)

/** Returns the result in words: what is affected, and what is unknown. */
export function summaryOf({ counts }: Pick<CheckResult, 'counts'>): string {
  const { affected, undecided, packages, notChecked, findings, suppressed } = counts
  if (packages === notChecked) return 'Nothing could be checked: no package can be judged.'
  const are = (count: number, noun = '') => `${formatCount(count)}${noun} ${count === 1 ? 'is' : 'are'}`
  const none = undecided > 0 ? 'No package is affected for certain.' : 'No advisory affects a package that was checked.'
  return [
    affected === 0 ? none : `${are(affected, ` of ${formatCount(packages)} packages`)} affected.`,
    ...(suppressed === 0
      ? []
      : [
          `Decisions suppress ${formatCount(suppressed)} of ${formatCount(findings)} finding${findings === 1 ? '' : 's'}.`,
        ]),
    ...(undecided === 0 ? [] : [`${are(undecided)} undecided.`]),
    ...(notChecked === 0 ? [] : [`${are(notChecked)} not checked, and can be affected.`]),
  ].join(' ')
}

/** Returns what the files are called in headings. */
export const titleOf = ({ files }: Pick<CheckResult, 'files'>): string =>
  files.length === 1 ? files[0]!.file : `${formatCount(files.length)} files`

/** Returns how many affected packages have this as their highest severity, highest first. Null is unknown. */
export function packagesBySeverity(
  findings: readonly DecidedFinding[],
): [severity: Severity | null, packages: number][] {
  const highest = byPackage(findings).map(({ findings: of }) =>
    of.reduce(
      (most, { advisory: { severity } }) => Math.max(most, severity === null ? -1 : SEVERITIES.indexOf(severity)),
      -1,
    ),
  )
  return [...SEVERITIES.toReversed(), null].flatMap((severity) => {
    const count = highest.filter((one) => one === (severity === null ? -1 : SEVERITIES.indexOf(severity))).length
    return count === 0 ? [] : [[severity, count]]
  })
}

export const RESULT_FILTERS: readonly ChoiceFilter[] = [
  {
    kind: 'choice',
    name: 'severity',
    label: 'Severity',
    options: [
      ['', 'any'],
      ['low', 'low or above'],
      ['medium', 'medium or above'],
      ['high', 'high or above'],
      ['critical', 'critical'],
    ],
  },
  {
    kind: 'choice',
    name: 'dev',
    label: 'Packages',
    options: [
      ['', 'all'],
      ['false', 'without development packages'],
      ['true', 'only development packages'],
    ],
  },
  {
    kind: 'choice',
    name: 'kev',
    label: 'KEV',
    options: [
      ['', 'any'],
      ['true', 'in KEV'],
    ],
  },
]

/** Returns the findings that the parameters of the address select. An unknown severity is below `low`. */
export function selected<F extends Finding>(findings: readonly F[], query: URLSearchParams): F[] {
  const lowest = (SEVERITIES as readonly string[]).indexOf(query.get('severity') ?? '')
  const dev = query.get('dev')
  return findings.filter(
    ({ advisory, ...component }) =>
      (lowest === -1 || (advisory.severity !== null && SEVERITIES.indexOf(advisory.severity) >= lowest)) &&
      (dev === null || isForDevelopment(component) === (dev === 'true')) &&
      (query.get('kev') !== 'true' || advisory.kev),
  )
}

/** An advisory of a package. Only affected packages have a safe version. */
type AdvisoryRow = Omit<DecidedFinding, keyof SafeVersion> & Partial<SafeVersion>

const COLUMNS: readonly (readonly [string, (row: AdvisoryRow) => Cell])[] = [
  ['ecosystem', ({ ecosystem }) => ecosystem],
  ['package', ({ name }) => name],
  ['version', ({ version }) => version],
  ['purl', ({ purl }) => purl],
  ['file', ({ file }) => file],
  ['line', ({ line }) => line],
  ['groups', ({ groups }) => groups?.join(';') ?? null],
  ['safe_version', ({ safeVersion }) => safeVersion ?? null],
  ['verdict', ({ advisory }) => advisory.verdict],
  ['undecided_reason', ({ advisory }) => advisory.undecided_reason],
  ['advisory_id', ({ advisory }) => advisory.advisory_id],
  ['cve_ids', ({ advisory }) => advisory.cve_ids.join(';')],
  ['severity', ({ advisory }) => advisory.severity],
  ['stated_severity', ({ advisory }) => advisory.stated_severity],
  ['urgency', ({ advisory }) => advisory.urgency],
  ['cvss_score', ({ advisory }) => advisory.cvss_score],
  ['kev', ({ advisory }) => advisory.kev],
  ['has_exploit', ({ advisory }) => advisory.has_exploit],
  ['epss', ({ advisory }) => advisory.epss],
  ['introduced', ({ advisory }) => advisory.matched_by?.introduced ?? null],
  ['fixed', ({ advisory }) => advisory.matched_by?.fixed ?? null],
  ['last_affected', ({ advisory }) => advisory.matched_by?.last_affected ?? null],
  ['matched_source', ({ advisory }) => advisory.matched_by?.source ?? null],
  ['fixed_versions', ({ advisory }) => advisory.fixed_versions.join(';')],
  ['summary', ({ advisory }) => advisory.summary],
  ['decision', ({ decision }) => decision?.status ?? null],
  ['suppressed', ({ decision }) => decision?.suppresses ?? false],
  ['decision_reason', ({ decision }) => (decision === null ? null : reasonOf(decision))],
  ['decision_until', ({ decision }) => decision?.until ?? null],
]

/** Returns the justification and the reason. */
export const reasonOf = ({ justification, reason }: Decision): string =>
  [justification?.replaceAll('_', ' '), reason].filter((one) => one).join(', ')

/** Returns a file with one record for each advisory of a package. */
export const csvOf = (findings: readonly DecidedFinding[], undecided: readonly DecidedPackage[]): string =>
  [
    COLUMNS.map(([name]) => name),
    ...[...findings, ...undecided.flatMap(advisoriesOf)].map((one) => COLUMNS.map(([, cell]) => cell(one))),
  ]
    .map(csvLine)
    .join('')

const advisoriesOf = ({ advisories, decisions, ...component }: DecidedPackage): AdvisoryRow[] =>
  advisories.map((advisory, i) => ({ ...component, advisory, decision: decisions[i]! }))

/** Returns a file with everything that the page shows. Findings are as in the report of `vulnshelf check`. */
export const jsonOf = (result: CheckResult, findings: readonly DecidedFinding[]): string =>
  `${JSON.stringify({ ...result, findings }, null, 2)}\n`
