/** The lowest version of an affected package that no advisory affects. */
import type { AffectedRow } from '../model/packages/affected-row.ts'
import { advisoryNames } from '../model/packages/source-package.ts'
import { comparatorOf } from '../model/versions/comparator.ts'
import type { EcosystemComponent, LookUp } from './findings.ts'
import type { NoSafeVersionReason } from './reasons.ts'

/** One of both is null. */
export interface SafeVersion {
  safeVersion: string | null
  /** Why there is none. */
  noSafeVersion: NoSafeVersionReason | null
}

/** Versions of a package that are looked up. Each is above the fixes of all advisories that affect the one before. */
const MAX_STEPS = 20

/**
 * Returns the lowest fixed version above the present one that no advisory affects or leaves undecided. Versions of the same
 * major version precede others, so they are preferred. Each advisory requires its own lowest fix at least: the highest of
 * these fixes is looked up, and so on until a version has no rows.
 * @param rows of the present version
 * @throws what `lookUp` throws
 */
export async function safeVersionOf(
  component: EcosystemComponent,
  rows: readonly AffectedRow[],
  lookUp: LookUp,
): Promise<SafeVersion> {
  const order = comparatorOf(component.ecosystem)
  const { version } = advisoryNames(component)
  let key: unknown = order?.parse(version!) ?? null
  if (order === null || key === null) return none('not_comparable')
  // The version of the source package is that of the fixes.
  const source = component.source?.replace(/@.*$/s, '') ?? null
  let open = rows
  for (let step = 0; step < MAX_STEPS; step++) {
    const next = highestFix(open, order, key)
    if (next === null) return none('no_fix')
    const found = await lookUp({ ...component, version: next.version, source, purl: null })
    if (typeof found === 'string') return none('not_comparable')
    if (found.length === 0) return { safeVersion: next.version, noSafeVersion: null }
    open = found
    key = next.key
  }
  return none('too_many')
}

const none = (noSafeVersion: NoSafeVersionReason): SafeVersion => ({ safeVersion: null, noSafeVersion })

/** Returns the highest one of the lowest fixes above a version. An undecided advisory counts if none affects it. */
function highestFix(
  rows: readonly AffectedRow[],
  order: NonNullable<ReturnType<typeof comparatorOf>>,
  above: unknown,
): { version: string; key: unknown } | null {
  const affecting = rows.filter(({ verdict }) => verdict === 'affected')
  const lowest = (affecting.length > 0 ? affecting : rows).flatMap(({ fixed_versions }) => {
    const fixes = fixed_versions.map((version) => ({ version, key: order.parse(version) }))
    return fixes.find(({ key }) => key !== null && order.compare(key, above) > 0) ?? []
  })
  return lowest.reduce<(typeof lowest)[0] | null>(
    (highest, one) => (highest === null || order.compare(one.key, highest.key) > 0 ? one : highest),
    null,
  )
}
