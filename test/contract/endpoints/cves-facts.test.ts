/** gateway/API.md, section 9: filters by what sources state of a CVE, and what lists add to a page (4.8, 4.9). */
import * as assert from 'uvu/assert'
import { refuses, refusesValues } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { idsOf, type Summary } from '../support/rows.ts'
import { openWorld, sharedService } from '../support/service.ts'
import { container, cveList, cveMetric, ssvcMetric, UPDATED, type VECTORS } from '../support/upstream.ts'

const { states, after, run } = contractSuite('filters of GET /cves by facts')

const id = (n: number) => `CVE-2024-${String(n).padStart(4, '0')}` as const
const vector = (version: keyof typeof VECTORS, text: string, score: number) => ({
  metrics: [cveMetric(version, score, text)],
})
const assessed = (exploitation: string, automatable: string) => [
  container('CISA-ADP', { metrics: [ssvcMetric(exploitation, automatable, 'total', UPDATED)] }),
]
const world = await openWorld({
  ...cveList([
    { id: id(1), cna: vector('4.0', 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 8.6) },
    { id: id(2), cna: vector('3.1', 'CVSS:3.1/AV:L/AC:L/PR:H/UI:R/S:U/C:H/I:N/A:N', 4.2) },
    {
      id: id(3),
      cna: vector('3.1', 'CVSS:3.1/AV:P/AC:L/PR:L/UI:N/S:U/C:H/I:N/A:N', 4.3),
      adp: assessed('active', 'yes'),
    },
    { id: id(4), cna: vector('2.0', 'AV:A/AC:L/Au:N/C:P/I:N/A:N', 3.3), adp: assessed('poc', 'no') },
    { id: id(5), cna: { workarounds: [{ lang: 'en', value: 'Disable the parser.' }] } },
  ]),
  'kev/known_exploited_vulnerabilities.json': kevFile([
    [id(1), '2024-05-01'],
    [id(2), '2024-05-20'],
  ]),
})

function kevFile(listed: readonly (readonly [string, string])[]): string {
  const vulnerabilities = listed.map(([cveID, dateAdded]) => ({
    cveID,
    vendorProject: 'Acme',
    product: 'Widget',
    vulnerabilityName: 'Acme Widget Vulnerability',
    dateAdded,
    shortDescription: 'A fault.',
    requiredAction: 'Apply updates.',
    dueDate: '2024-06-30',
    knownRansomwareCampaignUse: 'Unknown',
    notes: '',
    cwes: [],
  }))
  return JSON.stringify({
    title: 'CISA Catalog of Known Exploited Vulnerabilities',
    catalogVersion: '2024.06.01',
    dateReleased: '2024-06-01T00:00:00.000Z',
    count: vulnerabilities.length,
    vulnerabilities,
  })
}

const found = async (query: string) =>
  idsOf(await world.all<Summary>(`/cves?${query}`))
    .map((one) => Number(one.slice(-4)))
    .sort()

states('9.27', 'has_workaround', async () => {
  assert.equal(await found('has_workaround=true'), [5])
  assert.equal(await found('has_workaround=false'), [1, 2, 3, 4])
})

states('9.28', 'state', async () => {
  assert.equal(await found('state=published'), [1, 2, 3, 4, 5])
  assert.equal(await found('state=RESERVED'), [])
  await refusesValues(world, '/cves', 'state', ['rejected', 'published,reserved'])
})

states('9.29', 'cvss_min and cvss_max are included', async () => {
  assert.equal(await found('cvss_min=4.3'), [1, 3])
  assert.equal(await found('cvss_max=4.3'), [2, 3, 4])
  assert.equal(await found('cvss_min=4.2&cvss_max=4.3'), [2, 3])
  assert.equal(await found('cvss_min=4.25&cvss_max=4.29'), [])
  assert.equal(await found('cvss_min=5&cvss_max=4'), [])
  assert.equal(await found('cvss_min=0'), [1, 2, 3, 4])
  assert.equal(await found('severity=unscored'), [5])
  assert.equal(await found('severity=unscored,high'), [1, 5])
})

states('9.30', 'values of SSVC', async () => {
  assert.equal(await found('ssvc_exploitation=active'), [3])
  assert.equal(await found('ssvc_exploitation=poc,active'), [3, 4])
  assert.equal(await found('ssvc_exploitation=poc&ssvc_exploitation=active'), [3, 4])
  assert.equal(await found('ssvc_automatable=NO'), [4])
  const rows = await world.all<Summary>('/cves')
  const decision = rows.find(({ cve_id }) => cve_id === id(3))!.ssvc.decision!
  assert.equal(await found(`ssvc_decision=${encodeURIComponent(decision)}`), [3])
  await refusesValues(world, '/cves', 'ssvc_decision', ['ignore'])
})

states('9.31', 'metrics of the vector', async () => {
  assert.equal(await found('attack_vector=network'), [1])
  assert.equal(await found('attack_vector=adjacent,physical'), [3, 4])
  assert.equal(await found('privileges_required=none'), [1])
  assert.equal(await found('privileges_required=low,high'), [2, 3])
  assert.equal(await found('user_interaction=none'), [3])
  assert.equal(await found('attack_vector=network&user_interaction=passive&privileges_required=none'), [1])
})

states('9.32', 'kev_since', async () => {
  assert.equal(await found('kev_since=2024-05-01'), [1, 2])
  assert.equal(await found('kev_since=2024-05-02'), [2])
  assert.equal(await found('kev_since=2024-05-21'), [])
})

states('9.33', 'without the value, no value matches', async () => {
  assert.equal(await found('privileges_required=none,low,high'), [1, 2, 3])
  assert.equal(await found('ssvc_exploitation=none,poc,active'), [3, 4])
  assert.equal(await found('user_interaction=none,required,passive,active'), [1, 2, 3])
})

states('9.34', 'required includes passive and active', async () => {
  assert.equal(await found('user_interaction=required'), [1, 2])
  assert.equal(await found('user_interaction=active'), [])
})

states('9.35', 'words of title, description, vendors and products', async () => {
  const texts = await openWorld({
    ...cveList([
      {
        id: id(1),
        cna: {
          title: 'Heap overflow in the Widget parser',
          descriptions: [{ lang: 'en', value: 'A café parser of Widget 2.1.0-rc1 writes behind a buffer.' }],
        },
      },
      {
        id: id(2),
        cna: {
          title: 'Stack overflow',
          descriptions: [{ lang: 'en', value: 'Parsers overflow.' }],
          affected: [{ vendor: 'Heap Makers', product: 'Zebra Server', defaultStatus: 'affected' }],
        },
      },
      { id: id(3), cna: { title: 'Overflowing', descriptions: [{ lang: 'en', value: 'Nothing else.' }] } },
    ]),
  })
  const matching = async (text: string, more = '') =>
    idsOf(await texts.all<Summary>(`/cves?text=${encodeURIComponent(text)}${more}`)).map((one) => Number(one.slice(-4)))
  const cases: [string, number[]][] = [
    ['overflow', [1, 2]],
    ['overflow*', [1, 2, 3]],
    ['HEAP overflow', [1, 2]],
    ['overflow widget', [1]],
    ['zebra', [2]],
    ['cafe', [1]],
    ['CAFÉ', [1]],
    ['2.1.0-rc1', [1]],
    ['CVE-2024-0003', [3]],
    ['pars', []],
    ['pars*', [1, 2]],
    ['heap overflow nothing', []],
  ]
  try {
    for (const sort of ['published', '-cvss', '-published']) {
      for (const [text, expected] of cases) {
        assert.equal((await matching(text, `&sort=${sort}`)).sort(), expected, `${text} by ${sort}`)
      }
    }
    assert.equal(await matching('overflow*', '&q=stack'), [2])
    assert.equal(await matching('overflow*', '&vendor=heap_makers'), [2])
  } finally {
    await texts.remove()
  }
})

states('9.35', 'texts without a word, and too many beginnings, are refused', async () => {
  await refusesValues(world, '/cves', 'text', ['.', '*', 'a*', 'aa* bb* cc* dd* ee*', 'x'.repeat(201)])
  assert.equal(await found('text=no-such-word'), [])
})

const service = await sharedService()
/** Lists whose rows have more than one page, with a field of their rows. */
const LISTS = [
  ['/cves', 'title'],
  ['/cves?kev=true&sort=cvss', 'title'],
  ['/cves?severity=high,unscored&published_since=2010-01-01&has_patch=true', 'epss'],
  ['/cves?q=e', 'severity'],
  ['/cves?text=in', 'severity'],
  ['/cves?text=in&q=e&sort=cvss', 'title'],
  ['/cwes/79/cves?scope=any', 'title'],
  ['/cnas/brightpane/cves', 'kev'],
  ['/cwes?sort=-name', 'name'],
  ['/capecs?q=a', 'name'],
  ['/vendors', 'display'],
  ['/vendors/brightpane_corporation/products', 'slug'],
  ['/cnas', 'cna_name'],
  ['/exploits', 'name'],
  ['/kev', 'due_date'],
  ['/packages', 'purl'],
  ['/advisories', 'summary'],
  ['/rejected', 'reason'],
] as const
const behind = (path: string, more: string) => `${path}${path.includes('?') ? '&' : '?'}${more}`
interface Page {
  data: Record<string, unknown>[]
  pagination: { limit: number; next_cursor: string | null; total?: number }
}

states('4.8', 'the number of rows of all pages', async () => {
  for (const [path] of LISTS) {
    const rows = await service.all(path)
    assert.ok(rows.length > 0, path)
    const { pagination } = await service.json<Page>(behind(path, 'count=true&limit=2'))
    assert.is(pagination.total, rows.length, path)
    const { pagination: unsaid } = await service.json<Page>(behind(path, 'limit=2'))
    assert.equal(Object.keys(unsaid), ['limit', 'next_cursor'], path)
    if (pagination.next_cursor === null) continue
    assert.is(unsaid.next_cursor, pagination.next_cursor, path)
    const next = await service.json<Page>(behind(path, `count=true&limit=2&cursor=${pagination.next_cursor}`))
    assert.is(next.pagination.total, rows.length, path)
  }
  for (const path of ['/snapshots', '/products?q=lantern', '/affected?ecosystem=npm&name=lantern-http']) {
    const { data, pagination } = await service.json<Page>(behind(path, 'count=true&limit=100'))
    assert.is(pagination.total, data.length, path)
  }
  assert.is(await service.json<Page>('/cves?kev=true&kev=true&count=true').catch(() => null), null)
  assert.is((await service.json<Page>(`/changes?since=${service.registry.current.id}&count=true`)).pagination.total, 0)
  await refuses(service, '/cves?count=yes', 'count')
})

states('4.9', 'fields of rows', async () => {
  for (const [path, field] of LISTS) {
    const whole = await service.json<Page>(behind(path, 'limit=3'))
    const some = await service.json<Page>(behind(path, `limit=3&fields=${field}`))
    const names = 'cve_id' in whole.data[0]! ? ['cve_id', field] : [field]
    const expected = whole.data.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name))),
    )
    assert.equal(JSON.stringify(some.data), JSON.stringify(expected), path)
    assert.equal(some.pagination, whole.pagination, path)
    await refuses(service, behind(path, 'fields=no_such'), 'fields')
  }
})

after(async () => {
  await world.remove()
  await service.remove()
})
run()
