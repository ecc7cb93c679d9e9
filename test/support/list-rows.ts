/** All rows of all lists, from the API without filters. */
import type { CapecListEntry, CweListEntry } from '../../corpus/model/catalog-names.ts'
import type { CnaRow, KevRow, ProductRow, RejectedRow, VendorRow } from '../../corpus/model/directory.ts'
import type { AdvisoryRow } from '../../corpus/model/packages/advisory-row.ts'
import type { PackageRow } from '../../corpus/model/packages/package-entry.ts'
import type { ExploitModule } from '../../corpus/model/record.ts'
import { type Asked, walk } from './ask.ts'
import type { Summary } from './cve-cases.ts'

export interface AllRows {
  cves: Summary[]
  /** `epss_change` over 30 days by CVE id. */
  epssChanges: ReadonlyMap<string, number | null>
  cwes: CweListEntry[]
  capecs: CapecListEntry[]
  cnas: CnaRow[]
  vendors: VendorRow[]
  products: ProductRow[]
  exploits: ExploitModule[]
  packages: PackageRow[]
  kev: KevRow[]
  advisories: AdvisoryRow[]
  rejected: RejectedRow[]
}

export type Rows = Pick<Asked, 'ask' | 'all'>

export async function allRows(asked: Rows): Promise<AllRows> {
  const vendors = await asked.all<VendorRow>('/vendors')
  return {
    cves: await asked.all('/cves'),
    epssChanges: await epssChanges(asked),
    cwes: await asked.all('/cwes'),
    capecs: await asked.all('/capecs'),
    cnas: await asked.all('/cnas'),
    vendors,
    products: await productsOf(asked, vendors),
    exploits: await asked.all('/exploits'),
    packages: await asked.all('/packages'),
    kev: await asked.all('/kev'),
    advisories: await asked.all('/advisories'),
    rejected: await asked.all('/rejected'),
  }
}

/** Returns `epss_change` of each CVE over 30 days, the default. */
export async function epssChanges({ ask }: Pick<Asked, 'ask'>): Promise<Map<string, number | null>> {
  const rows = await walk<{ cve_id: string; epss_change: number | null }>(
    async (query) => (await ask('/cves', `fields=epss_change&${query}`)).text,
  )
  return new Map(rows.map(({ cve_id, epss_change }) => [cve_id, epss_change]))
}

/** Returns the rows of `/products`, one by one: that list requires `q`. */
async function productsOf({ ask, all }: Rows, vendors: readonly VendorRow[]): Promise<ProductRow[]> {
  const products: ProductRow[] = []
  for (const { slug: vendor } of vendors) {
    const path = `/vendors/${encodeURIComponent(vendor)}/products`
    for (const { slug } of await all<ProductRow>(path)) {
      products.push(JSON.parse((await ask(`${path}/${encodeURIComponent(slug)}`, '')).text) as ProductRow)
    }
  }
  return products
}
