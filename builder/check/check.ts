/** `vulnshelf check`: which advisories affect the packages of lock files and SBOMs. */
import type { Progress } from '../../corpus/command/progress.ts'
import {
  applyDecisions,
  type DecidedFinding,
  type DecidedFindings,
  type DecidedPackage,
  isSettled,
  isSuppressed,
} from '../../corpus/inventory/decisions/apply.ts'
import { decider, type UnusedDecision, unknownIds, withUnknownIds } from '../../corpus/inventory/decisions/decide.ts'
import { type Findings, findAdvisories, sourceLookUp, worstSeverity } from '../../corpus/inventory/findings.ts'
import { componentKey, type OptionalGroup } from '../../corpus/inventory/inventory.ts'
import { type News, type NewsOf, newsSince } from '../../corpus/inventory/news.ts'
import { withoutGroups } from '../../corpus/inventory/read.ts'
import type { AffectedRow } from '../../corpus/model/packages/affected-row.ts'
import { SEVERITIES } from '../../corpus/model/record.ts'
import type { Reader } from '../../corpus/reader/reader.ts'
import type { FailLevel } from './fail-levels.ts'
import type { ReadInventories, UnreadableFile } from './read.ts'
import { isKnownId, type NamedDecisions, type ReadDecisionFile } from './read-decisions.ts'

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

export interface CheckReport extends DecidedFindings {
  files: CheckedFile[]
  /** Files and folders that cannot be read. Nothing is known about them. */
  unreadable: UnreadableFile[]
  snapshot: { id: string; createdAt: string }
  /** The earlier snapshot that the findings are compared with. Then the report has news only. */
  since: { id: string; createdAt: string; known: number } | null
  failOn: FailRule
  /** Groups whose packages are not checked, unless another group needs them. */
  omit: readonly OptionalGroup[]
  /** `unreadable`: a file cannot be read, whatever else fails. `nothing_to_check`: no package could be judged. */
  outcome: 'passed' | 'failed' | 'unreadable' | 'nothing_to_check'
  /** What fails: findings, and packages where `failOn` says so. */
  failing: { findings: number; undecided: number; notChecked: number }
  findings: ReportedFinding[]
  undecided: ReportedPackage[]
  decisions: {
    files: (NamedDecisions & {
      format: string
      sha256: string
      /** Number of entries or statements. */
      statements: number
    })[]
    /** Those without effect. */
    unused: UnusedDecision[]
  }
}

export interface ReportedFinding extends DecidedFinding {
  /** By `failOn`. A suppressed finding does not fail. */
  fails: boolean
  /** Null without an earlier snapshot. */
  news: News[] | null
}

export interface ReportedPackage extends DecidedPackage {
  /** The news about its advisories. Null without an earlier snapshot. */
  news: News[] | null
}

export interface CheckedFile {
  /** As the user typed it, or below the folder as the user typed it. `-` is standard input. */
  file: string
  format: string
  sha256: string
  /** Number of packages, and of entries that cannot be checked. Without omitted ones. */
  packages: number
  /** Number of packages that only groups in `omit` need. */
  omitted: number
}

/** Packages that are looked up at the same time. The reader limits its requests itself. */
const AT_ONCE = 32

export type CheckReader = Pick<Reader, 'affected' | 'advisory' | 'get' | 'ecosystems' | 'releases' | 'snapshot'>

export interface CheckOptions {
  failOn: FailRule
  omit: readonly OptionalGroup[]
  decisions: readonly ReadDecisionFile[]
  /** `YYYY-MM-DD`, by which decisions expire. */
  today: string
  /** The snapshot of `--since`. */
  earlier: CheckReader | null
}

/** @throws InventoryError `too-large`, SnapshotError, TransferError */
export async function checkInventories(
  { inventories, notChecked, unreadable }: ReadInventories,
  reader: CheckReader,
  { failOn, omit, decisions, today, earlier }: CheckOptions,
  progress: Progress,
): Promise<CheckReport> {
  const kept = inventories.map((one) => withoutGroups(one, omit))
  const findIn = (source: CheckReader) =>
    findAdvisories(
      kept.map(({ inventory }) => inventory),
      sourceLookUp(source),
      AT_ONCE,
      (done, total) => progress('packages', done, total),
    )
  const decide = decider(decisions, today)
  const decided = applyDecisions(await findIn(reader), decide)
  const reported = await withNews(decided, earlier && { reader: earlier, found: await findIn(earlier) })
  const counts = {
    ...reported.counts,
    packages: reported.counts.packages + notChecked.length,
    notChecked: reported.counts.notChecked + notChecked.length,
  }
  const findings = reported.findings.map((one) => ({
    ...one,
    fails: !isSuppressed(one) && fails(one.advisory, failOn),
  }))
  const failing = {
    findings: findings.filter((one) => one.fails).length,
    undecided: failOn.undecided ? openPackages(decided, reported.undecided) : 0,
    notChecked: failOn.unchecked ? counts.notChecked : 0,
  }
  const ignoreFiles = new Set(decisions.flatMap(({ role, file }) => (role === 'vex' ? [] : file)))
  const unused = decide.unused()
  const unknown = await unknownIds(unused, ignoreFiles, (id) => isKnownId(id, reader))
  return {
    files: kept.map(({ inventory: { file, format, sha256, components, skipped }, omitted }) => ({
      ...{ file, format, sha256 },
      packages: components.length + skipped.length,
      omitted,
    })),
    unreadable,
    snapshot: aboutSnapshot(reader),
    since: earlier && { ...aboutSnapshot(earlier), known: decided.findings.length - reported.findings.length },
    failOn,
    omit,
    outcome: outcomeOf(counts, failing, unreadable.length),
    failing,
    counts,
    findings,
    undecided: reported.undecided,
    notChecked: [...reported.notChecked, ...notChecked],
    decisions: {
      files: decisions.map(({ role, file, format, sha256, statements }) => ({
        ...{ role, file, format, sha256 },
        statements: statements.length,
      })),
      unused: withUnknownIds(unused, ignoreFiles, unknown),
    },
  }
}

const aboutSnapshot = ({ snapshot }: CheckReader) => ({ id: snapshot.id, createdAt: snapshot.created_at })

type Reported = Omit<DecidedFindings, 'findings' | 'undecided'> &
  Pick<CheckReport, 'undecided'> & { findings: Omit<ReportedFinding, 'fails'>[] }

/** With an earlier snapshot, only findings and advisories of undecided packages that are news stay. */
async function withNews(
  decided: DecidedFindings,
  earlier: { reader: CheckReader; found: Findings } | null,
): Promise<Reported> {
  if (earlier === null) {
    return {
      ...decided,
      findings: decided.findings.map((one) => ({ ...one, news: null })),
      undecided: decided.undecided.map((one) => ({ ...one, news: null })),
    }
  }
  const known = new Map<string, Promise<boolean>>()
  const newsOf = newsSince(earlier.found, (id) => {
    const answer = known.get(id) ?? isKnownId(id, earlier.reader)
    known.set(id, answer)
    return answer
  })
  const findings: Reported['findings'] = []
  for (const one of decided.findings) {
    const news = await newsOf(one, one.advisory)
    if (news.length > 0) findings.push({ ...one, news })
  }
  const undecided: ReportedPackage[] = []
  for (const one of decided.undecided) undecided.push(...(await packageNews(one, newsOf)))
  const counts = {
    ...decided.counts,
    findings: findings.length,
    suppressed: findings.filter(isSuppressed).length,
    unscored: findings.filter(({ advisory }) => worstSeverity(advisory) === null).length,
  }
  return { ...decided, findings, undecided, counts }
}

async function packageNews(one: DecidedPackage, newsOf: NewsOf): Promise<ReportedPackage[]> {
  const news = await Promise.all(one.advisories.map((advisory) => newsOf(one, advisory)))
  const isNews = (_: unknown, i: number) => news[i]!.length > 0
  const advisories = one.advisories.filter(isNews)
  if (advisories.length === 0) return []
  const reasons = one.reasons.filter((reason) => advisories.some((row) => row.undecided_reason === reason))
  return [{ ...one, advisories, reasons, decisions: one.decisions.filter(isNews), news: news.flat() }]
}

/** Returns the number of packages without findings that no decision settles. */
function openPackages({ findings }: DecidedFindings, undecided: readonly DecidedPackage[]): number {
  const keyOf = (one: DecidedFinding | DecidedPackage) => JSON.stringify([one.file, componentKey(one)])
  const affected = new Set(findings.map(keyOf))
  return undecided.filter((one) => !isSettled(one) && !affected.has(keyOf(one))).length
}

function outcomeOf(
  counts: CheckReport['counts'],
  failing: CheckReport['failing'],
  unreadable: number,
): CheckReport['outcome'] {
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
