/** gateway/API.md, section 9: the list, its orders and its pages, and all filters with one another. */
import * as assert from 'uvu/assert'
import { expectPaging, openRefusing, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { REJECTED, RESERVED } from '../support/odd-records.ts'
import {
  CVE_KEYS,
  type CveKey,
  type CvePage,
  expectCves,
  expectSorts,
  idsOf,
  inOrder,
  type Summary,
  summariesOf,
} from '../support/rows.ts'
import { sharedService } from '../support/service.ts'

const { states, after, run } = contractSuite('GET /cves')
const service = await sharedService()
const all = summariesOf(service.corpus)
const newest = inOrder(all, '-published')
const refusing = await openRefusing(service, newest[0]!.cve_id)

const CORE = [
  ...['cve_id', 'state', 'title', 'description', 'severity', 'cvss_score', 'cvss_score_source', 'date_published'],
  ...['date_updated', 'assigner', 'kev', 'ssvc', 'epss', 'has_patch', 'has_workaround', 'has_exploit'],
  ...['has_detection', 'detection_layers', 'primary_cwe_id'],
].sort()

states('9.13', 'every record that is served', async () => {
  const rows = await service.all<Summary>('/cves')
  assert.equal(
    rows.toSorted((a, b) => (a.cve_id < b.cve_id ? -1 : 1)),
    all.toSorted((a, b) => (a.cve_id < b.cve_id ? -1 : 1)),
  )
  for (const row of rows) assert.equal(Object.keys(row).sort(), CORE)
  assert.ok(idsOf(rows).includes(RESERVED) && !idsOf(rows).includes(REJECTED))
})

states('9.14', 'newest publication first', async () => {
  await expectCves(service, '/cves', all)
  const { data } = await service.json<CvePage>('/cves')
  const times = data.map(({ date_published }) => Date.parse(date_published!))
  assert.equal(
    times,
    times.toSorted((a, b) => b - a),
  )
  assert.is(times[0], Math.max(...all.flatMap((row) => CVE_KEYS.published(row) ?? [])))
})

const day = 86_400_000
const published = (row: Summary) => (row.date_published === null ? null : Date.parse(row.date_published))
const middle = newest[Math.floor(newest.length / 2)]!.date_published!.slice(0, 10)
const holds = ({ cve_id, title }: Summary, q: string) =>
  [cve_id, title ?? ''].some((text) => text.toLowerCase().includes(q.toLowerCase()))
const FILTERS: [name: string, value: string, test: (row: Summary) => boolean][] = [
  ['q', 'in', (row) => holds(row, 'in')],
  ['severity', 'medium,low', ({ severity }) => severity === 'medium' || severity === 'low'],
  ['kev', 'false', ({ kev }) => !kev.listed],
  ['has_exploit', 'true', (row) => row.has_exploit],
  ['has_patch', 'true', (row) => row.has_patch],
  ['has_detection', 'false', (row) => !row.has_detection],
  ['assigner', 'mirador', (row) => row.assigner?.toLowerCase() === 'mirador'],
  ['cwe', 'CWE-79', (row) => row.primary_cwe_id === 'cwe-79'],
  ['epss_min', '0.0005', ({ epss }) => epss.score !== null && epss.score >= 0.0005],
  ['published_since', '2010-01-01', (row) => (published(row) ?? 0) >= Date.UTC(2010, 0, 1)],
  ['published_until', middle, (row) => row.date_published !== null && published(row)! < Date.parse(middle) + day],
  ['updated_since', '2015-01-01', (row) => Date.parse(row.date_updated ?? '') >= Date.UTC(2015, 0, 1)],
]

states('9.15', 'a CVE matches all filters', async () => {
  let found = 0
  for (const [i, [nameA, valueA, testA]] of FILTERS.entries()) {
    for (const [nameB, valueB, testB] of FILTERS.slice(i + 1)) {
      const rows = all.filter((row) => testA(row) && testB(row))
      if (rows.length > 0) found++
      await expectCves(service, `/cves?${nameA}=${valueA}&${nameB}=${valueB}`, rows)
    }
  }
  assert.ok(found > 60, `only ${found} pairs find anything`)
  for (let most = 3; most <= FILTERS.length; most++) {
    const chosen = FILTERS.slice(0, most)
    const query = chosen.map(([name, value]) => `${name}=${value}`).join('&')
    await expectCves(
      service,
      `/cves?${query}`,
      all.filter((row) => chosen.every(([, , test]) => test(row))),
    )
  }
})

states('9.11', 'four keys, both ways', async () => {
  const keys = Object.keys(CVE_KEYS) as CveKey[]
  for (const key of keys) {
    const values = all.map(CVE_KEYS[key])
    assert.ok(values.includes(null), `${key} is null somewhere`)
    assert.ok(new Set(values).size < values.length, `${key} has ties`)
  }
  await expectSorts(service, '/cves', all, keys)
  for (const limit of [1, 25]) {
    for (const sort of ['cvss', '-epss']) {
      assert.equal(idsOf(await service.all<Summary>(`/cves?sort=${sort}`, limit)), idsOf(inOrder(all, sort)))
    }
  }
  assert.equal(await service.all('/cves'), await service.all('/cves?sort=-published'))
  await refusesValues(service, '/cves', 'sort', ['', '-', 'title', '--cvss', '+cvss', 'cvss,epss', 'id'])
})

states('9.12', 'pages', async () => {
  for (const path of ['/cves', '/cves?kev=false&sort=cvss', '/cves?q=in']) await expectPaging(service, path)
})

states('9.17', 'records in the list envelope', async () => {
  for (const path of ['/cves', '/cves?kev=true', '/cves?q=in', '/cves?q=nothing+at+all']) {
    const page = await service.json<CvePage>(path)
    assert.equal(Object.keys(page).sort(), ['data', 'pagination'])
    assert.equal(Object.keys(page.pagination).sort(), ['limit', 'next_cursor'])
    for (const row of page.data)
      assert.equal(
        row,
        all.find(({ cve_id }) => cve_id === row.cve_id),
      )
  }
})

states('9.18', 'no row is hidden by a tier', async () => {
  const { status, body } = await refusing.asReader('/cves?limit=100', 0)
  assert.is(status, 200)
  assert.equal(body, await service.json('/cves?limit=100'), 'no row is missing, and none is cut down')
  assert.is((await refusing.asReader(`/cves/${newest[0]!.cve_id}`, 0)).status, 403)
  assert.is((await refusing.asReader(`/cves/${newest[1]!.cve_id}`, 0)).status, 200)
  await refusing.expectAlways('/cves')
})

after(async () => {
  await refusing.close()
  await service.remove()
})
run()
