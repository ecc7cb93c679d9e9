/** gateway/API.md, section 29: `/affected?cpe=`, on hand-written records of NVD and the CVE list. */
import * as assert from 'uvu/assert'
import type { AffectedRow } from '../../../corpus/model/packages/affected-row.ts'
import { epssCsv, kevJson } from '../../support/feeds.ts'
import { expectPaging, openRefusing } from '../support/checks.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import { container, cveList, cveMetric, nvdPage, nvdRecord, osvEntry, osvZip } from '../support/upstream.ts'

const { states, rule, after, run } = contractSuite('GET /affected of a CPE name')

const match = (criteria: string, bounds: object = {}) => ({
  vulnerable: true,
  criteria: `cpe:2.3:${criteria}`,
  ...bounds,
})
const configured = (...cpeMatch: object[]) => ({ configurations: [{ nodes: [{ operator: 'OR', cpeMatch }] }] })
const WIDGET = 'a:acme:widget'
const rest = ':*:*:*:*:*:*:*'

type Id =
  | 'CVE-2024-0001'
  | 'CVE-2024-0002'
  | 'CVE-2024-0003'
  | 'CVE-2024-0004'
  | 'CVE-2024-0005'
  | 'CVE-2024-0006'
  | 'CVE-2024-0007'
  | 'CVE-2024-0008'
  | 'CVE-2024-0009'

const stated = (id: Id, affected: object[], severe = true) => ({
  id,
  cna: { ...container('acme'), affected, title: `Title of ${id}`, metrics: severe ? [cveMetric('3.1')] : [] },
})
const OTHER = [{ vendor: 'Other', product: 'Thing', versions: [{ version: '1.0', status: 'affected' }] }]

/** The first four are of the widget, in the order of `/affected` for version 1.5. */
const world = await openWorld({
  ...cveList([
    stated('CVE-2024-0001', OTHER),
    stated('CVE-2024-0002', [
      { vendor: 'ACME', product: 'Widget', versions: [{ version: '1.0', lessThan: '1.6', status: 'affected' }] },
    ]),
    stated('CVE-2024-0003', OTHER),
    stated(
      'CVE-2024-0004',
      [{ vendor: 'Acme', product: 'Widget', versions: [{ version: 'before 2', status: 'affected' }] }],
      false,
    ),
    stated('CVE-2024-0005', OTHER),
    {
      id: 'CVE-2024-0006',
      cna: {
        affected: OTHER,
        cpeApplicability: [
          {
            nodes: [
              {
                operator: 'OR',
                negate: false,
                cpeMatch: [
                  match(`a:acme:gadget:*:*:*:*:*:wordpress:*:*`, {
                    versionStartIncluding: '140.0',
                    versionEndExcluding: '145.0.1',
                  }),
                  match(`a:acme:gadget:*:*:*:*:*:joomla:*:*`, { versionEndIncluding: '99.0' }),
                  match(`a:acme:gadget:6.19:rc2:*:*:*:*:*:*`),
                ],
              },
            ],
          },
        ],
      },
    },
    stated('CVE-2024-0007', [
      {
        vendor: 'Acme',
        product: 'Office',
        versions: [{ version: '19.0.0', lessThan: 'https://acme.example/releases', status: 'affected' }],
      },
    ]),
    stated('CVE-2024-0009', [
      {
        vendor: 'Fortinet',
        product: 'Fortinet FortiOS, FortiProxy',
        versions: [{ version: 'FortiOS 7.0.0, FortiProxy 7.0.6', status: 'affected' }],
      },
    ]),
    {
      id: 'CVE-2024-0008',
      cna: {
        affected: [
          {
            vendor: 'Acme',
            product: 'Photo',
            defaultStatus: 'affected',
            versions: [{ version: '0', lessThanOrEqual: '24.0.1', status: 'affected', versionType: 'semver' }],
          },
        ],
      },
      adp: [
        container('CISA-ADP', {
          affected: [
            {
              vendor: 'acme',
              product: 'photo',
              cpes: [`cpe:2.3:a:acme:photo:*${rest}`],
              versions: [
                { version: '0', lessThan: '24.0.1', status: 'affected' },
                { version: '25.0-rc1', lessThan: '25.0.1', status: 'affected' },
              ],
            },
          ],
        }),
      ],
    },
  ]),
  'nvd/nvdcve-2.0-2024.json': nvdPage([
    nvdRecord('CVE-2024-0001', configured(match(`${WIDGET}:*${rest}`, { versionEndExcluding: '2.0' }))),
    nvdRecord(
      'CVE-2024-0003',
      configured(
        match(`${WIDGET}:*:*:*:*:*:wordpress:*:*`, { versionEndIncluding: '1.5' }),
        match(`${WIDGET}:3.0:beta:*:*:*:*:*:*`),
      ),
    ),
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson(['CVE-2024-0001']),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv(
    [
      ['CVE-2024-0002', 0.5, 0.9],
      ['CVE-2024-0003', 0.25, 0.8],
    ],
    '2024-06-01',
  ),
  ...osvZip([osvEntry('GHSA-kkkk-kkkk-kkkk', ['CVE-2024-0001'], { affected: [] })], 'npm'),
})
const refusing = await openRefusing(world, 'CVE-2024-0001')

interface Page {
  query: Record<string, unknown>
  data: AffectedRow[]
  pagination: { limit: number; next_cursor: string | null }
}

const pathOf = (cpe: string, more: Record<string, string> = {}) => `/affected?${new URLSearchParams({ cpe, ...more })}`
const page = (cpe: string) => world.json<Page>(pathOf(cpe))
const widget = (version: string) => `cpe:2.3:${WIDGET}:${version}${rest}`
const verdicts = async (cpe: string) =>
  Object.fromEntries((await page(cpe)).data.map(({ cve_ids, verdict }) => [cve_ids[0]!.slice(-1), verdict]))
const ORDER = ['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003', 'CVE-2024-0004']
const rows = new Map((await page(widget('1.5'))).data.map((row) => [row.advisory_id, row]))

states('29.30', 'a formatted string or a URI, alone', async () => {
  for (const cpe of [widget('1.5'), 'cpe:/a:acme:widget:1.5', 'CPE:/A:ACME:Widget:1.5']) {
    assert.equal(
      (await page(cpe)).data.map(({ advisory_id }) => advisory_id),
      ORDER,
      cpe,
    )
  }
  for (const [name, value] of Object.entries({ purl: 'pkg:npm/a', ecosystem: 'npm', name: 'a', version: '1' })) {
    const { status, body } = await world.ask(pathOf(widget('1.5'), { [name]: value }))
    assert.is(status, 400)
    assert.match((body as { message: string }).message, `parameter '${name}' cannot be combined with 'cpe'`)
  }
})

states('29.31', 'a malformed name, and one without vendor or product', async () => {
  const cases: [cpe: string, states: RegExp][] = [
    ['acme widget', /begins neither with/],
    ['cpe:2.3:a:acme:widget:1.0', /attribute 'update' is missing/],
    [widget('1?0'), /attribute 'version' has '\?' within its value/],
    [`cpe:2.3:a:acme:wid get:1${rest}`, /attribute 'product' has a blank.*%2B/],
    [`cpe:2.3:a:*:widget:1${rest}`, /attribute 'vendor' must be a name/],
    ['cpe:/a:acme', /attribute 'product' must be a name/],
    [`cpe:2.3:a:acme:wid*:1${rest}`, /attribute 'product' must be a name/],
  ]
  for (const [cpe, message] of cases) {
    const { status, body } = await world.ask(pathOf(cpe))
    assert.is(status, 400, cpe)
    assert.is((body as { error: string }).error, 'invalid_parameter')
    assert.match((body as { message: string }).message, message)
  }
})

states('29.32', 'the query, and an unknown product', async () => {
  const { query } = await page(widget('1.5'))
  const same = { purl: null, ecosystem: null, name: 'acme/widget', matched_source: null, indexed: true }
  assert.equal(query, { ...same, cpe: widget('1.5'), version: '1.5' })
  assert.equal((await page(widget('*'))).query, { ...same, cpe: widget('*'), version: null })
  for (const product of ['acme:unknown', 'unknown:widget']) {
    const { query, data, pagination } = await page(`cpe:/a:${product}:1.0`)
    const name = product.replace(':', '/')
    assert.equal(query, { ...same, cpe: `cpe:/a:${product}:1.0`, name, version: '1.0', indexed: false })
    assert.equal([data, pagination.next_cursor], [[], null])
  }
})

states('29.33', 'statements of NVD, CNA and ADPs', async () => {
  assert.equal(await verdicts(widget('1.5')), { 1: 'affected', 2: 'affected', 3: 'affected', 4: 'undecided' })
  assert.equal(await verdicts(widget('1.6')), { 1: 'affected', 4: 'undecided' })
  assert.equal(await verdicts(widget('2.0')), { 4: 'undecided' })
  assert.equal(await verdicts(widget('2.0-rc1')), { 1: 'affected', 4: 'undecided' })
  assert.equal(await verdicts(`cpe:2.3:${WIDGET}:3.0:beta:*:*:*:*:*:*`), { 3: 'affected', 4: 'undecided' })
  assert.equal(await verdicts(`cpe:2.3:${WIDGET}:1.5:*:*:*:*:joomla:*:*`), {
    1: 'affected',
    2: 'affected',
    4: 'undecided',
  })
  assert.equal(await verdicts(`cpe:2.3:o:acme:widget:1.5${rest}`), { 2: 'affected', 4: 'undecided' })
})

states('29.33', 'the CPE applicability of a CVE record, by edition', async () => {
  const gadget = (version: string, target = '*') => `cpe:2.3:a:acme:gadget:${version}:*:*:*:*:${target}:*:*`
  assert.equal(await verdicts(gadget('140.0.1')), { 6: 'affected' })
  assert.equal(await verdicts(gadget('140.0.1', 'wordpress')), { 6: 'affected' })
  assert.equal(await verdicts(gadget('140.0.1', 'joomla')), {})
  assert.equal(await verdicts(gadget('98.0', 'joomla')), { 6: 'affected' })
  assert.equal(await verdicts(gadget('145.0.1')), {})
  assert.equal(await verdicts('cpe:2.3:a:acme:gadget:6.19:rc2:*:*:*:drupal:*:*'), { 6: 'affected' })
  const [row] = (await page(gadget('140.0.1'))).data
  assert.equal(row!.matched_by, {
    kind: 'cpe',
    introduced: '140.0',
    fixed: '145.0.1',
    last_affected: null,
    source: 'cna',
  })
})

states('29.32', 'each product of a list is indexed', async () => {
  for (const product of ['fortios', 'fortiproxy', 'fortinet_fortios']) {
    const { query, data } = await page(`cpe:/o:fortinet:${product}:7.0.0`)
    assert.is(query.indexed, true, product)
    // Its versions have no order.
    assert.equal(
      data.map(({ cve_ids, verdict }) => [...cve_ids, verdict]),
      [['CVE-2024-0009', 'undecided']],
      product,
    )
  }
  assert.is((await page('cpe:/o:fortinet:fortimail:1')).query.indexed, false)
})

states('29.33', 'a range up to an address is undecided', async () => {
  const [row] = (await page('cpe:/a:acme:office:19.0.1')).data
  assert.equal([row!.verdict, row!.fixed_versions], ['undecided', []])
  const { evidence } = await world.json<{ evidence: unknown[] }>('/cves/CVE-2024-0007/evidence?type=mitigation')
  assert.equal(evidence, [])
})

states('29.28', 'no fixed version is affected', async () => {
  const photo = async (version: string) => (await page(`cpe:/a:acme:photo:${version}`)).data[0]
  assert.equal([(await photo('24.0'))!.verdict, (await photo('24.0'))!.fixed_versions], ['affected', []])
  assert.is((await photo('24.0.1'))!.matched_by!.source, 'cna')
})

states('29.34', 'without a version, every CVE of the product, undecided', async () => {
  for (const cpe of ['cpe:/a:acme:widget', widget('*')]) {
    assert.equal(await verdicts(cpe), { 1: 'undecided', 2: 'undecided', 3: 'undecided', 4: 'undecided' })
  }
})

states('29.35', 'the fields of a row', async () => {
  assert.equal(rows.get('CVE-2024-0001'), {
    advisory_id: 'CVE-2024-0001',
    aliases: ['GHSA-kkkk-kkkk-kkkk'],
    cve_ids: ['CVE-2024-0001'],
    summary: 'Title of CVE-2024-0001',
    severity: rows.get('CVE-2024-0001')!.severity,
    cvss_score: rows.get('CVE-2024-0001')!.cvss_score,
    kev: true,
    epss: null,
    has_exploit: rows.get('CVE-2024-0001')!.has_exploit,
    stated_severity: null,
    urgency: null,
    verdict: 'affected',
    undecided_reason: null,
    matched_by: { kind: 'cpe', introduced: '0', fixed: '2.0', last_affected: null, source: 'nvd' },
    fixed_versions: ['2.0'],
    published_at: rows.get('CVE-2024-0001')!.published_at,
    modified_at: rows.get('CVE-2024-0001')!.modified_at,
  })
  const record = await world.json<Record<string, unknown>>('/cves/CVE-2024-0001')
  const { severity, cvss_score, has_exploit, published_at, modified_at } = rows.get('CVE-2024-0001')!
  assert.equal(
    [severity, cvss_score, has_exploit, published_at, modified_at],
    [record.severity, record.cvss_score, record.has_exploit, record.date_published, record.date_updated],
  )
  assert.is(rows.get('CVE-2024-0002')!.matched_by!.source, 'cna')
  assert.is(rows.get('CVE-2024-0004')!.matched_by, null)
  const beta = (await page(`cpe:2.3:${WIDGET}:3.0:beta:*:*:*:*:*:*`)).data[0]!
  assert.equal(beta.matched_by, { kind: 'cpe', introduced: null, fixed: null, last_affected: null, source: 'nvd' })
})

states('29.4', 'pages of a product', async () => {
  await expectPaging(world, pathOf(widget('1.5')))
  const { pagination } = await world.json<Page>(pathOf(widget('1.5'), { limit: '1' }))
  const other = await world.ask(pathOf(widget('1.6'), { cursor: pagination.next_cursor! }))
  assert.equal([other.status, (other.body as { error: string }).error], [400, 'invalid_cursor'])
})

states('29.18', 'rows above the tier of the caller', () => refusing.expectAlways(pathOf(widget('1.5'))))

rule(9, 'an unknown product is no error', async () => {
  assert.equal((await page('cpe:/a:nobody:nothing')).data, [])
})

after(async () => {
  await refusing.close()
  await world.remove()
})
run()
