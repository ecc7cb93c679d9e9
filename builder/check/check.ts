/** `vulnshelf check`: which advisories affect the packages of a lock file or SBOM. */
import type { Progress } from '../../corpus/command/progress.ts'
import { type AffectedRow, compareRows } from '../../corpus/model/packages/match.ts'
import { SEVERITIES, type Severity } from '../../corpus/model/record.ts'
import { compareText } from '../../corpus/model/sources.ts'
import { baseEcosystem } from '../../corpus/model/versions/ecosystems.ts'
import type { Reader } from '../../corpus/reader/reader.ts'
import type { FailLevel } from './fail-levels.ts'
import type { Component, SkippedEntry } from './inventory.ts'
import { packageName, type ReadInventory } from './read.ts'

export interface FailRule {
  /** The lowest severity that fails. `none`: nothing does. */
  level: FailLevel
  /** Whether findings with the verdict `undecided` fail too. */
  undecided: boolean
}

export interface Finding extends Component {
  /** A row of `/affected`. */
  advisory: AffectedRow
}

export interface CheckReport {
  file: string
  format: string
  snapshot: { id: string; createdAt: string }
  failOn: FailRule
  /** Number of findings that fail. */
  failing: number
  counts: {
    /** Packages with a version, each version once. */
    packages: number
    /** Findings with the verdict `affected`. */
    affected: number
    undecided: number
    notIndexed: number
    skipped: number
  }
  /** Affected ones first; then by severity, KEV, EPSS, advisory and package. */
  findings: Finding[]
  /** Packages of ecosystems that the snapshot has no package of. */
  notIndexed: Component[]
  skipped: SkippedEntry[]
}

/** Packages that are looked up at the same time. The reader limits its requests itself. */
const AT_ONCE = 32

export async function checkInventory(
  file: string,
  { format, components, skipped }: ReadInventory,
  reader: Pick<Reader, 'affected' | 'ecosystems' | 'snapshot'>,
  failOn: FailRule,
  progress: Progress,
): Promise<CheckReport> {
  const { ecosystems, snapshot } = reader
  const isIndexed = ({ ecosystem }: Component) => ecosystem !== null && ecosystems.includes(baseEcosystem(ecosystem))
  const indexed = components.filter(isIndexed)
  const findings: Finding[] = []
  const waiting = indexed.values()
  let done = 0
  const work = async () => {
    for (const component of waiting) {
      const { ecosystem, name, version } = component
      const rows = await reader.affected({ ecosystem: ecosystem!, name, version })
      findings.push(...rows.map((advisory) => ({ ...component, advisory })))
      progress('packages', ++done, indexed.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  findings.sort(compareFindings)
  const undecided = findings.filter(isUndecided).length
  const notIndexed = components.filter((component) => !isIndexed(component))
  return {
    file,
    format,
    snapshot: { id: snapshot.id, createdAt: snapshot.created_at },
    failOn,
    failing: findings.filter((finding) => fails(finding, failOn)).length,
    counts: {
      packages: components.length,
      affected: findings.length - undecided,
      undecided,
      notIndexed: notIndexed.length,
      skipped: skipped.length,
    },
    findings,
    notIndexed,
    skipped: [...skipped],
  }
}

export const isUndecided = ({ advisory }: Finding): boolean => advisory.verdict === 'undecided'

const compareFindings = (a: Finding, b: Finding) =>
  Number(isUndecided(a)) - Number(isUndecided(b)) ||
  compareRows(a.advisory, b.advisory) ||
  compareText(packageName(a), packageName(b)) ||
  compareText(a.version, b.version)

/** An advisory without a severity, or with `none`, counts as low. */
function fails(finding: Finding, { level, undecided }: FailRule): boolean {
  if (level === 'none' || (isUndecided(finding) && !undecided)) return false
  const severity: Severity = finding.advisory.severity ?? 'low'
  return Math.max(SEVERITIES.indexOf(severity), SEVERITIES.indexOf('low')) >= SEVERITIES.indexOf(level)
}
