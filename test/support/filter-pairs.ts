/** The tests of filters, alone and in all pairs, on a snapshot of any feeds: what lists hold, then what filters leave. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { CapecListEntry, CweListEntry } from '../../corpus/model/catalogue-names.ts'
import type { CnaRow, ProductRow, VendorRow } from '../../corpus/model/directory.ts'
import type { ExploitModule } from '../../corpus/model/record.ts'
import { ROUTES } from '../../gateway/routes/table.ts'
import type { Asked } from './ask.ts'
import { holdCombinations, type ListCase } from './combinations.ts'
import type { CorpusFacts } from './corpus-facts.ts'
import { cnaCvesCase, cvesCase, cweCvesCases } from './cve-cases.ts'
import {
  capecsCase,
  cnasCase,
  cwesCase,
  exploitsCase,
  productsCase,
  vendorProductsCase,
  vendorsCase,
} from './list-cases.ts'
import { at, keyOfName } from './plain.ts'
import type { Summary } from './walk.ts'

/** All rows of all lists, as the API gives them without filters. */
interface AllRows {
  cves: Summary[]
  cwes: CweListEntry[]
  capecs: CapecListEntry[]
  cnas: CnaRow[]
  vendors: VendorRow[]
  products: ProductRow[]
  exploits: ExploitModule[]
}

async function allRows({ all }: Asked): Promise<AllRows> {
  const vendors = await all<VendorRow>('/vendors')
  const products: ProductRow[] = []
  for (const { slug, display } of vendors) {
    for (const row of await all<ProductRow>(`/vendors/${encodeURIComponent(slug)}/products`)) {
      const { cve_count, ...names } = row
      products.push({ ...names, vendor_display: display, cve_count })
    }
  }
  return {
    cves: await all('/cves'),
    cwes: await all('/cwes'),
    capecs: await all('/capecs'),
    cnas: await all('/cnas'),
    vendors,
    products,
    exploits: await all('/exploits'),
  }
}

/** The cases of each list: those below another resource for a large, a small, an empty and an unknown one. */
function listCases(rows: AllRows, facts: CorpusFacts): Record<string, ListCase<never>[]> {
  const { cves, cwes, cnas, vendors, products } = rows
  const mapped = cwes.filter((row) => row.cve_count > 0)
  const assigning = cnas.filter((row) => row.total_cves > 0)
  const weaknesses = [String(cwes[0]!.numeric_id), at(mapped, 0.5).cwe_id, mapped.at(-1)!.slug, '999999']
  const slugs = [cnas[0]!.slug.toUpperCase(), at(assigning, 0.5).slug, cnas.at(-1)!.slug, 'no_such_cna']
  const nameOf = (slug: string) => cnas.find((row) => row.slug === keyOfName(slug))?.cna_name ?? null
  const makers = vendors.toSorted((a, b) => b.product_count - a.product_count)
  const ofVendor = (slug: string) => {
    const vendor = vendors.find((row) => row.slug === keyOfName(slug)) ?? null
    const own = products.filter((row) => row.vendor === vendor?.slug).map(({ vendor_display, ...row }) => row)
    return vendorProductsCase(
      slug,
      vendor,
      own.map(({ slug, display, vendor, cve_count }) => ({ slug, display, vendor, cve_count })),
    )
  }
  const cases = {
    '/cves': [cvesCase(cves)],
    '/cwes': [cwesCase(rows.cwes)],
    '/cwes/:cweId/cves': weaknesses.flatMap((id) => cweCvesCases(id, cves, facts.weaknesses)),
    '/cnas': [cnasCase(cnas)],
    '/cnas/:slug/cves': slugs.map((slug) => cnaCvesCase(slug, nameOf(slug), cves)),
    '/capecs': [capecsCase(rows.capecs)],
    '/vendors': [vendorsCase(vendors)],
    '/vendors/:vendorSlug/products': [
      makers[0]!.slug.toUpperCase().replaceAll('_', ' '),
      at(makers, 0.1).slug,
      makers.at(-1)!.slug,
      'no_such_vendor',
    ].map(ofVendor),
    '/products': [productsCase(products)],
    '/exploits': [exploitsCase(rows.exploits)],
  }
  // Each case goes only where its own rows are: what it holds them in is its own affair.
  return cases as unknown as Record<string, ListCase<never>[]>
}

/** The lists by their routes, and how many combinations each has: of its filters' values with its orders. */
const COMBINATIONS: Record<string, number> = {
  '/cves': 1_334,
  '/cwes': 215,
  '/cwes/:cweId/cves': 768,
  '/cnas': 110,
  '/cnas/:slug/cves': 528,
  '/capecs': 171,
  '/vendors': 44,
  '/vendors/:vendorSlug/products': 32,
  '/products': 40,
  '/exploits': 127,
}

/**
 * Registers the tests. `mostPages` bounds how many pages of each walk are looked at, where lists are long.
 */
export async function registerFilterPairs(asked: Asked, facts: CorpusFacts, options: { mostPages?: number } = {}) {
  const rows = await allRows(asked)
  whatListsHold(rows, facts)

  const cases = listCases(rows, facts)
  test('every list that has pages is here, with every filter that it has', () => {
    for (const { path, params } of ROUTES) {
      if (!('limit' in params.query) || path.startsWith('/search') || WITHOUT_FILTERS.has(path)) continue
      const [list] = cases[path] ?? []
      assert.ok(list, `${path} is not tested`)
      const fixed = cases[path]!.flatMap((one) => one.fixed?.split('=')[0] ?? [])
      const filters = Object.keys(params.query).filter((name) => !['sort', 'limit', 'cursor'].includes(name))
      assert.equal(new Set([...Object.keys(list.filters), ...fixed]), new Set(filters), path)
    }
  })
  for (const [path, lists] of Object.entries(cases)) {
    test(`decisions 4 to 6: ${path} with every filter, alone and in all pairs, in every order`, async () => {
      const began = performance.now()
      const sum = { ran: 0, withRows: 0, choosing: 0 }
      for (const list of lists) {
        const outcome = await holdCombinations(asked.ask, list, options)
        assert.is(outcome.covered.size, namesWithOrders(list), `${list.path}: every pair of filters meets every order`)
        for (const figure of ['ran', 'withRows', 'choosing'] as const) sum[figure] += outcome[figure]
      }
      const ms = Math.round(performance.now() - began)
      console.log(
        `${path}: ${sum.ran} combinations, ${sum.withRows} with rows, ${sum.choosing} with some of all, ${ms} ms`,
      )
      assert.is(sum.ran, COMBINATIONS[path])
    })
  }

  test('every filter has a value that lets some rows through, and not all', () => {
    for (const [path, lists] of Object.entries(cases)) {
      for (const name of Object.keys(lists[0]!.filters)) {
        const chooses = lists.some(({ rows, filters }) =>
          filters[name]!.some(({ passes }) => rows.some(passes) && !rows.every(passes)),
        )
        assert.ok(chooses, `${path} ${name}`)
      }
    }
  })
}

/** Its `since` chooses what to compare with, and no rows: changes.test.ts holds it against the corpora of two nights. */
const WITHOUT_FILTERS = new Set(['/changes'])

/** So many names of filters, none, one or two, each with every sort. */
function namesWithOrders({ filters, orders, required }: ListCase<never>): number {
  const n = Object.keys(filters).length
  const chosen = required === undefined ? 1 + n + (n * (n - 1)) / 2 : n
  return chosen * orders.length
}

function whatListsHold(rows: AllRows, facts: CorpusFacts): void {
  test('/cves has every record of the corpus once, with its EPSS', () => {
    const records = facts.cores.map((core) => {
      const { score = null, percentile = null } = facts.epss.get(String(core.cve_id)) ?? {}
      return [core.cve_id, JSON.stringify(core), score, percentile]
    })
    const given = rows.cves.map((row) => {
      const { epss, ...core } = row as Summary & { epss: { score: number | null; percentile: number | null } }
      return [core.cve_id, JSON.stringify(core), epss.score, epss.percentile]
    })
    assert.equal(inOrder(given), inOrder(records))
  })

  test('/cwes has every weakness of the catalogue, with the CVEs that any source maps to it', () => {
    const listed = new Set(rows.cves.filter(({ kev }) => kev.listed).map(({ cve_id }) => cve_id))
    const counted = facts.cwes.map((entry) => {
      const ids = [...facts.weaknesses].filter(([, weaknesses]) => weaknesses.has(String(entry.slug))).map(([id]) => id)
      const { cwe_id, slug, numeric_id, name, abstraction, status, likelihood } = entry
      const [cve_count, kev_count] = [ids.length, ids.filter((id) => listed.has(id)).length]
      return { cwe_id, slug, numeric_id, name, abstraction, status, likelihood, cve_count, kev_count }
    })
    assert.equal(byNumber(rows.cwes), byNumber(counted as unknown as CweListEntry[]))
  })

  test('/capecs has every attack pattern of the catalogue', () => {
    const names = new Map(facts.cwes.map(({ slug, name }) => [slug, name]))
    const entries = facts.capecs.map((entry) => ({
      capec_id: entry.numeric_id,
      capec_id_string: entry.display,
      name: entry.name,
      description: entry.description,
      abstraction: entry.abstraction,
      status: entry.status,
      likelihood_of_attack: entry.likelihood,
      typical_severity: entry.severity,
      prerequisites: entry.prerequisites,
      skills_required: entry.skills,
      resources_required: entry.resources,
      mitigations: entry.mitigations,
      consequences: entry.consequences,
      execution_flow: entry.execution_flow,
      related_weaknesses: (entry.related_weaknesses as { id: string }[]).map((one) => ({
        ...one,
        name: names.get(one.id) ?? null,
      })),
      related_attack_patterns: entry.related_attack_patterns,
    }))
    assert.equal(
      rows.capecs,
      entries.toSorted((a, b) => a.capec_id - b.capec_id),
    )
  })

  test('/cnas has every CNA of the directory, with the records it assigned', () => {
    const assigned = Map.groupBy(rows.cves, ({ assigner }) => keyOfName(assigner))
    const counted = facts.cnas.map(({ slug, name }) => [slug, name, assigned.get(slug)?.length ?? 0])
    assert.equal(inOrder(rows.cnas.map((row) => [row.slug, row.cna_name, row.total_cves])), inOrder(counted))
  })

  test('/vendors and their products are those that the claims of CNA, ADP and NVD name, with the CVEs that they name them for', () => {
    const vendors = Array.from(facts.vendors, ([slug, { cves, products }]) => [slug, products.size, cves.size])
    assert.equal(inOrder(rows.vendors.map((row) => [row.slug, row.product_count, row.cve_count])), inOrder(vendors))
    const products = [...facts.vendors].flatMap(([vendor, { products }]) =>
      Array.from(products, ([slug, cves]) => [`${vendor}/${slug}`, cves.size]),
    )
    assert.equal(inOrder(rows.products.map((row) => [`${row.vendor}/${row.slug}`, row.cve_count])), inOrder(products))
    const strange = [...rows.vendors, ...rows.products].filter(({ slug, display }) => keyOfName(display) !== slug)
    assert.equal(strange, [], 'a name is displayed as somebody writes it')
  })

  test('/exploits has every module of archive and framework', () => {
    const ids = (modules: ExploitModule[]) => inOrder(modules.map((row) => [`${row.source}/${row.source_id}`, row]))
    assert.equal(ids(rows.exploits), ids(facts.modules))
  })
}

const inOrder = <T extends [...unknown[]]>(rows: T[]): T[] =>
  rows.toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))
const byNumber = <T extends { numeric_id: number }>(rows: readonly T[]) =>
  rows.toSorted((a, b) => a.numeric_id - b.numeric_id)
