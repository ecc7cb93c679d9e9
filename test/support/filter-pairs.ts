/** Tests of filters, alone and in all pairs, on a snapshot of any feeds: first the lists, then the filters. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ROUTES } from '../../corpus/answers/routes.ts'
import type { Asked } from './ask.ts'
import { expectCombinations, type ListCase, singlesOf } from './combinations.ts'
import type { CorpusFacts } from './corpus-facts.ts'
import { cnaCvesCase, cvesCase, cweCvesCases } from './cve-cases.ts'
import {
  advisoriesCase,
  capecsCase,
  cnasCase,
  cwesCase,
  exploitsCase,
  kevCase,
  packagesCase,
  productsCase,
  rejectedCase,
  vendorProductsCase,
  vendorsCase,
} from './list-cases.ts'
import { type AllRows, allRows } from './list-rows.ts'
import { rowChecks } from './list-truth.ts'
import { at, keyOfName } from './plain.ts'

/** Returns the cases of each list. Lists below another resource have a large, a small, an empty and an unknown one. */
export function listCases(rows: AllRows, facts: CorpusFacts): Record<string, ListCase<never>[]> {
  const { cves, epssChanges, cwes, cnas, vendors, products } = rows
  const mapped = cwes.filter((row) => row.cve_count > 0)
  const assigning = cnas.filter((row) => row.total_cves > 0)
  const weaknesses = [String(cwes[0]!.numeric_id), at(mapped, 0.5).cwe_id, mapped.at(-1)!.slug, '999999']
  const slugs = [cnas[0]!.slug.toUpperCase(), at(assigning, 0.5).slug, cnas.at(-1)!.slug, 'no_such_cna']
  const nameOf = (slug: string) => cnas.find((row) => row.slug === keyOfName(slug))?.cna_name ?? null
  const makers = vendors.toSorted((a, b) => b.product_count - a.product_count)
  const ofVendor = (slug: string) => {
    const vendor = vendors.find((row) => row.slug === keyOfName(slug)) ?? null
    return vendorProductsCase(
      slug,
      vendor,
      products.filter((row) => row.vendor === vendor?.slug),
    )
  }
  const cases = {
    '/cves': [cvesCase(cves, epssChanges, facts)],
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
    '/exploits': [exploitsCase(rows.exploits), { ...exploitsCase(facts.modules), fixed: 'include=cves' }],
    '/packages': [packagesCase(rows.packages)],
    '/kev': [kevCase(rows.kev)],
    '/advisories': [advisoriesCase(rows.advisories)],
    '/rejected': [rejectedCase(rows.rejected)],
  }
  // Each case is used only with its own row type.
  return cases as unknown as Record<string, ListCase<never>[]>
}

/** The lists by route, with the number of combinations of filter values and orders. */
const COMBINATIONS: Record<string, number> = {
  '/cves': 7_783,
  '/cwes': 215,
  '/cwes/:cweId/cves': 1_008,
  '/cnas': 110,
  '/cnas/:slug/cves': 640,
  '/capecs': 171,
  '/vendors': 48,
  '/vendors/:vendorSlug/products': 32,
  '/products': 45,
  '/exploits': 254,
  '/packages': 40,
  '/kev': 447,
  '/advisories': 277,
  '/rejected': 54,
}

interface Options {
  /** Bounds the pages of each walk in long lists. */
  mostPages?: number
  /** Filters that let all rows of the corpus through. */
  idle?: readonly string[]
  /** Tests each filter alone, without the pairs. */
  isAlone?: boolean
}

/** Registers the tests. */
export async function registerFilterPairs(
  asked: Asked,
  facts: CorpusFacts,
  { idle = [], isAlone = false, ...walks }: Options = {},
) {
  const rows = await allRows(asked)
  for (const [title, check] of Object.entries(rowChecks(rows, facts))) test(title, check)

  const cases = listCases(rows, facts)
  test('every list that has pages is here, with every filter that it has', () => {
    for (const { path, params } of ROUTES) {
      if (!('limit' in params.query) || path.startsWith('/search') || WITHOUT_FILTERS.has(path)) continue
      const [list] = cases[path] ?? []
      assert.ok(list, `${path} is not tested`)
      const fixed = cases[path]!.flatMap((one) => one.fixed?.split('=')[0] ?? [])
      const filters = Object.keys(params.query).filter(
        (name) => !['sort', 'limit', 'cursor', 'count', 'fields', 'epss_change_days', 'snapshot'].includes(name),
      )
      assert.equal(new Set([...Object.keys(list.filters), ...fixed]), new Set(filters), path)
    }
  })
  for (const [path, lists] of Object.entries(cases)) {
    test(`rules 4 to 6: ${path} with every filter, alone${isAlone ? '' : ' and in all pairs, in every order'}`, async () => {
      const began = performance.now()
      const sum = { ran: 0, withRows: 0, choosing: 0 }
      for (const list of lists) {
        const options = { ...walks, ...(isAlone ? { combinations: singlesOf(list) } : {}) }
        const outcome = await expectCombinations(asked.ask, list, options)
        if (!isAlone) {
          assert.is(
            outcome.covered.size,
            namesWithOrders(list),
            `${list.path}: every pair of filters meets every order`,
          )
        }
        for (const figure of ['ran', 'withRows', 'choosing'] as const) sum[figure] += outcome[figure]
      }
      const ms = Math.round(performance.now() - began)
      // A separate line, with the arrow that test/run.ts recognizes as output to show.
      console.log(
        `\n${path} → ${sum.ran} combinations: ${sum.withRows} with rows, ${sum.choosing} with some of all; ${ms} ms`,
      )
      if (!isAlone) assert.is(sum.ran, COMBINATIONS[path])
      else assert.ok(sum.ran >= Object.keys(lists[0]!.filters).length)
    })
  }

  test('every filter has a value that lets some rows through, and not all', () => {
    for (const [path, lists] of Object.entries(cases)) {
      for (const name of Object.keys(lists[0]!.filters)) {
        const chooses = lists.some(({ rows, filters }) =>
          filters[name]!.some(({ passes }) => rows.some(passes) && !rows.every(passes)),
        )
        assert.is(chooses, !idle.includes(`${path} ${name}`), `${path} ${name}`)
      }
    }
  })
}

/**
 * `since` selects a snapshot and not rows: changes.test.ts and snapshots.test.ts test these two. `/affected` is about one
 * package: affected-packages.test.ts.
 */
const WITHOUT_FILTERS = new Set(['/changes', '/snapshots', '/affected'])

/** Returns the number of combinations of filter names (none, one or two) and sorts. */
function namesWithOrders({ filters, orders, required }: ListCase<never>): number {
  const n = Object.keys(filters).length
  const chosen = required === undefined ? 1 + n + (n * (n - 1)) / 2 : n
  return chosen * orders.length
}
