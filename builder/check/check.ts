/** `vulnshelf check`: which advisories affect the packages of a lock file or SBOM. */
import type { Progress } from '../../corpus/command/progress.ts'
import { type Finding, findAdvisories, isUndecided, sourceLookUp } from '../../corpus/inventory/findings.ts'
import type { Component, SkippedEntry } from '../../corpus/inventory/inventory.ts'
import type { ReadInventory } from '../../corpus/inventory/read.ts'
import { SEVERITIES, type Severity } from '../../corpus/model/record.ts'
import type { Reader } from '../../corpus/reader/reader.ts'
import type { FailLevel } from './fail-levels.ts'

export interface FailRule {
  /** The lowest severity that fails. `none`: nothing does. */
  level: FailLevel
  /** Whether findings with the verdict `undecided` fail too. */
  undecided: boolean
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
  const { snapshot } = reader
  const { findings, notIndexed } = await findAdvisories(components, sourceLookUp(reader), AT_ONCE, (done, total) =>
    progress('packages', done, total),
  )
  const undecided = findings.filter(isUndecided).length
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

/** An advisory without a severity, or with `none`, counts as low. */
function fails(finding: Finding, { level, undecided }: FailRule): boolean {
  if (level === 'none' || (isUndecided(finding) && !undecided)) return false
  const severity: Severity = finding.advisory.severity ?? 'low'
  return Math.max(SEVERITIES.indexOf(severity), SEVERITIES.indexOf('low')) >= SEVERITIES.indexOf(level)
}
