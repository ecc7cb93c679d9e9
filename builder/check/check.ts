/** `vulnshelf check`: which advisories affect the packages of a lock file or SBOM. */
import type { Progress } from '../../corpus/command/progress.ts'
import {
  type Finding,
  findAdvisories,
  type PackageCounts,
  sourceLookUp,
  type UndecidedPackage,
  worstSeverity,
} from '../../corpus/inventory/findings.ts'
import { type Component, packageName, type SkippedEntry } from '../../corpus/inventory/inventory.ts'
import type { ReadInventory } from '../../corpus/inventory/read.ts'
import { notIndexedReason, SKIP_REASONS } from '../../corpus/inventory/reasons.ts'
import type { AffectedRow } from '../../corpus/model/packages/affected-row.ts'
import { SEVERITIES } from '../../corpus/model/record.ts'
import type { Reader } from '../../corpus/reader/reader.ts'
import type { FailLevel } from './fail-levels.ts'

export interface FailRule {
  /** The lowest severity that fails. `none`: no finding does. */
  level: FailLevel
  /** Whether a finding without any severity fails. */
  unscored: boolean
  /** Whether an undecided package fails. */
  undecided: boolean
  /** Whether a package that was not checked fails. */
  unchecked: boolean
}

export interface CheckReport {
  file: string
  format: string
  snapshot: { id: string; createdAt: string }
  failOn: FailRule
  /** `nothing_to_check`: no package could be judged, so nothing is known. */
  outcome: 'passed' | 'failed' | 'nothing_to_check'
  /** What fails: findings, and packages where `failOn` says so. */
  failing: { findings: number; undecided: number; notChecked: number }
  counts: PackageCounts & {
    /** Packages, each version once, and entries that were not checked: the sum of the four states. */
    packages: number
    notChecked: number
    findings: number
    /** Findings without any severity. */
    unscored: number
  }
  /** By severity, KEV, EPSS, advisory and package. */
  findings: Finding[]
  undecided: UndecidedPackage[]
  /** Packages and entries of the file, each with the reason. */
  notChecked: NotChecked[]
}

export interface NotChecked {
  /** `npm/lodash`; of an entry without a package, its text. */
  name: string
  version: string | null
  line: number | null
  /** In words. */
  reason: string
}

/** Packages that are looked up at the same time. The reader limits its requests itself. */
const AT_ONCE = 32

export async function checkInventory(
  file: string,
  { format, components, skipped }: ReadInventory,
  reader: Pick<Reader, 'affected' | 'ecosystems' | 'releases' | 'snapshot'>,
  failOn: FailRule,
  progress: Progress,
): Promise<CheckReport> {
  const { snapshot } = reader
  const { findings, undecided, notIndexed, packages } = await findAdvisories(
    file,
    components,
    sourceLookUp(reader),
    AT_ONCE,
    (done, total) => progress('packages', done, total),
  )
  const notChecked = [...notIndexed.map(notIndexedPackage), ...skipped.map(skippedEntry)]
  const failing = {
    findings: findings.filter(({ advisory }) => fails(advisory, failOn)).length,
    undecided: failOn.undecided ? packages.undecided : 0,
    notChecked: failOn.unchecked ? notChecked.length : 0,
  }
  const judged = packages.affected + packages.notAffected + packages.undecided
  const hasFailed = failing.findings + failing.undecided + failing.notChecked > 0
  return {
    file,
    format,
    snapshot: { id: snapshot.id, createdAt: snapshot.created_at },
    failOn,
    outcome: judged === 0 ? 'nothing_to_check' : hasFailed ? 'failed' : 'passed',
    failing,
    counts: {
      packages: judged + notChecked.length,
      ...packages,
      notChecked: notChecked.length,
      findings: findings.length,
      unscored: findings.filter(({ advisory }) => worstSeverity(advisory) === null).length,
    },
    findings,
    undecided,
    notChecked,
  }
}

const notIndexedPackage = (component: Component): NotChecked => ({
  name: packageName(component),
  version: component.version,
  line: component.line,
  reason: notIndexedReason(component.ecosystem),
})

const skippedEntry = ({ name, line, reason }: SkippedEntry): NotChecked => ({
  name,
  version: null,
  line,
  reason: SKIP_REASONS[reason],
})

/** `none` counts as low. What Debian calls unimportant is below every level. */
function fails(advisory: AffectedRow, { level, unscored }: FailRule): boolean {
  if (level === 'none' || advisory.urgency === 'unimportant') return false
  const severity = worstSeverity(advisory)
  if (severity === null) return unscored
  return Math.max(SEVERITIES.indexOf(severity), SEVERITIES.indexOf('low')) >= SEVERITIES.indexOf(level)
}
