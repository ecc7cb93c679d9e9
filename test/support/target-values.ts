/** Values for the parameters of requests, from the answers of a service about its own snapshot. */
import { Random } from '../../corpus/sample/random.ts'
import { wordsFault } from '../../corpus/snapshot/index.ts'
import type { Answerer } from './answerers.ts'
import { at, byFrequency } from './plain.ts'
import { QUERIES, SHORT_QUERIES } from './search-queries.ts'

type Texts = Readonly<Record<string, string>>

/** Values of the parameters of a route, of one thing that the snapshot has. */
export interface Example {
  path?: Texts
  /** Query parameters that belong together; a request has all of them. */
  base?: Texts
  /** Filters that match the thing. */
  filters?: Texts
}

export interface TargetValues {
  /** By name of the route. */
  examples: Readonly<Record<string, readonly Example[]>>
  /** By name of the query parameter: values of those that are no closed set. */
  query: Readonly<Record<string, readonly string[]>>
  /** By name of the path parameter: values that nothing has. */
  unknown: Readonly<Record<string, readonly string[]>>
}

/** A member of an answer. */
type Row = Record<string, unknown>

/** Returns the members of a row as texts: booleans and numbers too, of lists the first item. */
function texts(row: Row): Record<string, string> {
  const entries = Object.entries(row).flatMap(([name, value]) => {
    const one: unknown = Array.isArray(value) ? value[0] : value
    return one === null || one === undefined || typeof one === 'object' || one === '' ? [] : [[name, String(one)]]
  })
  return Object.fromEntries(entries) as Record<string, string>
}

const distinct = (list: Iterable<string | null | undefined>): string[] =>
  [...new Set(list)].filter((text): text is string => text !== null && text !== undefined && text !== '')

/** At most so many items, from all parts of a list. */
const some = <T>(list: readonly T[], most: number): T[] =>
  list.length <= most ? [...list] : Array.from({ length: most }, (_, i) => at(list, i / most))

const RECORDS = 80
const PACKAGES = 40
const UNKNOWN_CVES = ['CVE-1999-99999', 'CVE-2024-0000', 'CVE-0000-0000', 'CVE-2038-9999999999999999999']
/** Ecosystems with a release, for parameters that take one, and others. */
const RELEASES = ['Debian:12', 'Alpine:v3.19', 'Ubuntu:22.04:LTS', 'debian']
const ODD = ['/', '.', '&', '%', '+', '@'].map((text) => encodeURIComponent(text))

/** `rejected` are ids of rejected CVEs: no list names them. */
export async function targetValues(service: Answerer, rejected: readonly string[]): Promise<TargetValues> {
  const random = new Random('target values')

  async function found<T = Row>(target: string): Promise<T | null> {
    const { status, body } = await service.request(target)
    if (status === 404) return null
    if (status !== 200) throw new Error(`${target} was answered ${status}: ${body}`)
    return JSON.parse(body) as T
  }
  async function rows(...targets: string[]): Promise<Row[]> {
    const all: Row[] = []
    for (const target of targets) all.push(...(await found<{ data: Row[] }>(target))!.data)
    return all
  }

  /** A part of a text: a whole word, the middle of one, or several words. */
  function part(text: string | undefined): string {
    const words = text?.match(/\S+/g) ?? []
    if (words.length === 0) return 'e'
    const word = random.pick(words)
    const pair = words.slice(0, 2).join(' ')
    return random.pick([
      word,
      word,
      word.slice(1, 4) || word,
      word.slice(0, 2),
      word[0]!,
      pair,
      text!.slice(0, 40).trim(),
    ])
  }
  const searched = (q: string): string => ([...q.trim()].length >= 2 ? q : `${q}e`)

  // CVEs, and parts of some of their records.
  const cves = await rows(
    ...['-published', 'published', '-updated', '-epss', 'cvss'].map((sort) => `/cves?limit=100&sort=${sort}`),
    ...['has_exploit=true&kev=true', 'tag=disputed', 'has_detection=true'].map((filter) => `/cves?limit=50&${filter}`),
  )
  const ids = distinct(cves.map((row) => String(row.cve_id)))
  const ofCve: Record<'affected' | 'references' | 'timeline' | 'reports' | 'advisory', Example[]> = {
    affected: [],
    references: [],
    timeline: [],
    reports: [],
    advisory: [],
  }
  const cpes: string[] = []
  const report: Example[] = []
  const advisories: string[] = []
  for (const cveId of some(ids, RECORDS)) {
    const path = { cveId }
    const record = (await found<Record<string, Row[]>>(`/cves/${cveId}?include=affected,references,timeline`))!
    for (const name of ['affected', 'references', 'timeline'] as const) {
      const own = record[name]!.map((row) =>
        texts({ ...row, tag: row.tags, source: row.source ?? row.sources, since: row.changed_at }),
      )
      ofCve[name].push({ path }, ...some(own, 3).map((filters) => ({ path, filters })))
    }
    cpes.push(
      ...some(
        record.affected!.flatMap(({ cpes }) => (cpes as string[] | null) ?? []),
        3,
      ),
    )
    const { reports } = (await found<{ reports: Row[] }>(`/cves/${cveId}/reports`))!
    ofCve.reports.push(...reports.map(({ report_type }) => ({ path, filters: { prompt: String(report_type) } })))
    report.push(...reports.map(({ id }) => ({ path: { cveId, reportId: String(id) } })))
    const advisory = await found(`/cves/${cveId}/advisory`)
    if (advisory === null) continue
    advisories.push(String(advisory.ghsa_id))
    ofCve.advisory.push({ path })
  }
  const anyCve = some(ids, 200).map((cveId): Example => ({ path: { cveId } }))
  if (report.length === 0) report.push({ path: { cveId: ids[0]!, reportId: random.uuid() } })

  /** The filters of lists of CVEs that a row passes. */
  const filtersOf = (row: Row): Texts => {
    const { date_published: published, date_updated: updated, primary_cwe_id: cwe, epss, kev, ...rest } = row
    const { score } = epss as { score: number | null }
    return {
      ...texts(rest),
      q: part(String(row.title ?? row.cve_id)),
      kev: String((kev as { listed: boolean }).listed),
      ...texts({
        cwe,
        epss_min: score,
        epss_change_min: random.pick([-0.001, 0, 0.00001, 0.01]),
        published_since: published,
        published_until: published,
        updated_since: updated,
      }),
      ids: [String(row.cve_id), ...some(ids, 30)].join(),
    }
  }
  const ofRow = (row: Row): Example => ({ filters: filtersOf(row) })

  // Catalogs and directories.
  const cwes = await rows('/cwes?limit=40', '/cwes?sort=-name&limit=20')
  const capecs = await rows('/capecs?limit=40', '/capecs?sort=-id&limit=20')
  const cnas = await rows('/cnas?limit=40', '/cnas?sort=cves&limit=20', '/cnas?sort=completeness&limit=20')
  const vendors = await rows(
    '/vendors?limit=50',
    '/vendors?sort=cves&limit=30',
    ...ODD.map((q) => `/vendors?limit=10&q=${q}`),
  )
  const products: Row[] = []
  for (const { slug } of some(vendors, 30)) {
    products.push(...(await rows(`/vendors/${encodeURIComponent(String(slug))}/products?limit=10`)))
  }
  const exploits = await rows('/exploits?limit=50', '/exploits?sort=published&limit=50')
  const listed = await rows('/kev?limit=50', '/kev?sort=due_date&limit=50')
  const published = await rows('/advisories?limit=50', '/advisories?sort=published&limit=50')
  const named = (row: Row, ...names: string[]): Example => {
    return { filters: { ...texts(row), q: part(texts(row)[random.pick(names)]) } }
  }
  const spellings = distinct(
    some(vendors, 60).flatMap((row) => [String(row.slug), String(row.display), ...(row.spellings as string[])]),
  )
  const idOf = ({ vendor, slug }: Row) => `${String(vendor).replaceAll('/', '%2F')}/${slug}`

  // Packages, their advisories, and versions that the advisories state.
  const packages = await rows('/packages?limit=60', ...ODD.map((q) => `/packages?limit=20&q=${q}`))
  const affecting: Example[] = some(distinct(cpes), 60).map((cpe) => ({ base: { cpe } }))
  for (const { ecosystem, name, purl } of some(packages, PACKAGES).map(texts)) {
    const own = await rows(
      `/affected?ecosystem=${encodeURIComponent(ecosystem!)}&name=${encodeURIComponent(name!)}&limit=20`,
    )
    advisories.push(...own.flatMap((row) => [String(row.advisory_id), ...(row.aliases as string[])]))
    const fixed = own.flatMap((row) => row.fixed_versions as string[])
    // A blank in a version is a `+` that a client has not encoded.
    const versions = some(distinct([...fixed, '1.0.0', '2']), 4).filter((version) => !/\s/.test(version))
    const names = versions.map((version) => ({ ecosystem: ecosystem!, name: name!, version }))
    const purls =
      purl === undefined ? [] : [purl, ...versions.map((version) => `${purl}@${encodeURIComponent(version)}`)]
    const released = RELEASES.slice(0, 2).map((ecosystem) => ({ ecosystem, name: name!, source: `${name}@1.0-1` }))
    for (const base of [
      { ecosystem: ecosystem!, name: name! },
      ...names,
      ...purls.map((purl) => ({ purl })),
      ...released,
    ]) {
      affecting.push({ base })
    }
  }

  const { data: snapshots } = (await found<{ data: Row[] }>('/snapshots'))!
  const since = snapshots.flatMap((row) => {
    const id = String(row.id)
    return [id, id.slice(0, 12).toUpperCase(), id.slice(0, 7), String(row.created_at)]
  })

  const words = byFrequency(cves.flatMap((row) => String(row.title).match(/[\p{L}\p{N}]{3,}/gu) ?? []))
  const queries = [
    ...words.slice(0, 20),
    ...some(words.slice(20), 30),
    ...some(ids, 10).flatMap((id) => [id, id.toLowerCase().slice(0, 9), id.slice(-4)]),
    ...some([...products, ...vendors, ...cnas, ...capecs, ...cwes], 60).map((row) =>
      part(texts(row).display ?? texts(row).name ?? texts(row).cna_name),
    ),
    ...some(advisories, 10),
    ...some(packages, 10).map(({ name }) => String(name)),
    ...QUERIES.filter((q) => [...q].length <= 200),
  ].filter((q) => q.trim() !== '')
  const wordQueries = queries
    .flatMap((q) => [q, `${q.trim()}*`, `${q} ${random.pick(queries)}`])
    .filter((text) => text.length <= 200 && wordsFault(text) === null)
  const questions = queries.filter((q) => [...q.trim()].length >= 2).map((q): Example => ({ base: { q } }))
  const days = cves.flatMap((row) => [row.date_published as string, (row.date_updated as string | null)?.slice(0, 10)])
  const cweIds = distinct([...cwes, ...cves].map((row) => texts(row).slug ?? texts(row).primary_cwe_id))

  return {
    examples: {
      listCves: [
        ...cves.map(ofRow),
        ...products.map((row) => ({ filters: { vendor: String(row.vendor), product: idOf(row) } })),
        ...packages.map(({ ecosystem, name }) => ({ filters: { package: `${ecosystem}/${name}` } })),
        ...cves.slice(-1).map(() => ({ filters: { tag: 'disputed' } })),
      ],
      ...Object.fromEntries(
        ['getCve', 'getCvss', 'getEpss', 'getCveExploits', 'getEvidence', 'getAnalysis', 'getGuidance', 'getKev'].map(
          (name) => [name, anyCve],
        ),
      ),
      getEpssHistory: anyCve.flatMap((one) => [
        one,
        { ...one, base: { since: '2026-06-01' } },
        { ...one, base: { until: '2026-05-31' } },
      ]),
      getAffected: ofCve.affected,
      getReferences: ofCve.references,
      getTimeline: ofCve.timeline,
      getReports: [...ofCve.reports, ...anyCve.slice(0, 10)],
      getReport: report,
      getAdvisory: [...ofCve.advisory, ...anyCve.slice(0, 10)],
      listCwes: cwes.map((row) => named(row, 'name', 'cwe_id')),
      getCwe: cweIds.map((cweId) => ({ path: { cweId } })),
      listCweCves: cves.flatMap((row) => {
        const { primary_cwe_id: cweId } = texts(row)
        return cweId === undefined ? [] : [{ ...ofRow(row), path: { cweId: random.pick([cweId, cweId.slice(4)]) } }]
      }),
      listCapecs: capecs.map((row) => named({ ...row, severity: row.typical_severity }, 'name', 'description')),
      getCapec: capecs.map(({ capec_id: id }) => ({ path: { capecId: random.pick([`${id}`, `CAPEC-${id}`]) } })),
      listVendors: vendors.map((row) => named(row, 'display', 'slug', 'spellings')),
      getVendor: spellings.map((vendorSlug) => ({ path: { vendorSlug } })),
      listVendorProducts: [
        ...products.map((row) => ({ ...named(row, 'display', 'slug'), path: { vendorSlug: String(row.vendor) } })),
        ...spellings.map((vendorSlug) => ({ path: { vendorSlug } })),
      ],
      getProduct: products.map(({ vendor, slug }) => ({ path: { vendorSlug: `${vendor}`, productSlug: `${slug}` } })),
      listProducts: [
        ...products.map((row) => ({ ...named(row, 'display'), base: { q: searched(part(String(row.display))) } })),
        ...questions,
      ],
      listCnas: cnas.map((row) => named(row, 'cna_name', 'slug')),
      getCna: cnas.map(({ slug }) => ({ path: { slug: `${slug}` } })),
      listCnaCves: cves.flatMap((row) => {
        const { assigner: slug } = texts(row)
        return slug === undefined ? [] : [{ ...ofRow(row), path: { slug } }]
      }),
      listExploits: exploits.map((row) =>
        named({ ...row, published_since: row.date_published, published_until: row.date_published }, 'name'),
      ),
      listKev: listed.map((row) =>
        named(
          { ...row, vendor: row.vendor_project, added_since: row.date_added, added_until: row.date_added },
          'product',
        ),
      ),
      listAdvisories: published.map((row) => ({
        filters: {
          ...texts(row),
          prefix: String(row.advisory_id).split('-')[0]!,
          published_since: String(row.published_at),
          modified_since: String(row.modified_at),
        },
      })),
      listRejected: rejected.map((_, i) => ({ filters: { replaced: String(i % 2 === 0) } })),
      getExploit: exploits.map((row) => ({ path: { source: `${row.source}`, sourceId: `${row.source_id}` } })),
      listAffecting: affecting,
      listPackages: packages.map((row) => named(row, 'name')),
      getPackage: packages.map(({ ecosystem, name }) => ({ path: { ecosystem: `${ecosystem}`, name: `${name}` } })),
      getOsvRecord: distinct(advisories).map((advisoryId) => ({ path: { advisoryId } })),
      search: questions,
      suggest: questions,
      // The later snapshot is the earlier one in half of them.
      listChanges: since.flatMap((one, i) => [
        { base: { since: one } },
        { base: { since: one, until: since[(i + since.length / 2) % since.length]! } },
      ]),
    },
    query: {
      q: [...queries, ...SHORT_QUERIES.filter((q) => q.trim() !== '')],
      text: wordQueries,
      snapshot: since,
      ids: [ids.slice(0, 100), some(ids, 40), [...some(ids, 3), ...UNKNOWN_CVES], [ids[0]!]].map((list) => list.join()),
      assigner: distinct(cves.map((row) => texts(row).assigner)),
      cwe: cweIds,
      vendor: spellings,
      product: products.map(idOf),
      package: packages.map(({ ecosystem, name }) => `${ecosystem}/${name}`),
      status: distinct([...cwes, ...capecs].map((row) => texts(row).status)),
      platform: distinct(exploits.map((row) => texts(row).platform)),
      ecosystem: [...byFrequency(packages.map((row) => texts(row).ecosystem!)), ...RELEASES],
      prefix: ['GHSA', 'go', 'no such'],
      catalog: ['cisa', 'Harbor_Watch', 'no such'],
      tag: ['patch', 'Exploit', 'x_no-such'],
      category: ['references', 'KEV', 'no_such'],
      prompt: ['executive_brief', 'no_such'],
      date: [
        ...distinct(some(days, 40)),
        '2024-06-01T12:00:00+02:00',
        '2023-01-01T00:00:00.5Z',
        '0001-01-01',
        '9999-12-31',
      ],
    },
    unknown: {
      cveId: [...UNKNOWN_CVES, ...rejected],
      reportId: [random.uuid(), 'x', report[0]!.path!.reportId!.slice(1)],
      cweId: ['999999', 'CWE-0', String(2 ** 32 + 79)],
      capecId: ['999999', 'capec-0'],
      vendorSlug: ['no such vendor', 'x'.repeat(300), 'n/a', '*', '__proto__'],
      productSlug: ['no such product', 'a/b', 'constructor'],
      slug: ['no_such_cna', 'NOBODY', '漏洞', '__proto__'],
      source: ['exploit_archive', 'EXPLOIT_FRAMEWORK', 'no_such'],
      sourceId: ['0', 'exploit/no/such', '99999999999'],
      ecosystem: ['npm', 'pypi', 'no such', 'Debian:12', 'constructor'],
      name: ['no-such', '@no/such', 'x y', '%2F'],
      advisoryId: ['GHSA-0000-0000-0000', 'CVE-2024-3400', 'x'.repeat(300), 'GO-1999-1'],
    },
  }
}
