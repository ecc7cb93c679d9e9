/** Rule 25 of RULES.md, and what 27 says of CNAs, vendors and products. */
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { cnaJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  container,
  cveList,
  cveMetric,
  ghsaZip,
  nvdPage,
  nvdRecord,
  osvEntry,
  type UpstreamRecord,
} from '../support/upstream.ts'

interface Row {
  slug: string
  cna_name: string
  grade: string | null
  activity_status: string
  total_cves: number
  recent_cves: number
  overall_completeness: number | null
  avg_cvss_score: number | null
  latest_cve_date: string | null
}
interface Stats {
  summary: { total_cnas: number; total_cves: number }
  grade_distribution: Record<string, number>
  leaderboard: Record<string, { slug: string; older_score?: number; recent_score?: number; delta?: number }[]>
}

const contract = contractSuite('rules, directory')
const { rule } = contract

const DAY_MS = 86_400_000
/** The newest date that the CVE list states. */
const NOW = Date.parse('2024-06-01T00:00:00.000Z')
const ago = (days: number) => new Date(NOW - days * DAY_MS).toISOString()

let next = 1000
function record(assigner: string, days: number, cna: Record<string, unknown> = {}): UpstreamRecord {
  const datePublished = ago(days)
  const id: CveId = `CVE-2024-${next++}`
  return { id, cna, metadata: { assignerShortName: assigner, datePublished, dateUpdated: datePublished } }
}
const times = (count: number, make: (i: number) => UpstreamRecord) => Array.from({ length: count }, (_, i) => make(i))

const product = (more: object = {}) => [
  { vendor: 'Acme', product: 'Widget', versions: [{ version: '1', status: 'affected' }], ...more },
]
const CWE = { problemTypes: [{ descriptions: [{ lang: 'en', cweId: 'CWE-79', description: 'CWE-79' }] }] }
const CVSS = { metrics: [cveMetric('3.1')] }
const CPE = { affected: product({ cpes: ['cpe:2.3:a:acme:widget:1:*:*:*:*:*:*:*'] }) }
const PATCH = { references: [{ url: 'https://acme.example/1', tags: ['patch'] }] }
const NO_BASE = { references: undefined }

/** A CNA for each clause, with a single record, and its score. */
const CLAUSES: Record<string, [cna: Record<string, unknown>, score: number, grade: string]> = {
  base: [{}, 50, 'C'],
  nothing: [NO_BASE, 0, 'F'],
  undescribed: [{ descriptions: [] }, 0, 'F'],
  unaffected: [{ affected: undefined }, 0, 'F'],
  cwe: [CWE, 65, 'B'],
  cvss: [CVSS, 65, 'B'],
  cvss2: [{ metrics: [cveMetric('2.0')] }, 50, 'C'],
  cpe: [CPE, 60, 'B'],
  patch: [PATCH, 60, 'B'],
  good: [{ ...CWE, ...CVSS }, 80, 'A'],
  whole: [{ ...CWE, ...CVSS, ...CPE, ...PATCH }, 100, 'A'],
  onlycwe: [{ ...NO_BASE, ...CWE }, 15, 'F'],
  some: [{ ...NO_BASE, ...CWE, ...CPE }, 25, 'D'],
}

const world = await openWorld({
  ...cveList([
    ...Object.entries(CLAUSES).map(([name, [cna]]) => record(name, 1, cna)),
    // Only the last two years count, where there are records of them.
    record('lately', 729, {}),
    record('lately', 731, { ...CWE, ...CVSS, ...CPE, ...PATCH }),
    record('lately', 1, { ...CWE, ...CVSS }),
    record('old', 800, {}),
    record('old', 900, { ...CWE, ...CVSS }),
    record('active', 364),
    record('inactive', 366),
    // Eleven in each of two years; of the third CNA only nine in one.
    ...times(10, () => record('better', 10, { ...CWE, ...CVSS })),
    ...times(10, () => record('better', 400)),
    ...times(10, () => record('worse', 10)),
    ...times(10, () => record('worse', 400, { ...CWE, ...CVSS })),
    ...times(9, () => record('few', 10, { ...CWE, ...CVSS })),
    ...times(10, () => record('few', 400)),
    ...times(30, () => record('busy_once', 500)),
    // More records of the last year than others, which have more in all.
    ...times(11, () => record('lively', 10)),
    // Its name is written otherwise in the records than in the list.
    record('Big Corp', 1),
    record('BIG  corp', 2),
    // Not in the list at all.
    record('Un Listed', 1),
    record('UN  listed', 2, CWE),
    record('Un Listed', 3),
    // Vendors and products.
    {
      ...record('names', 0, {
        affected: [
          ...product({ vendor: 'Big  Vendor', product: 'The Widget' }),
          ...product({ vendor: 'big vendor', product: 'the widget' }),
          ...product({ vendor: 'n/a', product: 'Lost' }),
          ...product({ vendor: '*', product: 'Lost' }),
        ],
      }),
      adp: [container('CISA-ADP', { affected: product({ vendor: 'adp vendor', product: 'x' }) })],
      id: 'CVE-2024-0001',
    },
    { ...record('names', 0, { affected: product({ vendor: 'BIG_VENDOR', product: 'Other' }) }), id: 'CVE-2024-0002' },
  ]),
  'cna/CNAsList.json': cnaJson([
    ...Object.keys(CLAUSES),
    ...[
      'lately',
      'old',
      'active',
      'inactive',
      'better',
      'worse',
      'few',
      'busy_once',
      'lively',
      'big corp',
      'silent',
      'names',
    ],
  ]),
  'nvd/page.json': nvdPage([
    nvdRecord('CVE-2024-0001', {
      configurations: [
        {
          nodes: [
            {
              operator: 'OR',
              negate: false,
              cpeMatch: [{ vulnerable: true, criteria: 'cpe:2.3:a:nvd_vendor:y:1:*:*:*:*:*:*:*' }],
            },
          ],
        },
      ],
    }),
  ]),
  ...ghsaZip([
    osvEntry('GHSA-2222-2222-2222', ['CVE-2024-0001'], {
      affected: [{ package: { ecosystem: 'npm', name: 'package-name' }, versions: ['1'] }],
    }),
  ]),
})

const rowOf = (slug: string) => world.json<Row>(`/cnas/${slug}`)
const { summary, grade_distribution, leaderboard } = await world.json<Stats>('/cnas/stats')

rule(
  25,
  'completeness is the sum of points of the parts that the CNA states; the base parts count only together',
  async () => {
    for (const [name, [, score, grade]] of Object.entries(CLAUSES)) {
      const { overall_completeness, grade: given } = await rowOf(name)
      assert.equal([overall_completeness, given], [score, grade], name)
    }
  },
)

rule(25, 'a score is the mean of the records of the last two years, or of all records if there are none', async () => {
  assert.is((await rowOf('lately')).overall_completeness, 65)
  assert.is((await rowOf('old')).overall_completeness, 65)
})

rule(25, 'a CNA with a record in the last 365 days before the corpus date is active', async () => {
  assert.is((await rowOf('active')).activity_status, 'Active')
  assert.is((await rowOf('inactive')).activity_status, 'Inactive')
  const { data } = await world.json<{ data: Row[] }>('/cnas?activity_status=Inactive&sort=name')
  assert.equal(data.map(({ slug }) => slug).sort(), ['busy_once', 'inactive', 'old', 'silent'])
})

rule(25, 'most_improved compares the newest year with the year before; each needs ten records', () => {
  assert.equal(
    leaderboard.most_improved!.map(({ slug, older_score, recent_score, delta }) => [
      slug,
      older_score,
      recent_score,
      delta,
    ]),
    [['better', 50, 80, 30]],
  )
})

rule(27, 'a CNA without records has nulls, and no grade', async () => {
  const row = await rowOf('silent')
  assert.equal(
    [row.grade, row.total_cves, row.overall_completeness, row.avg_cvss_score, row.latest_cve_date],
    [null, 0, null, null, null],
  )
  const graded = Object.values(grade_distribution).reduce((sum, count) => sum + count, 0)
  assert.is(graded, summary.total_cnas - 1)
  const worst = (await world.json<{ data: Row[] }>('/cnas?grade=F')).data
  assert.is(worst.length, grade_distribution.F)
  assert.not.ok(worst.some(({ slug }) => slug === 'silent'))
  assert.ok(leaderboard.worst!.length > 0 && leaderboard.worst!.every(({ slug }) => slug !== 'silent'))
})

rule(27, 'a CNA that is not in the list but assigned records has its short name as name', async () => {
  const { cna_name, total_cves, overall_completeness, grade, ...rest } = await rowOf('un_listed')
  assert.equal([cna_name, total_cves, overall_completeness, grade], ['Un Listed', 3, 55, 'C'])
  const { country, organization_type, scope, advisories_url } = rest as Row & Record<string, unknown>
  assert.equal([country, organization_type, scope, advisories_url], [null, [], null, null])
  assert.equal(await rowOf('UN%20LISTED'), await rowOf('un_listed'))
  const { cna, data } = await world.json<{ cna: object; data: object[] }>('/cnas/un_listed/cves')
  assert.equal([cna, data.length], [{ slug: 'un_listed', cna_name: 'Un Listed' }, 3])
  const listed = await world.json<{ data: Row[] }>('/cnas?q=un%20listed')
  assert.equal(
    listed.data.map(({ slug }) => slug),
    ['un_listed'],
  )
  const { results } = await world.json<{ results: { cna: { id: string; label: string; href: string }[] } }>(
    '/search?q=un%20list',
  )
  assert.equal(
    results.cna.map(({ id, label, href }) => [id, label, href]),
    [['un_listed', 'Un Listed', '/cnas/un_listed']],
  )
  // So every CVE is counted, and every row of the directory.
  const { counts } = await world.json<{ counts: { cves: number; cnas: number } }>('/snapshot')
  assert.equal([summary.total_cves, summary.total_cnas], [counts.cves, counts.cnas])
})

rule(27, 'most_active ranks by the number of records of the last year', async () => {
  const most = leaderboard.most_active!.map(({ slug }) => slug)
  assert.equal(most.slice(0, 3), ['lively', 'better', 'worse'])
  assert.not.ok(most.includes('busy_once'))
  assert.is((await rowOf('busy_once')).recent_cves, 0)
  assert.is((await rowOf('lately')).recent_cves, 1)
})

rule(27, 'names of CNAs with the same key are one CNA', async () => {
  const { cna_name, total_cves } = await rowOf('big_corp')
  assert.equal([cna_name, total_cves], ['big corp Incorporated', 2])
  const { cna, data } = await world.json<{ cna: object; data: object[] }>('/cnas/big_corp/cves')
  assert.equal([cna, data.length], [{ slug: 'big_corp', cna_name: 'big corp Incorporated' }, 2])
})

rule(
  27,
  'keys come from claims of CNA, ADP and NVD, in lower case with _ for blanks; n/a and * are no vendor',
  async () => {
    const { data } = await world.json<{ data: { slug: string; cve_count: number; product_count: number }[] }>(
      '/vendors',
    )
    const counts = Object.fromEntries(data.map((row) => [row.slug, [row.cve_count, row.product_count]]))
    assert.equal(Object.keys(counts).sort(), ['acme', 'adp_vendor', 'big_vendor', 'nvd_vendor'])
    // Distinct CVEs, however many claims name it.
    assert.equal(counts.big_vendor, [2, 2])
    const products = await world.json<{ data: { slug: string; cve_count: number }[] }>('/vendors/big_vendor/products')
    assert.equal(
      products.data.map((row) => [row.slug, row.cve_count]),
      [
        ['other', 1],
        ['the_widget', 1],
      ],
    )
  },
)

contract.after(world.remove)
contract.run()
