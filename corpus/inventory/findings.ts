/** Finds the advisories that affect the packages of inventories. */
import { grouped } from '../command/format.ts'
import { type AffectedRow, compareRows, highest } from '../model/packages/affected-row.ts'
import type { Severity } from '../model/record.ts'
import { compareText } from '../model/sources.ts'
import { type IndexedEcosystems, isIndexed } from '../model/versions/ecosystems.ts'
import { MAX_ROWS } from './bounds.ts'
import { InventoryError } from './error.ts'
import { type Component, componentKey, packageName } from './inventory.ts'
import type { ReadInventory } from './read.ts'
import { notIndexedReason, SKIP_REASONS, type UndecidedReason } from './reasons.ts'

/** A package that an ecosystem has. */
export type EcosystemComponent = Component & { ecosystem: string }

/** Returns the rows of `/affected` for a package; in words why the package cannot be judged. */
export type LookUp = (component: EcosystemComponent) => Promise<readonly AffectedRow[] | string>

/** Knows the packages of a snapshot: a reader. */
export interface PackageSource extends IndexedEcosystems {
  affected(question: Pick<EcosystemComponent, 'ecosystem' | 'name' | 'version' | 'source'>): Promise<AffectedRow[]>
}

export const sourceLookUp =
  (source: PackageSource): LookUp =>
  async ({ ecosystem, name, version, source: origin }) => {
    const rows = await source.affected({ ecosystem, name, version, source: origin })
    // A CVE record can state a package of an ecosystem without advisories. It says nothing about other packages.
    return rows.length > 0 || isIndexed(ecosystem, source) ? rows : notIndexedReason(ecosystem)
  }

/** A package in one of the files. */
export interface LocatedComponent extends Component {
  file: string
}

export interface Finding extends LocatedComponent {
  /** A row of `/affected`, with the verdict `affected`. */
  advisory: AffectedRow
}

/** A package with advisories that may affect it. Its other advisories can affect it for certain. */
export interface UndecidedPackage extends LocatedComponent {
  /** Each once, those of most advisories first. */
  reasons: UndecidedReason[]
  /** Rows of `/affected` with the verdict `undecided`, in their order. */
  advisories: AffectedRow[]
}

/** A package, an entry of a file, or a whole file. */
export interface NotChecked {
  file: string
  /** `npm/lodash`; of an entry without a package, its text. */
  name: string
  version: string | null
  line: number | null
  /** In words. */
  reason: string
}

/** A package counts once for each file that names it. With findings, it counts as affected, whatever else is undecided. */
export interface Counts {
  /** The sum of the four states. */
  packages: number
  affected: number
  notAffected: number
  undecided: number
  notChecked: number
  findings: number
  /** Findings without any severity. */
  unscored: number
}

export interface Findings {
  /** By severity, KEV, EPSS, advisory, package, version and file. */
  findings: Finding[]
  /** In the order of the files. */
  undecided: UndecidedPackage[]
  notChecked: NotChecked[]
  counts: Counts
}

/**
 * Looks up each package once for all files, `atOnce` of them at the same time. The first error of a look-up ends the work.
 * @throws InventoryError `too-large`, and what `lookUp` throws
 * @param progress is called after each package
 */
export async function findAdvisories(
  inventories: readonly ReadInventory[],
  lookUp: LookUp,
  atOnce: number,
  progress: (done: number, total: number) => void,
): Promise<Findings> {
  const located = inventories.flatMap(({ file, components }) => components.map((one) => ({ ...one, file })))
  const answers = await lookUpAll(located, lookUp, atOnce, progress)
  const findings: Finding[] = []
  const undecided: UndecidedPackage[] = []
  const notChecked: NotChecked[] = []
  const counts = { affected: 0, notAffected: 0, undecided: 0 }
  for (const component of located) {
    const answer = answers.get(component)!
    if (typeof answer === 'string') {
      notChecked.push(notJudged(component, answer))
      continue
    }
    const open = answer.filter(isUndecided)
    if (open.length > 0) undecided.push({ ...component, reasons: reasonsOf(open), advisories: open })
    for (const advisory of answer) if (!isUndecided(advisory)) findings.push({ ...component, advisory })
    counts[answer.length > open.length ? 'affected' : open.length > 0 ? 'undecided' : 'notAffected']++
  }
  for (const { file, skipped } of inventories) {
    for (const { name, line, reason } of skipped) {
      notChecked.push({ file, name, version: null, line, reason: SKIP_REASONS[reason] })
    }
  }
  const unscored = findings.filter(({ advisory }) => worstSeverity(advisory) === null).length
  return {
    findings: findings.sort(compareFindings),
    undecided,
    notChecked,
    counts: {
      packages: located.length + inventories.reduce((sum, { skipped }) => sum + skipped.length, 0),
      ...counts,
      notChecked: notChecked.length,
      findings: findings.length,
      unscored,
    },
  }
}

type Answer = Awaited<ReturnType<LookUp>>

/** Returns the answer for each component. */
async function lookUpAll(
  located: readonly LocatedComponent[],
  lookUp: LookUp,
  atOnce: number,
  progress: (done: number, total: number) => void,
): Promise<ReadonlyMap<Component, Answer>> {
  const answers = new Map<Component, Answer>()
  const packages = [...Map.groupBy(located, componentKey).values()]
  let next = 0
  let done = 0
  let rows = 0
  const work = async () => {
    while (next < packages.length) {
      const equal = packages[next++]!
      const answer = await answerOf(equal[0]!, lookUp).catch((error) => {
        next = packages.length
        throw error
      })
      for (const component of equal) answers.set(component, answer)
      if (typeof answer !== 'string') rows += answer.length * equal.length
      if (rows > MAX_ROWS) {
        next = packages.length
        const message = `the packages have more than ${grouped(MAX_ROWS)} advisories, the limit. Check the files in parts`
        throw new InventoryError('too-large', message)
      }
      progress(++done, packages.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return answers
}

const answerOf = async ({ ecosystem, ...component }: Component, lookUp: LookUp): Promise<Answer> =>
  ecosystem === null ? notIndexedReason(null) : lookUp({ ecosystem, ...component })

const notJudged = (component: LocatedComponent, reason: string): NotChecked => ({
  file: component.file,
  name: packageName(component),
  version: component.version,
  line: component.line,
  reason,
})

const isUndecided = ({ verdict }: AffectedRow): boolean => verdict === 'undecided'

function reasonsOf(advisories: readonly AffectedRow[]): UndecidedReason[] {
  const byReason = Map.groupBy(advisories, ({ undecided_reason }) => undecided_reason!)
  return [...byReason].sort(([, a], [, b]) => b.length - a.length).map(([reason]) => reason)
}

/** The higher one of the severity and the publisher's rating. Null if both are unknown. */
export const worstSeverity = ({ severity, stated_severity }: AffectedRow): Severity | null =>
  highest([severity, stated_severity])

const compareFindings = (a: Finding, b: Finding) =>
  compareRows(a.advisory, b.advisory) ||
  compareText(packageName(a), packageName(b)) ||
  compareText(a.version, b.version) ||
  compareText(a.file, b.file)
