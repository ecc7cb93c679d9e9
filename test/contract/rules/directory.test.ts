/** Rule 27 of RULES.md: CNAs that are not in the list, and the keys of CNAs, vendors and products. */
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { cnaJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { container, cveList, ghsaZip, nvdPage, nvdRecord, osvEntry, type UpstreamRecord } from '../support/upstream.ts'

interface Row {
  slug: string
  cna_name: string
  grade: string | null
  total_cves: number
  overall_completeness: number | null
}
interface Stats {
  summary: { total_cnas: number; total_cves: number }
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

const product = (more: object = {}) => [
  { vendor: 'Acme', product: 'Widget', versions: [{ version: '1', status: 'affected' }], ...more },
]
const CWE = { problemTypes: [{ descriptions: [{ lang: 'en', cweId: 'CWE-79', description: 'CWE-79' }] }] }

const world = await openWorld({
  ...cveList([
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
  'cna/CNAsList.json': cnaJson(['big corp', 'silent', 'names']),
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
const { summary } = await world.json<Stats>('/cnas/stats')

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
