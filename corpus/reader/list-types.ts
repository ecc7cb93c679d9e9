/** The types of a reader's lists and entries other than CVEs, as in the API. */
import type { CapecEntry, CweEntry } from '../model/catalog.ts'
import type { CapecListEntry, CweListEntry } from '../model/catalog-names.ts'
import type { CnaRow, ProductRow, RejectedRow, KevRow as StoredKevRow, VendorRow } from '../model/directory.ts'
import type { CveId } from '../model/ids/cve-id.ts'
import type { AdvisoryRow } from '../model/packages/advisory-row.ts'
import type { PackageDetail, PackageRow } from '../model/packages/package-entry.ts'
import type { ExploitModule } from '../model/record.ts'
import type { CnaEntryDetail, ExploitEntry, ListName } from '../snapshot/index.ts'
import type { CveSummary, KevDetail, OsvRecord, Pagination } from './record.ts'

/** A product. With the filter `vendor`, rows have no `vendor_display`, as in the API. */
export type ProductListRow = Omit<ProductRow, 'vendor_display' | 'spellings'> &
  Partial<Pick<ProductRow, 'vendor_display'>>

export type KevRow = StoredKevRow & { cve: CveSummary }

/** The type of the rows of each list. */
export interface ListRow {
  cwes: CweListEntry
  capecs: CapecListEntry
  cnas: CnaRow
  vendors: VendorRow
  products: ProductListRow
  exploits: ExploitModule
  packages: PackageRow
  kev: KevRow
  advisories: AdvisoryRow
  rejected: RejectedRow
}

export type CnaDetail = CnaRow & Omit<CnaEntryDetail, 'slug' | 'cna_name'>

/** The type of the entries of each list that has them. Rejected CVEs have none. */
export interface ListEntry {
  cwes: CweEntry
  capecs: CapecEntry
  cnas: CnaDetail
  vendors: VendorRow
  products: ProductRow
  exploits: ExploitEntry
  packages: PackageDetail
  /** Its id is that of the CVE. */
  kev: KevDetail & { cve_id: CveId }
  advisories: OsvRecord
}

/** A page of a list other than CVEs. */
export interface ListPage<Name extends ListName = ListName> {
  /** Only products with the filter `vendor` have it. `display` is null for an unknown vendor. */
  vendor?: { slug: string; display: string | null }
  data: ListRow[Name][]
  pagination: Pagination
}
