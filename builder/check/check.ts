/** `vulnshelf check`: which advisories affect the packages of lock files and SBOMs. */
import type { Progress } from '../../corpus/command/progress.ts'
import {
  type Counts,
  type Findings,
  findAdvisories,
  sourceLookUp,
  worstSeverity,
} from '../../corpus/inventory/findings.ts'
import type { AffectedRow } from '../../corpus/model/packages/affected-row.ts'
import { SEVERITIES } from '../../corpus/model/record.ts'
import type { Reader } from '../../corpus/reader/reader.ts'
import type { FailLevel } from './fail-levels.ts'
import type { ReadInventories, UnreadableFile } from './read.ts'

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

export interface CheckReport extends Findings {
  files: CheckedFile[]
  /** Files and folders that cannot be read. Nothing is known about them. */
  unreadable: UnreadableFile[]
  snapshot: { id: string; createdAt: string }
  failOn: FailRule
  /** `unreadable`: a file cannot be read, whatever else fails. `nothing_to_check`: no package could be judged. */
  outcome: 'passed' | 'failed' | 'unreadable' | 'nothing_to_check'
  /** What fails: findings, and packages where `failOn` says so. */
  failing: { findings: number; undecided: number; notChecked: number }
}

export interface CheckedFile {
  /** As the user typed it, or below the folder as the user typed it. `-` is standard input. */
  file: string
  format: string
  /** Number of packages, and of entries that cannot be checked. */
  packages: number
}

/** Packages that are looked up at the same time. The reader limits its requests itself. */
const AT_ONCE = 32

/** @throws InventoryError `too-large`, SnapshotError, TransferError */
export async function checkInventories(
  { inventories, notChecked, unreadable }: ReadInventories,
  reader: Pick<Reader, 'affected' | 'ecosystems' | 'releases' | 'snapshot'>,
  failOn: FailRule,
  progress: Progress,
): Promise<CheckReport> {
  const { snapshot } = reader
  const found = await findAdvisories(inventories, sourceLookUp(reader), AT_ONCE, (done, total) =>
    progress('packages', done, total),
  )
  const counts = {
    ...found.counts,
    packages: found.counts.packages + notChecked.length,
    notChecked: found.counts.notChecked + notChecked.length,
  }
  const failing = {
    findings: found.findings.filter(({ advisory }) => fails(advisory, failOn)).length,
    undecided: failOn.undecided ? counts.undecided : 0,
    notChecked: failOn.unchecked ? counts.notChecked : 0,
  }
  return {
    files: inventories.map(({ file, format, components, skipped }) => ({
      file,
      format,
      packages: components.length + skipped.length,
    })),
    unreadable,
    snapshot: { id: snapshot.id, createdAt: snapshot.created_at },
    failOn,
    outcome: outcomeOf(counts, failing, unreadable.length),
    failing,
    counts,
    findings: found.findings,
    undecided: found.undecided,
    notChecked: [...found.notChecked, ...notChecked],
  }
}

function outcomeOf(counts: Counts, failing: CheckReport['failing'], unreadable: number): CheckReport['outcome'] {
  if (unreadable > 0) return 'unreadable'
  if (counts.packages === counts.notChecked) return 'nothing_to_check'
  return failing.findings + failing.undecided + failing.notChecked > 0 ? 'failed' : 'passed'
}

/** `none` counts as low. What Debian calls unimportant is below every level. */
function fails(advisory: AffectedRow, { level, unscored }: FailRule): boolean {
  if (level === 'none' || advisory.urgency === 'unimportant') return false
  const severity = worstSeverity(advisory)
  if (severity === null) return unscored
  return Math.max(SEVERITIES.indexOf(severity), SEVERITIES.indexOf('low')) >= SEVERITIES.indexOf(level)
}
