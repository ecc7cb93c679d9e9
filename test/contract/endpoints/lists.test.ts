/**
 * gateway/API.md: filters, orders, pages and envelopes of every list, against all its rows, filtered and sorted here. The
 * rows themselves follow from the claims of the corpus. All pairs of filters: test/corpus/answers/plan/filter-pairs.long.test.ts.
 */
import * as assert from 'uvu/assert'
import type { ServedFrom } from '../../../corpus/answers/answer.ts'
import { expectCombinations, type ListCase, singlesOf, type Value } from '../../support/combinations.ts'
import { corpusFacts } from '../../support/corpus-facts.ts'
import { listCases } from '../../support/filter-pairs.ts'
import { allRows } from '../../support/list-rows.ts'
import { rowChecks } from '../../support/list-truth.ts'
import { expectLimit } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { expectCves, type Summary } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('lists')
const service = await sharedService()
const ask = async (path: string, query: string) => {
  const response = await service.get(`${path}?${query}`)
  const text = await response.text()
  assert.is(response.status, 200, `${path}?${query}: ${text}`)
  return { text, servedFrom: response.headers.get('served-from') as ServedFrom }
}
const facts = corpusFacts(service.made.corpus)
const rows = await allRows({ ask, all: service.all })
const cases = listCases(rows, facts)

/** The order of each list that is sorted without `sort`. */
const DEFAULT_SORT: Record<string, string> = {
  '/cves': '-published',
  '/cwes': '-cves',
  '/cwes/:cweId/cves': '-published',
  '/cnas': '-cves',
  '/cnas/:slug/cves': '-published',
  '/capecs': 'id',
  '/vendors': '-cves',
  '/exploits': '-published',
  '/kev': '-date_added',
  '/advisories': '-published',
  '/rejected': '-date_rejected',
}

/** Every order, and every filter in some order, of a list with many rows and of others of its kind. */
async function expectList(template: string): Promise<void> {
  for (const list of cases[template]!) {
    await expectCombinations(ask, list, { combinations: singlesOf(list) })
    const sort = DEFAULT_SORT[template]
    assert.is(sort === undefined, list.orders[0]!.sort === null, template)
    if (sort === undefined) continue
    // The difference of two such texts takes minutes to print.
    const isSame = (await ask(list.path, '')).text === (await ask(list.path, `sort=${sort}`)).text
    assert.ok(isSame, `${list.path} is sorted by ${sort}`)
  }
}

states('1.10, 1.11, 1.12, 9.13, 25.6', 'every row that follows from the claims, each once', () => {
  for (const check of Object.values(rowChecks(rows, facts))) check()
})

states('9.1, 9.2, 9.3, 9.4, 9.5, 9.6, 9.7, 9.8, 9.9, 9.11, 9.14', 'filters and orders of /cves', () =>
  expectList('/cves'),
)
states('18.1, 18.2, 18.3, 18.4, 18.5', 'filters and orders of /cwes', () => expectList('/cwes'))
states('20.1, 20.2, 20.3, 20.4, 20.5, 20.7, 20.8', 'scope, filters, orders and heads of the CVEs of a weakness', () =>
  expectList('/cwes/:cweId/cves'),
)
states('21.1, 21.2, 21.3, 21.4', 'filters and orders of /capecs', () => expectList('/capecs'))
states('23.1', 'filters and orders of /cnas', () => expectList('/cnas'))
states('23.3, 23.4, 23.5, 23.6, 23.7, 23.8, 23.10, 23.11', 'filters, orders and heads of the CVEs of a CNA', () =>
  expectList('/cnas/:slug/cves'),
)
states('3.5, 4.3, 4.4, 4.7, 24.1', 'orders both ways, next and last pages, and searches of /vendors', () =>
  expectList('/vendors'),
)
states('24.2, 24.3, 24.5, 24.6, 24.7', 'search, order and heads of the products of a vendor', () =>
  expectList('/vendors/:vendorSlug/products'),
)
states('24.9, 24.10, 24.11, 24.12, 24.14', 'search and order of /products, on one page', async () => {
  await expectList('/products')
  await expectLimit(service, '/products?q=er')
})
states('25.1, 25.2, 25.3, 25.4', 'filters and orders of /exploits', () => expectList('/exploits'))
states('33.14, 33.15, 33.16, 33.17, 33.18, 33.19, 33.20, 33.24', 'filters and orders of /kev', () => expectList('/kev'))
states('31.5, 31.6, 31.7, 31.8, 31.9, 31.10', 'filters and order of /advisories', () => expectList('/advisories'))
states('34.1, 34.2, 34.3', 'filters and order of /rejected', () => expectList('/rejected'))
states('30.1, 30.2, 30.5', 'filters and order of /packages', () => expectList('/packages'))

states('9.15', 'a CVE matches all filters', async () => {
  const [list] = cases['/cves'] as unknown as [ListCase<Summary>]
  // The value of each filter that most rows pass.
  const passing = ({ passes }: Value<Summary>) => list.rows.filter(passes).length
  const chosen = Object.entries(list.filters).map(([name, values]) => {
    const [most] = values.toSorted((a, b) => passing(b) - passing(a))
    return [name, most!] as const
  })
  const hold = async (filters: typeof chosen) => {
    const found = list.rows.filter((row) => filters.every(([, { passes }]) => passes(row)))
    await expectCves(service, `/cves?${filters.map(([name, { text }]) => `${name}=${text}`).join('&')}`, found)
    return found.length > 0
  }
  let found = 0
  for (const [i, one] of chosen.entries())
    for (const other of chosen.slice(i + 1)) found += Number(await hold([one, other]))
  assert.ok(found > 60, `only ${found} pairs find anything`)
  for (let most = 3; most <= chosen.length; most++) await hold(chosen.slice(0, most))
})

after(() => service.remove())
run()
