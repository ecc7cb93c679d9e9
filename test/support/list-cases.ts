/** The lists of other resources than CVEs with their filters, some values of each filter, and the matching rows. */
import type { CapecListEntry, CweListEntry } from '../../corpus/model/catalog-names.ts'
import type { CnaRow, KevRow, ProductRow, RejectedRow, VendorRow } from '../../corpus/model/directory.ts'
import type { AdvisoryRow } from '../../corpus/model/packages/advisory-row.ts'
import type { PackageRow } from '../../corpus/model/packages/package-entry.ts'
import type { ExploitModule } from '../../corpus/model/record.ts'
import type { ListCase, Order, Value } from './combinations.ts'
import { packageKeyOf } from './package-cves.ts'
import {
  around,
  at,
  both,
  byFrequency,
  byNumbers,
  byText,
  contains,
  equals,
  joinedName,
  keyOfName,
  lower,
  orderBy,
  ordersBy,
  since,
  until,
} from './plain.ts'

/** Returns a word that many texts contain, in capitals. */
const commonWord = (texts: (string | null)[]): string =>
  byFrequency(
    texts.flatMap((text) => text?.split(/[^\p{L}]+/u).filter((word) => word.length > 3) ?? []),
  )[0]!.toUpperCase()

const values = <Row>(texts: readonly string[], of: (row: Row) => string | null) => texts.map((text) => equals(text, of))

/** `q` is trimmed. */
const padded = <Row>({ text, passes }: Value<Row>): Value<Row> => ({ text: `%20${text}%20`, passes })

export function cwesCase(rows: readonly CweListEntry[]): ListCase<CweListEntry> {
  const searched = (text: string) => contains<CweListEntry>(text, (row) => [row.cwe_id, row.name])
  return {
    path: '/cwes',
    rows,
    orders: ordersBy<CweListEntry>(
      { cves: (row) => row.cve_count, id: (row) => row.numeric_id, name: (row) => lower(row.name) },
      (a, b) => a.numeric_id - b.numeric_id,
    ),
    filters: {
      q: [searched('e'), searched(commonWord(rows.map((row) => row.name))), searched(rows[0]!.slug), searched('%')],
      abstraction: values(['Pillar', 'Class', 'Base', 'Variant', 'Compound'], (row) => row.abstraction),
      status: values(['Stable', 'DRAFT', 'Incomplete', 'Deprecated', 'Sketched'], (row) => row.status),
      likelihood: values(['High', 'Medium', 'Low'], (row) => row.likelihood),
    },
  }
}

const CAPEC_SEVERITIES = ['Very Low', 'Low', 'Medium', 'High', 'Very High']

export function capecsCase(rows: readonly CapecListEntry[]): ListCase<CapecListEntry> {
  const searched = (text: string) => contains<CapecListEntry>(text, (row) => [row.name, row.description])
  return {
    path: '/capecs',
    rows,
    orders: ordersBy<CapecListEntry>(
      {
        id: (row) => row.capec_id,
        name: (row) => (row.name === null ? null : lower(row.name)),
        severity: (row) => (row.typical_severity === null ? null : CAPEC_SEVERITIES.indexOf(row.typical_severity)),
      },
      (a, b) => a.capec_id - b.capec_id,
    ),
    filters: {
      q: [
        searched('e'),
        searched(commonWord(rows.map((row) => row.description))),
        searched(rows[0]!.name!.toUpperCase()),
        // `q` does not search the id.
        searched('CAPEC-1'),
        searched('_'),
      ],
      status: values(['Stable', 'draft', 'Usable', 'Deprecated', 'Sketched'], (row) => row.status),
      severity: values(CAPEC_SEVERITIES, (row) => row.typical_severity),
    },
  }
}

export function cnasCase(rows: readonly CnaRow[]): ListCase<CnaRow> {
  const searched = (text: string) => contains<CnaRow>(text, (row) => [row.slug, row.cna_name])
  return {
    path: '/cnas',
    rows,
    orders: ordersBy<CnaRow>(
      {
        cves: (row) => row.total_cves,
        name: (row) => lower(row.cna_name),
        completeness: (row) => row.overall_completeness,
      },
      (a, b) => byText(a.slug, b.slug),
    ),
    filters: {
      q: [
        searched('e'),
        searched(commonWord(rows.map((row) => row.cna_name))),
        searched(at(rows, 0.5).slug),
        searched('%%'),
      ],
      grade: values(['A', 'B', 'C', 'D', 'F'], (row) => row.grade),
      activity_status: values(['Active', 'Inactive'], (row) => row.activity_status),
    },
  }
}

type Named = Pick<VendorRow, 'slug' | 'display' | 'spellings'>

/** The texts that `q` matches (rule 28). */
const namesOf = ({ slug, display, spellings }: Named) => [slug, display, ...spellings!]

/** Returns a spelling that neither slug nor display contains, if there is one. */
function otherSpelling(rows: readonly Named[]): string {
  const spellings = rows.flatMap(({ slug, display, spellings }) =>
    spellings!.map((text) => ({ text, isOther: ![slug, display].some((name) => lower(name).includes(lower(text))) })),
  )
  return (spellings.find(({ isOther }) => isOther) ?? spellings.at(-1)!).text
}

export function vendorsCase(rows: readonly VendorRow[]): ListCase<VendorRow> {
  const searched = (text: string) => contains<VendorRow>(text, namesOf)
  return {
    path: '/vendors',
    rows,
    orders: ordersBy<VendorRow>({ cves: (row) => row.cve_count, name: (row) => lower(row.display) }, (a, b) =>
      byText(a.slug, b.slug),
    ),
    filters: {
      q: [
        ...['e', 'o', '_', '.', '%', "'", '"'].map(searched),
        padded(searched('o')),
        searched(commonWord(rows.map((row) => row.display))),
        searched(at(rows, 0.9).slug),
        searched(otherSpelling(rows)),
      ],
    },
  }
}

/** Products have one order. Ties ascend in a list without `sort` (rule 6). */
const byCves = <Row extends Pick<ProductRow, 'cve_count'>>(idOf: (row: Row) => string): Order<Row>[] => [
  orderBy<Row>(
    null,
    (row) => row.cve_count,
    (a, b) => byText(idOf(a), idOf(b)),
    { descending: true, tiesAscend: true },
  ),
]

export type VendorProduct = Omit<ProductRow, 'vendor_display' | 'spellings'>

/** Returns the case of `/vendors/{slug}/products`. `slug` is as clients write it; `vendor` is its row, or null. */
export function vendorProductsCase(
  slug: string,
  vendor: Pick<VendorRow, 'slug' | 'display'> | null,
  products: readonly ProductRow[],
): ListCase<VendorProduct> {
  const rows = products.map(({ slug, display, vendor, cve_count }) => ({ slug, display, vendor, cve_count }))
  const [some = 'nothing'] = rows.map((row) => row.display)
  const bySlug = new Map(products.map((row) => [row.slug, row]))
  const searched = (text: string) => contains<VendorProduct>(text, ({ slug }) => namesOf(bySlug.get(slug)!))
  return {
    path: `/vendors/${encodeURIComponent(slug)}/products`,
    head: { vendor: vendor ? { slug: vendor.slug, display: vendor.display } : { slug, display: null } },
    rows,
    orders: byCves((row) => row.slug),
    filters: { q: [...['e', 'an', '_', '-', '%', some.toUpperCase()].map(searched), padded(searched('an'))] },
  }
}

/** Returns the case of `/products`. Its `q` needs two characters; `rows` are the products of all vendors. */
export function productsCase(rows: readonly ProductRow[]): ListCase<ProductRow> {
  const vendors = byFrequency(rows.map((row) => row.vendor))
  const names = rows.filter((row) => row.slug.length > 1)
  const ofLargest = names.find((row) => row.vendor === vendors[0])!
  const words = [
    commonWord(rows.map((row) => row.display)),
    ofLargest.slug,
    at(names, 0.6).slug.toUpperCase(),
    otherSpelling(rows),
  ]
  const searched = (text: string) => contains<ProductRow>(text, namesOf)
  return {
    path: '/products',
    rows,
    orders: byCves((row) => `${row.vendor}/${row.slug}`),
    filters: {
      q: [...['er', 'in', '__', '%%', ...words].map(searched), padded(searched('in'))],
      vendor: [vendors[0]!, vendors[0]!.toUpperCase().replaceAll('_', ' '), vendors.at(-1)!, 'nobody'].map((text) => ({
        text: encodeURIComponent(text),
        passes: (row: ProductRow) => row.vendor === keyOfName(text),
      })),
    },
    required: 'q',
    fixed: 'include=spellings',
    paged: false,
  }
}

/** Packages have one order, like products. */
export function packagesCase(rows: readonly PackageRow[]): ListCase<PackageRow> {
  const idOf = ({ ecosystem, name }: PackageRow) => packageKeyOf(ecosystem, name)
  const searched = (text: string) =>
    contains<PackageRow>(text, (row) => [idOf(row).slice(row.ecosystem.length + 1), row.name])
  const ecosystems = byFrequency(rows.map((row) => row.ecosystem))
  return {
    path: '/packages',
    rows,
    orders: [
      orderBy<PackageRow>(
        null,
        (row) => row.advisory_count,
        (a, b) => byText(idOf(a), idOf(b)),
        { descending: true, tiesAscend: true },
      ),
    ],
    filters: {
      q: [...['e', 'er', '/', '-', '%', '@'].map(searched), searched(at(rows, 0.4).name.toUpperCase())],
      ecosystem: [ecosystems[0]!.toUpperCase(), ecosystems[1]!, ecosystems.at(-1)!.toLowerCase(), 'Alpaquita'].map(
        (text) => ({
          text: encodeURIComponent(text),
          passes: (row: PackageRow) => lower(row.ecosystem) === lower(text),
        }),
      ),
    },
  }
}

export function exploitsCase<Row extends ExploitModule>(rows: readonly Row[]): ListCase<Row> {
  const published = (row: Row) => row.date_published
  const days = rows.flatMap((row) => row.date_published ?? []).sort()
  const [early, late] = [around(at(days, 0.3)), around(at(days, 0.7))]
  const platforms = byFrequency(rows.flatMap((row) => row.platform ?? []))
  const onPlatform = (text: string) => ({
    text: encodeURIComponent(text),
    passes: (row: Row) => (row.platform ?? []).some((one) => lower(one) === lower(text)),
  })
  return {
    path: '/exploits',
    rows,
    orders: ordersBy<Row>(
      { published: (row) => (row.date_published === null ? null : Date.parse(row.date_published)) },
      compareModules,
    ),
    filters: {
      source: values(['exploit_archive', 'exploit_framework'], (row) => row.source),
      platform: [platforms[0]!.toUpperCase(), platforms[1]!, platforms.at(-1)!, 'abacus'].map(onPlatform),
      published_since: [early.day, early.on, early.after, early.before, '9999-12-31'].map((text) =>
        since(text, published),
      ),
      published_until: [late.day, late.on, late.before, late.after, '0001-01-01'].map((text) => until(text, published)),
    },
  }
}

export function kevCase(rows: readonly KevRow[]): ListCase<KevRow> {
  const [added, due] = [(row: KevRow) => row.date_added, (row: KevRow) => row.due_date]
  const days = (of: (row: KevRow) => string | null) => rows.flatMap((row) => of(row) ?? []).sort()
  const [early, late, near] = [around(at(days(added), 0.3)), around(at(days(added), 0.7)), around(at(days(due), 0.6))]
  const vendors = byFrequency(rows.map((row) => row.vendor_project))
  const joined = (name: string | null) => {
    const key = keyOfName(name)
    return key === null ? null : joinedName(key)
  }
  const ofVendor = (text: string): Value<KevRow> => ({
    text: encodeURIComponent(text),
    passes: (row) => row.vendor_project !== null && joined(row.vendor_project) === joined(text),
  })
  return {
    path: '/kev',
    rows,
    orders: ordersBy<KevRow>(
      {
        date_added: (row) => (row.date_added === null ? null : Date.parse(row.date_added)),
        due_date: (row) => (row.due_date === null ? null : Date.parse(row.due_date)),
      },
      (a, b) => byNumbers(a.cve_id, b.cve_id) || byText(a.catalog, b.catalog),
    ),
    filters: {
      catalog: values(['cisa', 'HARBOR_WATCH', 'no such'], (row) => row.catalog),
      ransomware: values(['known', 'UNKNOWN'], (row) => row.ransomware),
      vendor: [vendors[0]!.toUpperCase(), vendors.at(-1)!.replaceAll(' ', '_'), 'no such'].map(ofVendor),
      added_since: [early.day, early.on, early.after, early.before, '9999-12-31'].map((text) => since(text, added)),
      added_until: [late.day, late.on, late.before, late.after, '0001-01-01'].map((text) => until(text, added)),
      due_since: [near.day, near.on, near.after, near.before, '9999-12-31'].map((text) => since(text, due)),
      due_before: [near.day, near.on, near.after, '0001-01-01', '9999-12-31'].map((text) => ({
        text: encodeURIComponent(text),
        passes: (row) => row.due_date !== null && Date.parse(row.due_date) < Date.parse(text),
      })),
    },
  }
}

const timeOf = (date: string | null) => (date === null ? null : Date.parse(date))

export function advisoriesCase(rows: readonly AdvisoryRow[]): ListCase<AdvisoryRow> {
  const [published, modified] = [(row: AdvisoryRow) => row.published_at, (row: AdvisoryRow) => row.modified_at]
  const times = (of: (row: AdvisoryRow) => string | null) => rows.flatMap((row) => of(row) ?? []).sort()
  const [early, late] = [around(at(times(published), 0.3)), around(at(times(published), 0.7))]
  const changed = around(at(times(modified), 0.5))
  const ecosystems = byFrequency(rows.flatMap((row) => row.ecosystems))
  const prefixes = byFrequency(rows.map((row) => row.advisory_id.split('-')[0]!))
  return {
    path: '/advisories',
    rows,
    orders: ordersBy<AdvisoryRow>({ published: (row) => timeOf(row.published_at) }, (a, b) =>
      byText(a.advisory_id, b.advisory_id),
    ),
    filters: {
      ecosystem: [ecosystems[0]!, ecosystems[1]!.toUpperCase()].map((text) => ({
        text: encodeURIComponent(text),
        passes: (row) => row.ecosystems.some((one) => lower(one) === lower(text)),
      })),
      severity: values(['critical', 'HIGH', 'low'], (row) => row.severity),
      prefix: values([prefixes[0]!, prefixes[1]!.toLowerCase(), 'no'], (row) => row.advisory_id.split('-')[0]!),
      malware: both((row) => row.is_malware),
      withdrawn: both((row) => row.is_withdrawn),
      published_since: [early.day, early.on, early.after, '9999-12-31'].map((text) => since(text, published)),
      published_until: [late.day, late.on, late.before, '0001-01-01'].map((text) => until(text, published)),
      modified_since: [changed.day, changed.on, changed.after].map((text) => since(text, modified)),
    },
  }
}

export function rejectedCase(rows: readonly RejectedRow[]): ListCase<RejectedRow> {
  const rejected = (row: RejectedRow) => row.date_rejected
  const times = rows.flatMap((row) => rejected(row) ?? []).sort()
  const [early, late] = [around(at(times, 0.3)), around(at(times, 0.7))]
  return {
    path: '/rejected',
    rows,
    orders: ordersBy<RejectedRow>({ date_rejected: (row) => timeOf(row.date_rejected) }, (a, b) =>
      byNumbers(a.cve_id, b.cve_id),
    ),
    filters: {
      replaced: both((row) => row.replaced_by.length > 0),
      rejected_since: [early.day, early.on, early.after, '9999-12-31'].map((text) => since(text, rejected)),
      rejected_until: [late.day, late.on, late.before, '0001-01-01'].map((text) => until(text, rejected)),
    },
  }
}

/** The archive's modules by number, then the framework's by name. */
function compareModules(a: ExploitModule, b: ExploitModule): number {
  if (a.source !== b.source) return byText(a.source, b.source)
  return a.source === 'exploit_archive' ? Number(a.source_id) - Number(b.source_id) : byText(a.source_id, b.source_id)
}
