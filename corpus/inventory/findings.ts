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
import { type SafeVersion, safeVersionOf } from './safe-version.ts'

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

/** The safe version is that of the package. */
export interface Finding extends LocatedComponent, SafeVersion {
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
 * Looks up each package once for all files, then versions that may be safe for the affected ones, `atOnce` of them at the same time. The first error of a look-up ends the work.
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
    const { answer, safe } = answers.get(component)!
    if (typeof answer === 'string') {
      notChecked.push(notJudged(component, answer))
      continue
    }
    const open = answer.filter(isUndecided)
    if (open.length > 0) undecided.push({ ...component, reasons: reasonsOf(open), advisories: open })
    for (const advisory of answer) if (!isUndecided(advisory)) findings.push({ ...component, ...safe!, advisory })
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

interface Looked {
  answer: Answer
  /** Null unless the package is affected. */
  safe: SafeVersion | null
}

/** Returns the answer for each component. */
async function lookUpAll(
  located: readonly LocatedComponent[],
  lookUp: LookUp,
  atOnce: number,
  progress: (done: number, total: number) => void,
): Promise<ReadonlyMap<Component, Looked>> {
  const answers = new Map<Component, Looked>()
  const packages = [...Map.groupBy(located, componentKey).values()]
  const affected: Component[][] = []
  let done = 0
  let rows = 0
  await forEach(packages, atOnce, async (equal) => {
    const answer = await answerOf(equal[0]!, lookUp)
    for (const component of equal) answers.set(component, { answer, safe: null })
    if (typeof answer !== 'string') {
      rows += answer.length * equal.length
      if (answer.some((row) => !isUndecided(row))) affected.push(equal)
    }
    if (rows > MAX_ROWS) {
      const message = `the packages have more than ${grouped(MAX_ROWS)} advisories, the limit. Check the files in parts`
      throw new InventoryError('too-large', message)
    }
    progress(++done, packages.length)
  })
  const lookUpOnce = remembered(lookUp)
  await forEach(affected, atOnce, async (equal) => {
    const component = equal[0] as EcosystemComponent
    const { answer } = answers.get(component)!
    const safe = await safeVersionOf(component, answer as readonly AffectedRow[], lookUpOnce)
    for (const one of equal) answers.set(one, { answer, safe })
  })
  return answers
}

/** Works on `atOnce` items at the same time. The first error ends the work. */
async function forEach<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      await work(items[next++]!).catch((error) => {
        next = items.length
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

/** Versions of a package often have the same safe version. */
function remembered(lookUp: LookUp): LookUp {
  const answers = new Map<string, ReturnType<LookUp>>()
  return (component) => {
    const key = componentKey(component)
    const answer = answers.get(key) ?? lookUp(component)
    answers.set(key, answer)
    return answer
  }
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
