/** The sorts, filters and ids of all lists except CVEs, for builder and gateway. SPEC.md, "Lists". */
import { joinedProductKey, joinedVendor } from '../../model/affected/joined-key.ts'
import { nameKey } from '../../model/affected/products.ts'
import type { CapecListEntry, CweListEntry } from '../../model/catalog-names.ts'
import type { CnaRow, KevRow, ProductRow, RejectedRow, VendorRow } from '../../model/directory.ts'
import { type CveId, compareCveIds } from '../../model/ids/cve-id.ts'
import type { AdvisoryRow } from '../../model/packages/advisory-row.ts'
import { foldName } from '../../model/packages/name.ts'
import type { PackageRow } from '../../model/packages/package-entry.ts'
import type { ExploitModule } from '../../model/record.ts'
import { compareText } from '../../model/sources.ts'
import { fold } from '../codec/fold.ts'
import { compareKeys } from './order.ts'

export type SortValue = number | string | null

export interface ListSort<Row> {
  key(row: Row): SortValue
  /** The direction in which its pages are stored. */
  descending: boolean
  /** Ties ascend in lists without a `sort` parameter (rule 6). Otherwise ties follow the sort direction. */
  tiesAscend?: boolean
}

export interface ListSpec<Row> {
  sorts: Record<string, ListSort<Row>>
  /** The sort that numbers the rows. */
  main: string
  /** The id in cursors, details and searches; unique in the list. */
  id(row: Row): string
  compareIds(a: string, b: string): number
  /** Returns the form under which a row is found by other spellings of its id. Default: only the id finds it. */
  idKey?(id: string): string
  /** Folded values per filter. A row passes when a request names one of them. */
  filters: Record<string, (row: Row) => readonly string[]>
  /** Numbers for range filters, NaN for null. */
  bounds: Record<string, (row: Row) => number>
}

/** CAPEC severities by rank (rule 6). */
const SEVERITY_RANK = ['Very Low', 'Low', 'Medium', 'High', 'Very High']

const byNumber = (a: string, b: string) => Number(a.slice(a.indexOf('-') + 1)) - Number(b.slice(b.indexOf('-') + 1))
const one = (value: string | null) => (value === null ? [] : [fold(value)])
const rankOf = (severity: string | null) => {
  const rank = severity === null ? -1 : SEVERITY_RANK.indexOf(severity)
  return rank < 0 ? null : rank
}
const timeOf = (date: string | null) => (date === null ? null : Date.parse(date))

const cwes: ListSpec<CweListEntry> = {
  sorts: {
    cves: { key: (row) => row.cve_count, descending: true },
    id: { key: (row) => row.numeric_id, descending: false },
    name: { key: (row) => fold(row.name), descending: false },
  },
  main: 'cves',
  id: (row) => row.slug,
  compareIds: byNumber,
  filters: {
    abstraction: (row) => one(row.abstraction),
    status: (row) => one(row.status),
    likelihood: (row) => one(row.likelihood),
  },
  bounds: {},
}

const capecs: ListSpec<CapecListEntry> = {
  sorts: {
    id: { key: (row) => row.capec_id, descending: false },
    name: { key: (row) => (row.name === null ? null : fold(row.name)), descending: false },
    severity: { key: (row) => rankOf(row.typical_severity), descending: true },
  },
  main: 'id',
  id: (row) => `capec-${row.capec_id}`,
  compareIds: byNumber,
  filters: { status: (row) => one(row.status), severity: (row) => one(row.typical_severity) },
  bounds: {},
}

const cnas: ListSpec<CnaRow> = {
  sorts: {
    cves: { key: (row) => row.total_cves, descending: true },
    name: { key: (row) => fold(row.cna_name), descending: false },
    completeness: { key: (row) => row.overall_completeness, descending: true },
  },
  main: 'cves',
  id: (row) => row.slug,
  compareIds: compareText,
  filters: { grade: (row) => one(row.grade), activity_status: (row) => one(row.activity_status) },
  bounds: {},
}

const vendors: ListSpec<VendorRow> = {
  sorts: {
    cves: { key: (row) => row.cve_count, descending: true },
    name: { key: (row) => fold(row.display), descending: false },
  },
  main: 'cves',
  id: (row) => row.slug,
  compareIds: compareText,
  idKey: joinedVendor,
  filters: {},
  bounds: {},
}

/** Both parts may contain a slash. Keys are lower case, so no vendor contains `%2F`. */
export const productId = (vendor: string, slug: string): string => `${vendor.replaceAll('/', '%2F')}/${slug}`

const products: ListSpec<ProductRow> = {
  sorts: { cves: { key: (row) => row.cve_count, descending: true, tiesAscend: true } },
  main: 'cves',
  id: (row) => productId(row.vendor, row.slug),
  compareIds: compareText,
  idKey(id) {
    const slash = id.indexOf('/')
    const vendor = id.slice(0, slash).replaceAll('%2F', '/')
    return productId(joinedVendor(vendor), joinedProductKey(vendor, id.slice(slash + 1)))
  },
  filters: { vendor: (row) => [row.vendor] },
  bounds: {},
}

const exploits: ListSpec<ExploitModule> = {
  sorts: { published: { key: (row) => timeOf(row.date_published), descending: true } },
  main: 'published',
  id: (row) => `${row.source}/${row.source_id}`,
  compareIds: compareModuleIds,
  filters: { source: (row) => [row.source], platform: (row) => (row.platform ?? []).map(fold) },
  bounds: { published: (row) => timeOf(row.date_published) ?? Number.NaN },
}

const packages: ListSpec<PackageRow> = {
  sorts: { advisories: { key: (row) => row.advisory_count, descending: true, tiesAscend: true } },
  main: 'advisories',
  id: (row) => `${row.ecosystem}/${foldName(row.ecosystem, row.name)}`,
  compareIds: compareText,
  filters: { ecosystem: (row) => one(row.ecosystem) },
  bounds: {},
}

const kev: ListSpec<KevRow> = {
  sorts: {
    date_added: { key: (row) => timeOf(row.date_added), descending: true },
    due_date: { key: (row) => timeOf(row.due_date), descending: false },
  },
  main: 'date_added',
  id: (row) => `${row.cve_id}/${row.catalog}`,
  compareIds: compareKevIds,
  filters: {
    catalog: (row) => [fold(row.catalog)],
    ransomware: (row) => one(row.ransomware),
    vendor_project: (row) => (row.vendor_project === null ? [] : [joinedName(row.vendor_project)]),
  },
  bounds: {
    added: (row) => timeOf(row.date_added) ?? Number.NaN,
    due: (row) => timeOf(row.due_date) ?? Number.NaN,
  },
}

const advisories: ListSpec<AdvisoryRow> = {
  sorts: { published: { key: (row) => timeOf(row.published_at), descending: true } },
  main: 'published',
  id: (row) => row.advisory_id,
  compareIds: compareText,
  filters: {
    ecosystem: (row) => row.ecosystems.map(fold),
    severity: (row) => one(row.severity),
    prefix: (row) => [fold(prefixOf(row.advisory_id))],
    malware: (row) => [String(row.is_malware)],
    withdrawn: (row) => [String(row.is_withdrawn)],
  },
  bounds: {
    published: (row) => timeOf(row.published_at) ?? Number.NaN,
    modified: (row) => timeOf(row.modified_at) ?? Number.NaN,
  },
}

/** `GHSA` of `GHSA-35jh-r3h4-6jhm`: the database, by the prefixes of the OSV schema. */
const prefixOf = (id: string): string => id.replace(/-.*/s, '')

const rejected: ListSpec<RejectedRow> = {
  sorts: { date_rejected: { key: (row) => timeOf(row.date_rejected), descending: true } },
  main: 'date_rejected',
  id: (row) => row.cve_id,
  compareIds: (a, b) => compareCveIds(a as CveId, b as CveId),
  filters: { replaced: (row) => [String(row.replaced_by.length > 0)] },
  bounds: { rejected: (row) => timeOf(row.date_rejected) ?? Number.NaN },
}

/** Returns the form in which all joined spellings of a vendor are equal (rule 27). */
export const joinedName = (vendor: string): string => joinedVendor(nameKey(vendor) ?? vendor)

export const LISTS = { cwes, capecs, cnas, vendors, products, exploits, packages, kev, advisories, rejected }
export type ListName = keyof typeof LISTS
export const LIST_NAMES = Object.keys(LISTS) as ListName[]

/** Returns the specification of a list, for rows of a type. */
export const specOf = <Row = never>(list: ListName): ListSpec<Row> => LISTS[list] as unknown as ListSpec<Row>

/** Returns the name of a list's page shard. */
export const listPagesName = (list: ListName, sort: string): string => `${list}.${sort}`

/** Exploit-DB ids compare as numbers, Metasploit ids as text; Exploit-DB comes first. */
function compareModuleIds(a: string, b: string): number {
  const [x, y] = [a.slice(a.indexOf('/') + 1), b.slice(b.indexOf('/') + 1)]
  const isNumber = /^\d+$/
  if (isNumber.test(x) && isNumber.test(y)) return Number(x) - Number(y) || compareText(a, b)
  return compareText(a, b)
}

/** Compares the ids of the CVEs, then the names of the catalogs. */
function compareKevIds(a: string, b: string): number {
  const partsOf = (id: string) => [id.slice(0, id.indexOf('/')), id.slice(id.indexOf('/') + 1)] as const
  const [[cveA, catalogA], [cveB, catalogB]] = [partsOf(a), partsOf(b)]
  return compareCveIds(cveA as CveId, cveB as CveId) || compareText(catalogA, catalogB)
}

/** Compares two keys with their ids: the one comparator, for rows of a list (rule 6). */
export function compareRowKeys(
  list: Pick<ListSpec<never>, 'compareIds'>,
  sort: Pick<ListSort<never>, 'tiesAscend'>,
  descending: boolean,
  a: { value: SortValue; id: string },
  b: { value: SortValue; id: string },
): number {
  const byKey = compareKeys(a.value, b.value, descending)
  if (byKey !== 0) return byKey
  const byId = list.compareIds(a.id, b.id)
  return descending && !sort.tiesAscend ? -byId : byId
}
