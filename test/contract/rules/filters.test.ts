/** Rules 4 and 5 of RULES.md: sets, dates and text as filters. */
import * as assert from 'uvu/assert'
import { contractSuite } from '../support/contract.ts'
import { openParameterWorld } from '../support/parameter-world.ts'

const contract = contractSuite('rules, filters')
const { rule, states } = contract

const { world, ask, refusedFor, ids } = await openParameterWorld()

rule(4, 'a value outside a closed set is rejected', async () => {
  const cases: [path: string, parameter: string][] = [
    ['/cves?severity=severe', 'severity'],
    ['/cves?kev=maybe', 'kev'],
    ['/capecs?severity=Critical', 'severity'],
    ['/cwes?abstraction=Basic', 'abstraction'],
    ['/cwes?likelihood=Likely', 'likelihood'],
    ['/cves/CVE-2024-0001/affected?source=ghsa', 'source'],
    ['/cves/CVE-2024-0001/references?source=svc', 'source'],
    ['/exploits?source=exploit_db', 'source'],
    ['/cves/CVE-2024-0001/evidence?type=rumour', 'type'],
    ['/cwes/79/cves?scope=all', 'scope'],
    ['/search?q=er&types=exploit', 'types'],
    ['/cnas?grade=E', 'grade'],
    ['/cnas?activity_status=Asleep', 'activity_status'],
  ]
  for (const [path, parameter] of cases) await refusedFor(path, parameter)
})

states('3.4', 'members of closed sets, booleans and sort keys match in any case', async () => {
  const pairs: [path: string, other: string][] = [
    ['/cves?severity=HIGH,Low', '/cves?severity=high,low'],
    ['/cves?kev=TRUE', '/cves?kev=true'],
    ['/cves?sort=-Published', '/cves?sort=-published'],
    ['/capecs?severity=very%20high', '/capecs?severity=Very%20High'],
    ['/cwes?abstraction=BASE', '/cwes?abstraction=Base'],
    ['/cwes?likelihood=high', '/cwes?likelihood=High'],
    ['/cves/CVE-2024-0001/affected?source=CNA', '/cves/CVE-2024-0001/affected?source=cna'],
    ['/cves/CVE-2024-0001/references?source=Cna', '/cves/CVE-2024-0001/references?source=cna'],
    ['/cves/CVE-2024-0001/evidence?type=Exploitation', '/cves/CVE-2024-0001/evidence?type=exploitation'],
    ['/cves/CVE-2024-0001/timeline?messages=False', '/cves/CVE-2024-0001/timeline?messages=false'],
    ['/cves/CVE-2024-0001?include=CVSS&fields=Title', '/cves/CVE-2024-0001?include=cvss&fields=title'],
    ['/exploits?source=EXPLOIT_ARCHIVE', '/exploits?source=exploit_archive'],
    ['/exploits/Exploit_Archive/1', '/exploits/exploit_archive/1'],
    ['/cwes/79/cves?scope=ANY', '/cwes/79/cves?scope=any'],
    ['/search?q=er&types=CVE,Cwe', '/search?q=er&types=cve,cwe'],
    ['/cnas?grade=f', '/cnas?grade=F'],
    ['/cnas?activity_status=inactive', '/cnas?activity_status=Inactive'],
  ]
  for (const [path, other] of pairs) assert.is(await world.body(path), await world.body(other), path)
  assert.is(await ids('kev=TRUE'), '1')
  // Echoed as the set spells it.
  assert.is((await world.json<{ scope: string }>('/cwes/79/cves?scope=Primary')).scope, 'primary')
})

rule(4, 'an unknown value of an open set matches nothing', async () => {
  const empty = async (path: string, key: string) => {
    const body = await world.json<Record<string, unknown[]>>(path)
    assert.equal(body[key], [], path)
  }
  await empty('/cwes?status=Nonsense', 'data')
  await empty('/capecs?status=Nonsense', 'data')
  await empty('/cves/CVE-2024-0001/timeline?category=nonsense', 'timeline')
  await empty('/cves/CVE-2024-0001/reports?prompt=nonsense', 'reports')
  await empty('/cves/CVE-2024-0001/affected?ecosystem=nonsense', 'entries')
  await empty('/cves/CVE-2024-0001/references?tag=nonsense', 'references')
  await empty('/exploits?platform=nonsense', 'data')
  await empty('/cves?assigner=nonsense', 'data')
  await empty('/products?q=widget&vendor=nonsense', 'data')
  await empty('/cnas/nonsense/cves', 'data')
  await empty('/vendors/nonsense/products', 'data')
})

rule(4, 'date bounds are inclusive UTC days, and match nothing if they are crossed', async () => {
  assert.is(await ids('published_since=2024-03-02'), '43')
  assert.is(await ids('published_until=2024-03-01'), '21')
  assert.is(await ids('published_since=2024-03-01&published_until=2024-03-01'), '21')
  assert.is(await ids('updated_since=2024-03-02'), '43')
  assert.is(await ids('published_since=2024-03-02&published_until=2024-03-01'), '')
  const modules = async (query: string) =>
    (await world.json<{ data: { source_id: string }[] }>(`/exploits?${query}`)).data.map((one) => one.source_id)
  assert.equal(await modules('published_since=2024-03-02'), ['2'])
  assert.equal(await modules('published_until=2024-03-01'), ['1'])
  assert.equal(await modules('published_since=2024-03-02&published_until=2024-03-01'), [])
})

rule(4, 'a timestamp as a bound is compared exactly', async () => {
  assert.is(await ids('published_since=2024-03-01T23:59:59.999Z'), '432')
  assert.is(await ids('published_since=2024-03-01T23:59:59.9991Z'), '43')
  assert.is(await ids('published_until=2024-03-02T12:00:00.5Z'), '4321')
  assert.is(await ids('published_until=2024-03-02T12:00:00.499Z'), '321')
  assert.is(await ids('updated_since=2024-03-02T14:00:00%2B02:00'), '4')
  assert.is(await ids('updated_since=2024-03-02T12:00:00.501z'), '')
  assert.equal((await world.json<{ data: [] }>('/exploits?published_since=2024-03-02T00:00:00Z')).data.length, 1)
  assert.equal((await world.json<{ data: [] }>('/exploits?published_since=2024-03-02T00:00:01Z')).data.length, 0)
  const since = async (time: string) =>
    (await world.json<{ count: number }>(`/cves/CVE-2024-0001/timeline?category=publication&since=${time}`)).count
  assert.equal([await since('2024-03-01T00:00:00Z'), await since('2024-03-01T00:00:00.001Z')], [1, 0])
})

rule(5, '`q` ignores case, and % and _ have no special meaning', async () => {
  assert.is(await ids('q=AN%20A'), '43')
  assert.is(await ids('q=0%25'), '1')
  assert.is(await ids('q=a_b'), '3')
  assert.is(await ids('q=_'), '3')
  assert.is(await ids('q=%25'), '1')
  assert.is(await ids(`q=${encodeURIComponent('école')}`), '4')
  assert.is(await ids('q=cve-2024-0002'), '2')
})

rule(5, '`q` has at most 200 code points', async () => {
  for (const path of [
    '/cves?',
    '/cwes?',
    '/capecs?',
    '/vendors?',
    '/cnas?',
    '/products?',
    '/search?',
    '/search/suggest?',
  ]) {
    for (const character of ['a', 'é', '😀']) {
      const q = (count: number) => `${path}q=${encodeURIComponent(character.repeat(count))}`
      assert.is((await ask(q(200))).status, 200, path)
      assert.match(await refusedFor(q(201), 'q'), '200')
    }
  }
  await refusedFor(`/vendors/acme/products?q=${'a'.repeat(201)}`, 'q')
})

contract.after(world.remove)
contract.run()
