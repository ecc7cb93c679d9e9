/** The version order of each ecosystem. */
import { alpine } from './alpine.ts'
import { debian } from './debian.ts'
import { baseEcosystem, FAMILY_OF, type FamilyName } from './ecosystems.ts'
import { maven } from './maven.ts'
import { cran, hackage } from './numeric.ts'
import { bounded, type VersionOrder } from './order.ts'
import { packagist } from './packagist.ts'
import { pypi } from './pypi.ts'
import { rpm } from './rpm.ts'
import { rubygems } from './rubygems.ts'
import { go, nuget, pub, semver } from './semver.ts'

const BY_FAMILY: Record<FamilyName, VersionOrder> = {
  semver: bounded(semver),
  go: bounded(go),
  cran: bounded(cran),
  hackage: bounded(hackage),
  maven: bounded(maven),
  nuget: bounded(nuget),
  packagist: bounded(packagist),
  pub: bounded(pub),
  pypi: bounded(pypi),
  rubygems: bounded(rubygems),
  debian: bounded(debian),
  alpine: bounded(alpine),
  rpm: bounded(rpm),
}

/** Returns the order of an ecosystem with or without suffix; null for an unknown one, or one without an order. */
export function comparatorOf(ecosystem: string): VersionOrder | null {
  const family = FAMILY_OF.get(baseEcosystem(ecosystem))
  return family === undefined ? null : BY_FAMILY[family]
}
