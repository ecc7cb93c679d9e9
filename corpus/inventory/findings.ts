/** Finds the advisories that affect the packages of an inventory. */
import { grouped } from '../command/format.ts'
import { type AffectedRow, compareRows, highest } from '../model/packages/affected-row.ts'
import type { Severity } from '../model/record.ts'
import { compareText } from '../model/sources.ts'
import { type IndexedEcosystems, isIndexed } from '../model/versions/ecosystems.ts'
import { MAX_ROWS } from './bounds.ts'
import { InventoryError } from './error.ts'
import { type Component, packageName } from './inventory.ts'
import type { UndecidedReason } from './reasons.ts'

/** A package that an ecosystem has. */
export type EcosystemComponent = Component & { ecosystem: string }

/** Returns the rows of `/affected` for a package. Null if the snapshot has no advisories of its ecosystem or release. */
export type LookUp = (component: EcosystemComponent) => Promise<readonly AffectedRow[] | null>

/** Knows the packages of a snapshot: a reader. */
export interface PackageSource extends IndexedEcosystems {
  affected(question: Pick<EcosystemComponent, 'ecosystem' | 'name' | 'version' | 'source'>): Promise<AffectedRow[]>
}

export const sourceLookUp =
  (source: PackageSource): LookUp =>
  async ({ ecosystem, name, version, source: origin }) => {
    const rows = await source.affected({ ecosystem, name, version, source: origin })
    // A CVE record can state a package of an ecosystem without advisories. It says nothing about other packages.
    return rows.length > 0 || isIndexed(ecosystem, source) ? rows : null
  }

export interface Finding extends Component {
  /** A row of `/affected`, with the verdict `affected`. */
  advisory: AffectedRow
}

/** A package with advisories that may affect it. Its other advisories can affect it for certain. */
export interface UndecidedPackage extends Component {
  /** Each once, those of most advisories first. */
  reasons: UndecidedReason[]
  /** Rows of `/affected` with the verdict `undecided`, in their order. */
  advisories: AffectedRow[]
}

/** Packages by what is known about them. A package with findings counts as affected, whatever else is undecided. */
export interface PackageCounts {
  affected: number
  notAffected: number
  undecided: number
}

export interface Findings {
  /** By severity, KEV, EPSS, advisory and package. */
  findings: Finding[]
  /** In the order of the components. */
  undecided: UndecidedPackage[]
  /** Packages of ecosystems and releases that the snapshot has no advisories of. */
  notIndexed: Component[]
  packages: PackageCounts
}

/**
 * Looks up each package, `atOnce` of them at the same time. The first error of a look-up ends the work.
 * @throws InventoryError `too-large`, and what `lookUp` throws
 * @param file for messages
 * @param progress is called after each package
 */
export async function findAdvisories(
  file: string,
  components: readonly Component[],
  lookUp: LookUp,
  atOnce: number,
  progress: (done: number, total: number) => void,
): Promise<Findings> {
  const rows = new Map<Component, readonly AffectedRow[]>()
  const known = components.filter((component): component is EcosystemComponent => component.ecosystem !== null)
  let next = 0
  let done = 0
  let count = 0
  const work = async () => {
    while (next < known.length) {
      const component = known[next++]!
      const found = await lookUp(component).catch((error) => {
        next = known.length
        throw error
      })
      if (found !== null) rows.set(component, found)
      count += found?.length ?? 0
      if (count > MAX_ROWS) {
        next = known.length
        const message = `${file} has more than ${grouped(MAX_ROWS)} advisories for its packages, the limit. Split it and check each part`
        throw new InventoryError('too-large', message)
      }
      progress(++done, known.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  const judged = components.filter((component) => rows.has(component))
  const findings = judged.flatMap((component) =>
    rows.get(component)!.flatMap((advisory) => (isUndecided(advisory) ? [] : [{ ...component, advisory }])),
  )
  const undecided = judged.flatMap((component) => undecidedPackage(component, rows.get(component)!))
  const affected = judged.filter((component) => rows.get(component)!.some((one) => !isUndecided(one))).length
  const notAffected = judged.filter((component) => rows.get(component)!.length === 0).length
  return {
    findings: findings.sort(compareFindings),
    undecided,
    notIndexed: components.filter((component) => !rows.has(component)),
    packages: { affected, notAffected, undecided: judged.length - affected - notAffected },
  }
}

const isUndecided = ({ verdict }: AffectedRow): boolean => verdict === 'undecided'

function undecidedPackage(component: Component, rows: readonly AffectedRow[]): UndecidedPackage[] {
  const advisories = rows.filter(isUndecided)
  if (advisories.length === 0) return []
  const byReason = Map.groupBy(advisories, ({ undecided_reason }) => undecided_reason!)
  const reasons = [...byReason].sort(([, a], [, b]) => b.length - a.length).map(([reason]) => reason)
  return [{ ...component, reasons, advisories }]
}

/** The higher one of the severity and the publisher's rating. Null if both are unknown. */
export const worstSeverity = ({ severity, stated_severity }: AffectedRow): Severity | null =>
  highest([severity, stated_severity])

const compareFindings = (a: Finding, b: Finding) =>
  compareRows(a.advisory, b.advisory) ||
  compareText(packageName(a), packageName(b)) ||
  compareText(a.version, b.version)
