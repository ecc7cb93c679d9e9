/** Rules 1 to 3 of RULES.md: identifiers and parameters, asked of the whole API. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../../corpus/answers/routes.ts'
import { contractSuite } from '../support/contract.ts'
import { everyEndpoint } from '../support/endpoints.ts'
import { openParameterWorld } from '../support/parameter-world.ts'
import { sharedService } from '../support/service.ts'

interface ErrorBody {
  error: string
  message: string
  parameter?: string
}

const contract = contractSuite('rules, identifiers and parameters')
const { rule, states } = contract

const service = await sharedService()
const endpoints = await everyEndpoint(service)

const { world, ask, refusedFor, ids } = await openParameterWorld()

rule(1, 'a CVE id is accepted in any case and answered in upper case', async () => {
  for (const id of ['CVE-2024-0001', 'cve-2024-0001', 'Cve-2024-0001', 'cVE-2024-0001']) {
    assert.is((await world.json<{ cve_id: string }>(`/cves/${id}`)).cve_id, 'CVE-2024-0001')
    assert.is((await world.json<{ cve_id: string }>(`/cves/${id}/affected`)).cve_id, 'CVE-2024-0001')
  }
  assert.is(await ids('ids=cve-2024-0002'), '2')
  assert.is((await ask('/cves/CVE-2024-00001')).status, 404, 'a number has one spelling')
})

rule(1, 'a CVE id has a year of 4 digits and a number of 4 to 19 digits', async () => {
  for (const id of ['CVE-2024-1234', 'CVE-2024-12345', `CVE-2024-${'9'.repeat(19)}`, 'CVE-0000-0000']) {
    assert.is((await ask(`/cves/${id}`)).status, 404, id)
  }
  for (const id of [
    'CVE-2024-123',
    `CVE-2024-${'9'.repeat(20)}`,
    'CVE-24-0001',
    'CVE-20240-0001',
    'CVE_2024_0001',
    'CVE-2024-00o1',
    '2024-0001',
    'CVE-2024-0001%20',
    'CVE-2024-0001%0A',
    'GHSA-2024-0001',
  ]) {
    const message = await refusedFor(`/cves/${id}`, 'cveId')
    assert.match(message, 'CVE-2024-3400')
  }
})

rule(1, 'an id of a weakness or attack pattern is its number, or has its prefix in any case', async () => {
  for (const id of ['79', 'CWE-79', 'cwe-79', 'Cwe-79']) {
    assert.is((await world.json<{ cwe_id: string }>(`/cwes/${id}`)).cwe_id, 'CWE-79')
    assert.is((await world.json<{ cwe_id: string; data: [] }>(`/cwes/${id}/cves`)).data.length, 4)
    assert.is(await ids(`cwe=${id}&sort=published`), '1234')
    assert.is((await world.json<{ data: [] }>(`/cnas/acme/cves?cwe=${id}`)).data.length, 4)
  }
  for (const id of ['66', 'CAPEC-66', 'capec-66', 'Capec-66']) {
    assert.is((await world.json<{ display: string }>(`/capecs/${id}`)).display, 'CAPEC-66')
  }
  for (const id of ['CWE79', 'cwe-079', 'CWE-', '-79', '7.9', '+79', 'CAPEC-79', '79x', '0x4f']) {
    await refusedFor(`/cwes/${id}`, 'cweId')
    await refusedFor(`/cwes/${id}/cves`, 'cweId')
    await refusedFor(`/cves?cwe=${encodeURIComponent(id)}`, 'cwe')
  }
  for (const id of ['capec-066', 'CAPEC66', 'CWE-66', '66a']) await refusedFor(`/capecs/${id}`, 'capecId')
})

rule(2, 'every endpoint rejects unknown, repeated and empty parameters', async () => {
  for (const { path } of endpoints) {
    const more = (query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`
    const { status, body } = await service.ask(more('colour=red'))
    assert.equal([status, (body as ErrorBody).error], [400, 'invalid_parameter'], path)
    assert.match((body as ErrorBody).message, "unknown parameter 'colour'")
  }
  for (const route of ROUTES) {
    const { path } = endpoints.find(({ template }) => template === route.path)!
    const [target, required] = path.split('?')
    for (const name of Object.keys(route.params.query)) {
      const rest = name === 'include' && required ? `&${required}` : ''
      const empty = await service.ask(`${target}?${name}=${rest}`)
      assert.is(empty.status, name === 'include' ? 200 : 400, `${path} ${name}`)
      if (name !== 'include') assert.is((empty.body as ErrorBody).parameter, name)
    }
  }
  for (const query of ['kev=true', 'q=ab', 'sort=cvss', 'limit=5', 'cwe=79', 'assigner=acme', 'epss_min=0']) {
    assert.match(await refusedFor(`/cves?${query}&${query}`, query.split('=')[0]!), 'is repeated')
  }
  assert.match(await refusedFor('/cves?kev=true&k%65v=true', 'kev'), 'is repeated')
  assert.match(await refusedFor('/cves?kev=true&KEV=true', 'KEV'), "did you mean 'kev'?")
  assert.match(await refusedFor('/cves?limit', 'limit'), 'empty')
  assert.match(await refusedFor('/cves?severity=high,,low', 'severity'), 'unknown value')
})

states('3.3', 'a csv parameter given several times is the union of its values', async () => {
  const same = async (path: string, csv: string) => assert.is(await world.body(path), await world.body(csv), path)
  const cve = '/cves/CVE-2024-0001'
  await same(`${cve}?include=affected&include=references&include=affected`, `${cve}?include=affected,references`)
  await same(`${cve}?include=&include=affected`, `${cve}?include=affected`)
  await same(`${cve}?fields=title&fields=state`, `${cve}?fields=title,state`)
  await same('/search?q=er&types=cwe&types=cve', '/search?q=er&types=cve,cwe')
  const [all, some] = [await service.body('/cves?severity=low,high'), await service.body('/cves?severity=low')]
  assert.is(await service.body('/cves?severity=low&severity=high'), all)
  assert.is.not(all, some)
  assert.is(await ids('ids=CVE-2024-0001&ids=CVE-2024-0003,CVE-2024-0001'), '31')
  const batch = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `CVE-2024-${String(from + i).padStart(4, '0')}`).join()
  assert.is(await ids(`ids=${batch(1, 51)}&ids=${batch(41, 101)}`), '4321')
  assert.match(
    await refusedFor(`/cves?ids=${batch(1, 61)}&ids=${batch(61, 102)}`, 'ids'),
    'at most 100 CVE ids, not 101',
  )
  assert.match(await refusedFor(`${cve}?include=cvss&include=news`, 'include'), "'news'")
})

rule(2, '`include=` selects no section', async () => {
  const keys = async (path: string) => Object.keys(await world.json(path))
  const core = await keys('/cves/CVE-2024-0001?include=')
  assert.not.ok(core.includes('cvss'))
  assert.equal(await keys('/cves/CVE-2024-0001'), [...core, 'cvss', 'epss_detail'])
})

rule(
  2,
  'unknown members, sort keys, includes, fields and values out of range are rejected, and the message names them',
  async () => {
    const cases: [path: string, parameter: string, says: RegExp][] = [
      ['/cves?severity=high,awful', 'severity', /'awful'.*critical, high, medium, low, none/],
      ['/cves?sort=title', 'sort', /'title'.*published.*updated.*cvss.*epss/],
      ['/cves?sort=--cvss', 'sort', /cvss/],
      ['/cnas/acme/cves?sort=updated', 'sort', /published.*cvss.*epss/],
      ['/exploits?sort=name', 'sort', /published/],
      ['/cves/CVE-2024-0001?include=cvss,news', 'include', /'news'.*evidence/],
      ['/cves/CVE-2024-0001?fields=title,colour', 'fields', /'colour'.*description/],
      ['/cwes/79?fields=colour', 'fields', /'colour'.*relationships/],
      ['/capecs/66?fields=colour', 'fields', /'colour'.*execution_flow/],
      ['/search?q=er&types=cve,exploit', 'types', /'exploit'.*capec/],
      ['/cves?ids=CVE-2024-1', 'ids', /CVE id/],
      ['/cves?cwe=CWE-abc', 'cwe', /CWE-79/],
      ['/cves/CVE-2024-0001/affected?source=nvdd', 'source', /did you mean 'nvd'/],
      ['/cves?limit=0', 'limit', /1 to 100/],
      ['/cves?limit=101', 'limit', /1 to 100/],
      ['/cves?limit=1e1', 'limit', /1 to 100/],
      ['/cves?epss_min=NaN', 'epss_min', /0 to 1/],
      ['/cves?epss_min=1e400', 'epss_min', /0 to 1/],
      ['/cves?epss_min=-Infinity', 'epss_min', /0 to 1/],
    ]
    for (const [path, parameter, says] of cases) assert.match(await refusedFor(path, parameter), says)
  },
)

rule(
  2,
  'impossible dates and malformed percent-encoding are rejected, and the message names the parameter',
  async () => {
    for (const day of ['2024-02-30', '2023-02-29', '2024-13-01', '2024-00-10', '2024-1-1', '20240301', 'yesterday']) {
      await refusedFor(`/cves?published_since=${day}`, 'published_since')
      await refusedFor(`/exploits?published_until=${day}`, 'published_until')
      await refusedFor(`/cves/CVE-2024-0001/timeline?since=${day}`, 'since')
    }
    for (const time of [
      '2024-03-01T24:00:00Z',
      '2024-03-01T10:60:00Z',
      '2024-02-30T10:00:00Z',
      '2024-03-01T10:00:00',
    ]) {
      await refusedFor(`/cves?updated_since=${time}`, 'updated_since')
    }
    assert.is(await ids('published_since=2024-02-29'), '4321')
    for (const bad of ['%', '%2', '%zz', '%ff', '%c3%28']) {
      assert.match(await refusedFor(`/cves?q=${bad}`, 'q'), 'percent-encoding')
      assert.match(await refusedFor(`/vendors/${bad}/products`, 'vendorSlug'), 'percent-encoding')
    }
    assert.is((await ask('/cves?%zz=1')).error, 'invalid_parameter')
  },
)

rule(2, 'the message for a typing error suggests the right name', async () => {
  assert.is(
    (await refusedFor('/cves?severty=high', 'severty')).split('?')[0],
    "unknown parameter 'severty'; did you mean 'severity'",
  )
  assert.match(await refusedFor('/cves?severity=hihg', 'severity'), "did you mean 'high'?")
  assert.match(await refusedFor('/cves?sort=-publishd', 'sort'), "did you mean '-published'?")
  assert.match(await refusedFor('/cves/CVE-2024-0001?include=evidnce', 'include'), "did you mean 'evidence'?")
  assert.not.match(await refusedFor('/cves?zzzzzzzz=1', 'zzzzzzzz'), 'did you mean')
})

rule(3, 'booleans are true or false, in any case', async () => {
  assert.is(await ids('kev=true'), '1')
  assert.is(await ids('kev=False'), '432')
  for (const word of ['1', '0', 'T', 'yes', 'on', ' true']) {
    assert.match(await refusedFor(`/cves?kev=${encodeURIComponent(word)}`, 'kev'), 'true or false')
    await refusedFor(`/cves/CVE-2024-0001/reports?full=${encodeURIComponent(word)}`, 'full')
  }
})

rule(3, 'members of a csv are trimmed; their order and repetition do not matter', async () => {
  const keys = async (csv: string) =>
    Object.keys(await world.json(`/cves/CVE-2024-0001?include=${csv}&fields=%20title%20,cve_id,title`))
  const expected = ['cve_id', 'title', 'affected', 'references']
  for (const csv of ['affected,references', 'references,affected', '%20references%20,+affected,references']) {
    assert.equal(await keys(csv), expected, csv)
  }
  assert.is(await ids('ids=CVE-2024-0002,%20CVE-2024-0001%20,CVE-2024-0002'), '21')
  // The same filters, so the same walk.
  const first = await world.json<{ pagination: { next_cursor: string } }>('/exploits?limit=1')
  assert.ok(first.pagination.next_cursor)
  const page = await service.json<{ pagination: { next_cursor: string } }>('/cves?severity=low,high&limit=1')
  const next = `/cves?severity=high,%20low,high&limit=1&cursor=${page.pagination.next_cursor}`
  assert.is((await service.ask(next)).status, 200)
})

contract.after(async () => {
  await service.remove()
  await world.remove()
})
contract.run()
