/** gateway/API.md, sections 3 to 7: statements about every list, every parameter and every endpoint. */
import * as assert from 'uvu/assert'
import { expectPaging, openRefusing, refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint, everyList, isPerCve } from '../support/endpoints.ts'
import { REJECTED, RESERVED, UNKNOWN } from '../support/odd-records.ts'
import { idsOf, inOrder, type Summary, summariesOf } from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('conventions for all endpoints')
const service = await sharedService()
const all = summariesOf(service.corpus)
const newest = inOrder(all, '-published')[0]!.cve_id

const refusing = await openRefusing(service, newest)

interface Page {
  data: Record<string, unknown>[]
  pagination: { limit: number; next_cursor: string | null }
}

const LISTS = await everyList(service)
const endpoints = await everyEndpoint(service)
const CVE_ID = /CVE-\d+-\d+/

const errorOf = async (path: string) => {
  const { status, body } = await service.ask(path)
  return [status, (body as { error: string }).error]
}

states('5.1', 'every endpoint requires a token', async () => {
  for (const { path } of endpoints) {
    assert.is((await service.ask(path)).status, 200, path)
    assert.is((await fetch(`${service.url}/api/v1${path}`)).status, 401, path)
  }
})

states('5.5', 'no valid token, on every endpoint', async () => {
  for (const { path } of endpoints) await refusing.expectToken(path)
})

states('5.9', 'the cookie opens every endpoint', async () => {
  const cookie = `theme=dark; session=${service.token}; lang=en`
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const { path } of endpoints) {
    const response = await fetch(`${service.url}/api/v1${path}`, { headers: { cookie, accept } })
    assert.is(response.status, 200, path)
    await response.arrayBuffer()
  }
})

states('5.11', 'non-administrators are refused everywhere', async () => {
  const user = await service.tokenOf({ role: 'user' })
  for (const { path } of endpoints) {
    const { status, body } = await service.ask(path, user)
    assert.equal([status, (body as { error: string }).error], [403, 'forbidden'], path)
  }
})

states('5.12', 'a CVE above the tier of the caller', async () => {
  for (const { template, path } of endpoints) {
    if (isPerCve(template)) await refusing.expectTier((id) => path.replace(CVE_ID, id))
    else assert.is((await refusing.asReader(path, 0)).status, 200, path)
  }
})

states('5.13', 'lists are the same for every tier', async () => {
  const { status, body } = await refusing.asReader('/cves?limit=100', 0)
  assert.is(status, 200)
  assert.equal(body, await service.json('/cves?limit=100'))
  assert.ok(idsOf((body as { data: Summary[] }).data).includes(newest))
})

states('4.1', 'limit and cursor of every list', async () => {
  for (const { path } of LISTS) await expectPaging(service, path)
})

states('4.2', 'the answer repeats the limit', async () => {
  for (const { path } of LISTS) {
    for (const [query, echo] of [
      ['', 25],
      ['?limit=1', 1],
      ['?limit=100', 100],
      ['?limit=013', 13],
    ] as const) {
      const { data, pagination } = await service.json<Page>(`${path}${query}`)
      assert.equal(Object.keys(pagination).sort(), ['limit', 'next_cursor'])
      assert.is(pagination.limit, echo, `${path}${query}`)
      assert.ok(data.length <= echo)
      if (echo === 1) assert.match(pagination.next_cursor!, /^[\w.~-]{1,512}$/, 'fit for a URL as it is')
    }
  }
})

states('4.3', 'the second page continues the first', async () => {
  for (const { path, sorts, filter } of LISTS) {
    for (const sort of ['', ...sorts.flatMap((key) => [`&sort=${key}`, `&sort=-${key}`])]) {
      const query = `${path}?${filter[0]}=${filter[1]}${sort}`
      const rows = (await service.json<Page>(`${query}&limit=100`)).data
      assert.ok(rows.length > 2, `${query} has too few rows`)
      const first = await service.json<Page>(`${query}&limit=2`)
      const second = await service.json<Page>(`${query}&limit=2&cursor=${first.pagination.next_cursor}`)
      assert.equal([...first.data, ...second.data], rows.slice(0, 4), query)
    }
  }
})

states('4.4', 'only the last page has a null cursor', async () => {
  for (const { path } of LISTS) {
    const rows = await service.all(path)
    const most = Math.min(rows.length, 100)
    // A last page that is just full is the last all the same.
    for (const limit of new Set([most, most - 1, Math.ceil(most / 2)])) {
      const seen: unknown[] = []
      let pages = 0
      let cursor: string | null = ''
      while (cursor !== null) {
        const page: Page = await service.json(`${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        seen.push(...page.data)
        pages++
        cursor = page.pagination.next_cursor
        assert.is(cursor === null, seen.length === rows.length, `${path} by ${limit}, page ${pages}`)
      }
      assert.equal(seen, rows)
      assert.is(pages, Math.ceil(rows.length / limit))
    }
  }
})

states('4.5', 'a cursor belongs to its order', async () => {
  for (const { path, sorts } of LISTS) {
    const orders = sorts.flatMap((key) => [key, `-${key}`])
    for (const issued of orders) {
      const { pagination } = await service.json<Page>(`${path}?limit=1&sort=${issued}`)
      for (const sort of orders) {
        const { status } = await service.ask(`${path}?limit=1&sort=${sort}&cursor=${pagination.next_cursor}`)
        assert.is(status, sort === issued ? 200 : 400, `${path}: ${issued}, then ${sort}`)
      }
    }
  }
})

states('4.6', 'another sort, list or filter', async () => {
  const cursors: string[] = []
  for (const { path, sorts, filter } of LISTS) {
    const [name, one, other] = filter
    const { pagination } = await service.json<Page>(`${path}?limit=1&${name}=${one}`)
    const cursor = pagination.next_cursor!
    for (const query of [`${name}=${other}`, '', ...sorts.slice(1).map((key) => `${name}=${one}&sort=${key}`)]) {
      assert.equal(await errorOf(`${path}?${query}&cursor=${cursor}`), [400, 'invalid_cursor'], `${path} ${query}`)
    }
    const unfiltered = await service.json<Page>(`${path}?limit=1`)
    cursors.push(unfiltered.pagination.next_cursor!)
    const narrowed = `${path}?${name}=${one}&cursor=${unfiltered.pagination.next_cursor}`
    assert.equal(await errorOf(narrowed), [400, 'invalid_cursor'], narrowed)
  }
  for (const [i, { path }] of LISTS.entries()) {
    for (const [j, cursor] of cursors.entries()) {
      const expected = i === j ? 200 : 400
      assert.is((await service.ask(`${path}?cursor=${cursor}`)).status, expected, `${path} with that of another list`)
    }
  }
})

states('4.7', 'nothing matches', async () => {
  for (const { path, filter } of LISTS) {
    const { data, pagination } = await service.json<Page>(
      `${path}?${filter[0]}=${filter[3].replace('no such', 'no+such')}`,
    )
    assert.equal([data, pagination], [[], { limit: 25, next_cursor: null }], path)
  }
  for (const path of [
    '/cves?kev=true&q=no+such',
    '/cnas/nobody/cves',
    '/cwes/999999/cves',
    '/vendors/nobody/products',
  ]) {
    const { data, pagination } = await service.json<Page>(path)
    assert.equal([data, pagination], [[], { limit: 25, next_cursor: null }], path)
  }
})

states('3.5', 'ascending keys, descending with a minus', async () => {
  const value: Record<string, (row: never) => unknown> = {
    published: (row: Record<string, string>) => row.date_published && Date.parse(row.date_published),
    updated: (row: Record<string, string>) => row.date_updated && Date.parse(row.date_updated),
    cvss: (row: Record<string, number>) => row.cvss_score,
    epss: (row: { epss: { score: number | null } }) => row.epss.score,
    id: (row: Record<string, number>) => row.numeric_id ?? row.capec_id,
    name: (row: Record<string, string>) => (row.name ?? row.display ?? row.cna_name)!.toLowerCase(),
    severity: (row: Record<string, string>) => {
      const at = ['Very Low', 'Low', 'Medium', 'High', 'Very High'].indexOf(row.typical_severity!)
      return at < 0 ? null : at
    },
    cves: (row: Record<string, number>) => row.cve_count ?? row.total_cves,
    completeness: (row: Record<string, number>) => row.overall_completeness,
  }
  for (const { path, sorts } of LISTS) {
    for (const key of sorts) {
      for (const [sort, sign] of [
        [key, 1],
        [`-${key}`, -1],
      ] as const) {
        const rows = await service.all(`${path}?sort=${sort}`)
        const values = rows.map((row) => value[key]!(row as never)) as (number | string | null)[]
        const known = values.filter((one) => one !== null)
        assert.equal(values.slice(0, known.length), known, `${path} ${sort}: null comes last`)
        const sorted = known.toSorted((a, b) => sign * (a < b ? -1 : a > b ? 1 : 0))
        assert.equal(known, sorted, `${path} ${sort}`)
      }
    }
  }
})

states('3.1', 'parameters that fail validation', async () => {
  for (const { path, template } of endpoints) {
    const behind = (more: string) => `${path}${path.includes('?') ? '&' : '?'}${more}`
    await refuses(service, behind('colour=red'), 'colour')
    assert.equal(await errorOf(behind('q=%zz')), [400, 'invalid_parameter'], template)
  }
  for (const { path, sorts } of LISTS) {
    if (sorts.length > 0) await refuses(service, `${path}?sort=colour`, 'sort')
    await refuses(service, `${path}?limit=5&limit=5`, 'limit')
    await refuses(service, `${path}?limit=many`, 'limit')
    await refuses(service, `${path}?cursor=`, 'cursor')
  }
  for (const wrong of ['CVE-2024', 'CVE-2024-123', 'CVE-24-1234', '2024-1234', `CVE-2024-${'1'.repeat(20)}`, '%00']) {
    for (const part of ['', '/cvss', '/epss', '/affected', '/reports', '/timeline', '/advisory', '/evidence']) {
      await refuses(service, `/cves/${wrong}${part}`, 'cveId')
    }
  }
  for (const wrong of ['CWE79', 'cve-79', 'CWE-', 'seventy', '7.9', '-1']) {
    await refuses(service, `/cwes/${wrong}`, 'cweId')
    await refuses(service, `/cwes/${wrong}/cves`, 'cweId')
    await refuses(service, `/capecs/${wrong}`, 'capecId')
  }
})

states('10.4', 'any case of the id; 403 and 404', async () => {
  const perCve = endpoints.filter(({ template }) => isPerCve(template))
  assert.ok(perCve.length >= 12, String(perCve.length))
  for (const { path } of perCve) {
    const exact = await service.json(path)
    for (const spelt of [path.replace(CVE_ID, (one) => one.toLowerCase()), path.replace('CVE-', 'cVe-')]) {
      assert.equal(await service.json(spelt), exact, spelt)
    }
    for (const missing of [UNKNOWN, REJECTED, 'CVE-1999-0000']) {
      assert.equal(await errorOf(path.replace(CVE_ID, missing)), [404, 'not_found'], path.replace(CVE_ID, missing))
    }
  }
  assert.is((await service.ask(`/cves/${RESERVED}`)).status, 200, 'a reserved one has a record')
  assert.ok(!idsOf(await service.all<Summary>('/cves')).includes(REJECTED))
})

states('6.2', 'the message names the CVE', async () => {
  for (const { path } of endpoints.filter(({ template }) => isPerCve(template))) {
    for (const missing of [UNKNOWN, REJECTED, 'CVE-1998-9999']) {
      const { body } = await service.ask(path.replace(CVE_ID, missing.toLowerCase()))
      const { message } = body as { message: string }
      assert.ok(message.split(/[ ;]/).includes(missing), message)
      assert.match(message, /^[a-z]+( [\w-]+){2,}/i)
    }
  }
})

states('6.5', 'the message says to start again', async () => {
  const { pagination } = await service.json<Page>('/cves?limit=1&severity=high')
  for (const query of ['severity=high&sort=published', 'severity=high&sort=-cvss', 'severity=low', 'limit=1']) {
    const { status, body } = await service.ask(`/cves?${query}&cursor=${pagination.next_cursor}`)
    const { error, message } = body as { error: string; message: string }
    assert.equal([status, error], [400, 'invalid_cursor'], query)
    assert.match(message, /request the first page again/)
    assert.is((await service.ask(`/cves?${query}`)).status, 200)
  }
})

states('7.7', 'every endpoint, once the quota is used up', async () => {
  for (const { path } of endpoints) await refusing.expectQuota(path)
})

states('3.6', 'four statuses that every endpoint has', async () => {
  for (const { path } of endpoints) {
    await refusing.expectAlways(path)
    await refuses(service, `${path}${path.includes('?') ? '&' : '?'}nothing=1`, 'nothing')
  }
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
