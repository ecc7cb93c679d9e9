/** gateway/API.md, sections 3 to 7: statements about every list, every parameter and every endpoint. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { REJECTED, RESERVED, UNKNOWN } from '../../support/odd-records.ts'
import { expectPaging, openRefusing, refuses } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint, everyList, isPerCve } from '../support/endpoints.ts'
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

states('5.9', 'the cookie opens every endpoint', async () => {
  const cookie = `theme=dark; session=${service.token}; lang=en`
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const { path } of endpoints) {
    const response = await fetch(`${service.url}/api/v1${path}`, { headers: { cookie, accept } })
    assert.is(response.status, 200, path)
    await response.arrayBuffer()
  }
})

states('1.6, 5.11', 'non-administrators are refused everywhere', async () => {
  const user = await service.tokenOf({ role: 'user' })
  for (const { path } of endpoints) {
    const { status, body } = await service.ask(path, user)
    assert.equal([status, (body as { error: string }).error], [403, 'forbidden'], path)
  }
})

// The other statuses of these endpoints: 3.6, 10.4 and 15.3.
states('5.12, 10.8, 12.5, 13.4, 14.6, 15.4, 16.9, 19.4, 22.4', 'a CVE above the tier of the caller', async () => {
  for (const { template, path } of endpoints) {
    if (isPerCve(template)) await refusing.expectTier((id) => path.replace(CVE_ID, id))
    else assert.is((await refusing.asReader(path, 0)).status, 200, path)
  }
})

states('5.13, 9.18', 'lists are the same for every tier', async () => {
  const { status, body } = await refusing.asReader('/cves?limit=100', 0)
  assert.is(status, 200)
  assert.equal(body, await service.json('/cves?limit=100'))
  assert.ok(idsOf((body as { data: Summary[] }).data).includes(newest))
})

states('4.1, 9.12, 18.6, 20.6, 21.5, 23.9, 24.4, 25.5, 30.3', 'limit and cursor of every list', async () => {
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

states('4.5, 4.6, 6.5', 'another sort, list or filter, and the remedy', async () => {
  const expectRefused = async (path: string) => {
    const { status, body } = await service.ask(path)
    const { error, message } = body as { error: string; message: string }
    assert.equal([status, error], [400, 'invalid_cursor'], path)
    assert.match(message, /request the first page again/)
  }
  const cursorAt = async (path: string) => (await service.json<Page>(path)).pagination.next_cursor!
  const cursors: string[] = []
  for (const { path, sorts, filter } of LISTS) {
    const [name, one, other] = filter
    const cursor = await cursorAt(`${path}?limit=1&${name}=${one}`)
    for (const query of [`${name}=${other}`, '']) await expectRefused(`${path}?${query}&cursor=${cursor}`)
    const orders = sorts.flatMap((key) => [key, `-${key}`])
    for (const issued of orders) {
      const ordered = await cursorAt(`${path}?limit=1&sort=${issued}`)
      for (const sort of orders) {
        const next = `${path}?limit=1&sort=${sort}&cursor=${ordered}`
        if (sort === issued) assert.is((await service.ask(next)).status, 200, next)
        else await expectRefused(next)
      }
    }
    const unfiltered = await cursorAt(`${path}?limit=1`)
    cursors.push(unfiltered)
    await expectRefused(`${path}?${name}=${one}&cursor=${unfiltered}`)
  }
  for (const [i, { path }] of LISTS.entries()) {
    for (const [j, cursor] of cursors.entries()) {
      const expected = i === j ? 200 : 400
      assert.is((await service.ask(`${path}?cursor=${cursor}`)).status, expected, `${path} with that of another list`)
    }
  }
})

type Json = Record<string, unknown>

/** Values that a parameter with this schema refuses. Rule 2 refuses an empty one. */
function refusedBy({ type, enum: members, items, pattern, anyOf, minLength, maxLength, minimum, maximum }: Json) {
  if (members) return ['no-such', 'null', 'a,b', ` ${(members as string[])[0]}`]
  if ((items as Json | undefined)?.enum) return ['no-such', ',', 'null', 'high;low']
  if (items) return ['no-such', 'npm/a', 'pkg:npm']
  if (anyOf) return ['2024-02-30', '2023-02-29', '2024', 'yesterday', '2024-1-1', '24-01-01']
  if (String(pattern).startsWith('^(?:C')) return ['CWE-', 'CAPEC', 'x', '-79', '7.9', '079', '79,80']
  if (String(pattern).startsWith('^[Cc]'))
    return ['CVE-2024-123', 'CVE-24-1234', `CVE-2024-${'1'.repeat(20)}`, '79', '\0']
  if (type === 'boolean') return ['1', '0', 'yes', 'on']
  if (type === 'integer') return [Number(minimum) - 1, Number(maximum) + 1, '1.5', '1e1', 'many', ' 5'].map(String)
  if (type === 'number')
    return [String(Number(minimum) - 0.1), String(Number(maximum) + 0.1), 'NaN', 'Infinity', '0,5', '0x1', '.']
  const long = maxLength === undefined ? [] : ['x'.repeat(Number(maxLength) + 1)]
  return minLength === 2 ? [...long, 'a', '😀'] : long
}

states('3.1', 'parameters that fail validation', async () => {
  let refused = 0
  for (const { path, template } of endpoints) {
    const [target, query = ''] = path.split('?') as [string, string?]
    assert.equal(await errorOf(`${target}?${query}&q=%zz`), [400, 'invalid_parameter'], template)
    const { params } = ROUTES.find((route) => route.path === template)!
    for (const [name, { schema, presence }] of Object.entries(params.query)) {
      const given = new URLSearchParams(query)
      given.delete(name)
      if (presence === 'required') await refuses(service, `${target}?${given}`, name)
      for (const value of name === 'cursor' ? [] : refusedBy(schema)) {
        await refuses(service, `${target}?${new URLSearchParams([...given, [name, value]])}`, name)
        refused++
      }
    }
    for (const [name, { schema }] of Object.entries(params.path)) {
      const places = template.split('/')
      const wrong = schema.pattern || schema.enum ? refusedBy(schema) : []
      for (const value of wrong) {
        const parts = target.split('/').with(places.indexOf(`:${name}`), encodeURIComponent(value))
        await refuses(service, parts.join('/'), name)
        refused++
      }
    }
  }
  assert.ok(refused > 300, `${refused} values`)
})

states('15.1, 23.12', 'endpoints without a parameter refuse those of others', async () => {
  for (const template of ['/cves/:cveId/advisory', '/cnas/stats']) {
    const { path } = endpoints.find((one) => one.template === template)!
    for (const name of ['full', 'fields', 'include', 'limit', 'source', 'q', 'sort', 'cursor', 'grade']) {
      await refuses(service, `${path}?${name}=1`, name)
    }
    assert.is((await service.ask(`${path}?`)).status, 200)
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

states('3.6, 5.1, 5.5, 7.7', 'four statuses that every endpoint has', async () => {
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
