/** How many of each kind a snapshot holds (API 27.1): the builder states it, `verify` counts again. */
import type { CatalogName } from '../catalog.ts'
import type { Rows } from './rows.ts'

export function countsOf(rows: Rows, catalogs: Record<CatalogName, { length: number }>): Record<string, number> {
  const { vendors, products, advisories } = rows.names
  return {
    cves: rows.count,
    cwes: catalogs.cwes.length,
    capecs: catalogs.capecs.length,
    cnas: catalogs.cnas.length,
    vendors: vendors.size,
    products: products.values().reduce((sum, own) => sum + own.size, 0),
    exploits: catalogs.exploits.length,
    advisories: advisories.size,
    reports: rows.reports,
  }
}
