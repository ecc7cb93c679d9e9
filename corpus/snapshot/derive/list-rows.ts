/** The rows of the lists other than CVEs: catalog entries with counts from the records. */

import { reviewedKey } from '../../model/affected/joined-key.ts'
import { nameKey } from '../../model/affected/products.ts'
import type { CapecEntry, CweEntry } from '../../model/catalog.ts'
import { type CapecListEntry, type CweListEntry, capecListEntry, cweListEntry } from '../../model/catalog-names.ts'
import type { Rejection } from '../../model/claim.ts'
import {
  type CnaRecords,
  type CnaRow,
  type CnaStats,
  cnaRow,
  cnaStats,
  improvementOf,
  type KevRow,
  type ProductRow,
  type RejectedRow,
  type VendorRow,
} from '../../model/directory.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import type { AdvisoryRow } from '../../model/packages/advisory-row.ts'
import type { PackageRow } from '../../model/packages/package-entry.ts'
import type { ExploitModule, KevCatalogEntry } from '../../model/record.ts'
import { fold } from '../codec/fold.ts'
import { LISTS, type ListSpec } from '../cursor/lists.ts'
import { type EpssColumns, epssAt, epssMember } from '../record/epss.ts'
import type { AdvisoryRows, PackageRows } from './advisory-rows.ts'
import type { AliasSets } from './aliases.ts'
import { FLAGS } from './facts.ts'
import type { ListedCves } from './list-postings.ts'
import { displayOf, type NameCounts, spellingsOf } from './name-counts.ts'
import { assignerOf, type Rows, weaknessesOf } from './rows.ts'
import { inMainOrder, mainOrder, ordered } from './sorted-list.ts'

export interface CnaEntryDetail {
  slug: string
  cna_name: string
  country: string | null
  organization_type: string[]
  scope: string | null
  advisories_url: string | null
}

export type ExploitEntry = ExploitModule & { cve_ids: string[] }

export interface CatalogEntries {
  cwes: CweEntry[]
  capecs: CapecEntry[]
  cnas: CnaEntryDetail[]
  exploits: ExploitEntry[]
}

export interface ListRows {
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

/** The lists that follow from catalogs, and from the products and weaknesses of records. */
export type RecordLists = Omit<ListRows, 'packages' | 'kev' | 'advisories' | 'rejected'>

/**
 * Returns the lists of catalogs and names, each in its main order, the CNA statistics, and the CVEs of vendors and
 * products. `corpusDate` is ISO 8601 in UTC.
 */
export function listRows(
  rows: Rows,
  entries: CatalogEntries,
  corpusDate: string | null,
): { lists: RecordLists; stats: CnaStats; cves: Omit<ListedCves, 'package'> } {
  const counts = weaknessCounts(rows)
  const { cnas, stats } = cnaRows(rows, entries.cnas, corpusDate === null ? 0 : Date.parse(corpusDate))
  const vendors = countedInMainOrder(LISTS.vendors, vendorRows(rows.names))
  const products = countedInMainOrder(LISTS.products, productRows(rows.names))
  const lists = {
    cwes: inMainOrder(
      LISTS.cwes,
      entries.cwes.map((entry) => cweListEntry(entry, counts.get(entry.numeric_id) ?? NO_CVES)),
    ),
    capecs: inMainOrder(LISTS.capecs, entries.capecs.map(capecListEntry)),
    cnas: inMainOrder(LISTS.cnas, cnas),
    vendors: vendors.map(({ row }) => row),
    products: products.map(({ row }) => row),
    exploits: inMainOrder(
      LISTS.exploits,
      entries.exploits.map(({ cve_ids, ...module }) => module),
    ),
  }
  const cves = { vendor: vendors.map((one) => one.cves), product: products.map((one) => one.cves) }
  return { lists, stats, cves }
}

/** Returns the rows of packages, in the order of `packages`. Advisories of one alias set count once. */
export function packageRows({ packages, advisories }: PackageRows, { setOf }: AliasSets): PackageRow[] {
  return packages.map(({ ecosystem, name, purl }, row) => {
    const advisory_count = new Set(advisories[row]!.map((id) => setOf.get(id) ?? id)).size
    return { ecosystem, name, purl, advisory_count }
  })
}

/** Returns one row for each entry of a catalog of exploited vulnerabilities, in the main order. Reads `rows.cores`. */
export function kevRows(
  { kevRows: listed, kevTexts, cores, shard, coreFrom, coreTo }: Rows,
  epss: EpssColumns,
): KevRow[] {
  const found = listed.flatMap((row, i): KevRow[] => {
    const core = Buffer.from(cores[shard[row]!]!.subarray(coreFrom[row], coreTo[row])).toString()
    const cve = JSON.parse(`${core}${epssMember(epssAt(epss, row))}}`) as KevRow['cve']
    const entries = JSON.parse(kevTexts[i]!) as KevCatalogEntry[]
    return entries.map((entry) => ({ cve_id: cve.cve_id, ...entry, cve }))
  })
  return inMainOrder(LISTS.kev, found)
}

/** Returns the rows of advisories in the main order. */
export const advisoryRows = ({ rows }: AdvisoryRows): AdvisoryRow[] =>
  inMainOrder(
    LISTS.advisories,
    rows.flatMap((text) => (text === null ? [] : (JSON.parse(text) as AdvisoryRow))),
  )

/** Returns the rows of rejected CVEs in the main order. */
export const rejectedRows = (rejected: ReadonlyMap<string, Rejection>): RejectedRow[] =>
  inMainOrder(
    LISTS.rejected,
    Array.from(rejected, ([id, { date, reason, replacedBy }]) => ({
      cve_id: id as CveId,
      date_rejected: date,
      reason,
      replaced_by: replacedBy,
    })),
  )

const NO_CVES = { cve_count: 0, kev_count: 0 }

/**
 * Returns per weakness the number of CVEs that map to it, from any source, and how many of them are in KEV (rule 27).
 */
function weaknessCounts(rows: Rows): Map<number, { cve_count: number; kev_count: number }> {
  const counts = new Map<number, { cve_count: number; kev_count: number }>()
  for (let row = 0; row < rows.count; row++) {
    const listed = rows.flags[row]! & FLAGS.kev ? 1 : 0
    for (const number of weaknessesOf(rows, row)) {
      const known = counts.get(number) ?? NO_CVES
      counts.set(number, { cve_count: known.cve_count + 1, kev_count: known.kev_count + listed })
    }
  }
  return counts
}

function cnaRows(rows: Rows, entries: readonly CnaEntryDetail[], corpusDate: number) {
  const records = recordsOfAssigners(rows)
  const cnas: CnaRow[] = []
  const improvements = []
  for (const { slug, cna_name: name } of entries) {
    const own = records.get(slug) ?? { published: [], completeness: [], scores: [], vendors: 0 }
    const row = cnaRow(slug, name, own, corpusDate)
    cnas.push(row)
    const improvement = improvementOf(row, own, corpusDate)
    if (improvement) improvements.push(improvement)
  }
  return { cnas, stats: cnaStats(cnas, improvements) }
}

/** Returns the record data of each assigner by its name key. CNA names use the same folding (rule 27). */
function recordsOfAssigners(rows: Rows): Map<string, CnaRecords> {
  const records = new Map<string, CnaRecords>()
  const vendors = new Map<string, Set<string>>()
  for (const [assigner, named] of rows.names.vendorsOfAssigner) {
    const slug = nameKey(assigner)
    if (slug !== null) vendors.set(slug, (vendors.get(slug) ?? new Set()).union(named))
  }
  const slugs = new Map<string, string | null>()
  for (let row = 0; row < rows.count; row++) {
    const assigner = assignerOf(rows, row)
    if (assigner === null) continue
    if (!slugs.has(assigner)) slugs.set(assigner, nameKey(fold(assigner)))
    const slug = slugs.get(assigner)
    if (slug == null) continue
    let own = records.get(slug)
    if (!own) {
      own = { published: [], completeness: [], scores: [], vendors: vendors.get(slug)?.size ?? 0 }
      records.set(slug, own)
    }
    own.published.push(numberOrNull(rows.published[row]!))
    own.completeness.push(rows.completeness[row]!)
    own.scores.push(numberOrNull(rows.score[row]!))
  }
  return records
}

const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value)

interface Counted<Row> {
  row: Row
  /** The rows of its CVEs. */
  cves: readonly number[]
}

function countedInMainOrder<Row>(spec: ListSpec<Row>, counted: readonly Counted<Row>[]): Counted<Row>[] {
  const rows = counted.map(({ row }) => row)
  return ordered(counted, mainOrder(spec, rows))
}

/** The key of a row is that of the table of vendors, else of its display name. */
function vendorRows({ vendors, products }: NameCounts): Counted<VendorRow>[] {
  return Array.from(vendors, ([joined, count]) => {
    const { key, text } = displayOf(count)
    const row: VendorRow = {
      slug: reviewedKey(joined) ?? key,
      display: text,
      product_count: products.get(joined)?.size ?? 0,
      cve_count: count.rows.length,
      spellings: spellingsOf(count),
    }
    return { row, cves: count.rows }
  })
}

function productRows({ vendors, products }: NameCounts): Counted<ProductRow>[] {
  const rows: Counted<ProductRow>[] = []
  for (const [joined, own] of products) {
    const vendor = displayOf(vendors.get(joined)!)
    for (const count of own.values()) {
      const { key, text } = displayOf(count)
      const row: ProductRow = {
        slug: key,
        display: text,
        vendor: reviewedKey(joined) ?? vendor.key,
        vendor_display: vendor.text,
        cve_count: count.rows.length,
        spellings: spellingsOf(count),
      }
      rows.push({ row, cves: count.rows })
    }
  }
  return rows
}
