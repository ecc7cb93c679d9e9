/** Returns the number of entries per kind (API 27.1). The builder stores it and `verify` recounts it. */
import { compareText } from '../../model/sources.ts'
import { baseEcosystem, hasReleases, type IndexedEcosystems, releaseOf } from '../../model/versions/ecosystems.ts'
import type { CatalogName } from '../record/catalog.ts'
import type { HashedRows, PackageRows } from './advisory-rows.ts'
import type { Rows } from './rows.ts'

export function countsOf(
  rows: Rows,
  catalogs: Record<CatalogName, { length: number }>,
  { advisories, packages }: Record<'advisories' | 'packages', HashedRows>,
): Record<string, number> {
  const { vendors, products } = rows.names
  return {
    cves: rows.count,
    cwes: catalogs.cwes.length,
    capecs: catalogs.capecs.length,
    cnas: catalogs.cnas.length,
    vendors: vendors.size,
    products: products.values().reduce((sum, own) => sum + own.size, 0),
    exploits: catalogs.exploits.length,
    advisories: advisories.keys.length,
    packages: packages.keys.length,
    reports: rows.reports,
  }
}

/**
 * Returns the ecosystems that advisories name, and the releases of distributions. A CVE record that states a package does
 * not count: the other advisories of its ecosystem may be missing.
 */
export function ecosystemsOf(packages: Pick<PackageRows, 'ecosystems'>): IndexedEcosystems {
  const stated = [...new Set(packages.ecosystems.flat())]
  const ecosystems = [...new Set(stated.map(baseEcosystem))].sort(compareText)
  const named = stated.filter((one) => releaseOf(one) !== null)
  const releases = ecosystems.filter(hasReleases).map((base) => {
    const own = named.filter((one) => baseEcosystem(one) === base).map((one) => releaseOf(one)!)
    return [base, [...new Set(own)].sort(compareText)] as const
  })
  return { ecosystems, releases: Object.fromEntries(releases) }
}
