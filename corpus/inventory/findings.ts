/** Finds the advisories that affect the packages of an inventory. */
import { type AffectedRow, compareRows } from '../model/packages/match.ts'
import { compareText } from '../model/sources.ts'
import { baseEcosystem } from '../model/versions/ecosystems.ts'
import { type Component, packageName } from './inventory.ts'

/** A package that an ecosystem has. */
export type EcosystemComponent = Component & { ecosystem: string }

/** Returns the rows of `/affected` for a package. Null if the snapshot has no package of its ecosystem. */
export type LookUp = (component: EcosystemComponent) => Promise<readonly AffectedRow[] | null>

/** Knows the packages of a snapshot: a reader. */
export interface PackageSource {
  /** The ecosystems that the snapshot has packages of, without suffixes such as `:12`. */
  readonly ecosystems: readonly string[]
  affected(question: Pick<EcosystemComponent, 'ecosystem' | 'name' | 'version' | 'source'>): Promise<AffectedRow[]>
}

export const sourceLookUp =
  (source: PackageSource): LookUp =>
  async ({ ecosystem, name, version, source: origin }) =>
    source.ecosystems.includes(baseEcosystem(ecosystem))
      ? source.affected({ ecosystem, name, version, source: origin })
      : null

export interface Finding extends Component {
  /** A row of `/affected`. */
  advisory: AffectedRow
}

export interface Findings {
  /** Affected ones first; then by severity, KEV, EPSS, advisory and package. */
  findings: Finding[]
  /** Packages of ecosystems that the snapshot has no package of. */
  notIndexed: Component[]
}

/**
 * Looks up each package, `atOnce` of them at the same time. The first error of a look-up ends the work.
 * @param progress is called after each package
 */
export async function findAdvisories(
  components: readonly Component[],
  lookUp: LookUp,
  atOnce: number,
  progress: (done: number, total: number) => void,
): Promise<Findings> {
  const findings: Finding[] = []
  const unknown = new Set(components.filter(({ ecosystem }) => ecosystem === null))
  const known = components.filter((component): component is EcosystemComponent => component.ecosystem !== null)
  let next = 0
  let done = 0
  const work = async () => {
    while (next < known.length) {
      const component = known[next++]!
      const rows = await lookUp(component).catch((error) => {
        next = known.length
        throw error
      })
      if (rows === null) unknown.add(component)
      else findings.push(...rows.map((advisory) => ({ ...component, advisory })))
      progress(++done, known.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { findings: findings.sort(compareFindings), notIndexed: components.filter((one) => unknown.has(one)) }
}

export const isUndecided = ({ advisory }: Finding): boolean => advisory.verdict === 'undecided'

const compareFindings = (a: Finding, b: Finding) =>
  Number(isUndecided(a)) - Number(isUndecided(b)) ||
  compareRows(a.advisory, b.advisory) ||
  compareText(packageName(a), packageName(b)) ||
  compareText(a.version, b.version)
