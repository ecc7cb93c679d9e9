/** NVD: every form of configuration, metric and weakness; files as streams; and the real pages. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FeedItem } from '../../../../corpus/feeds/feed.ts'
import { scoredBy } from '../../../../corpus/feeds/nvd/metrics.ts'
import { type NvdBatch, openNvd, readNvdBatch } from '../../../../corpus/feeds/nvd/nvd.ts'
import type { CveClaim } from '../../../../corpus/model/claim.ts'
import { baseScore } from '../../../../corpus/model/scores/cvss-vector.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { REAL_FEEDS, suiteNeeding } from '../../../support/needs.ts'
import { affected, claim as stated } from '../../model/fixture.ts'
import { batchItems, errorOf as feedErrorOf, feedFile, readOptions } from '../reading.ts'

const folder = temporaryFolder('nvd')
let files = 0

function itemsOf(path: string, options = readOptions(path)): Promise<FeedItem[]> {
  return batchItems({ open: openNvd, readBatch: (batch) => readNvdBatch(batch as NvdBatch) }, feedFile(path), options)
}

function put(content: string | Uint8Array, name = 'x.json'): string {
  const path = join(folder.path, `${++files}-${name}`)
  writeFileSync(path, content)
  return path
}

const page = (vulnerabilities: unknown[]) =>
  JSON.stringify({ format: 'NVD_CVE', version: '2.0', timestamp: '2024-05-03T00:00:00.000', vulnerabilities })

const RECORD = { id: 'CVE-2024-0001', published: '2024-05-01T08:00:00.000', lastModified: '2024-05-02T08:00:00.123' }

async function claimItem(fields: Record<string, unknown>) {
  const [item] = await itemsOf(put(page([{ cve: { ...RECORD, ...fields } }])))
  assert.ok(item?.kind === 'claim')
  return { ...item, claim: JSON.parse(item.body) as CveClaim, notes: item.notes.map(({ code }) => code) }
}

const records = suite('records')

records('a record is a claim, its times without a zone are UTC', async () => {
  const { key, cveIds, statedAt, claim, notes } = await claimItem({
    descriptions: [
      { lang: 'es', value: 'Hola' },
      { lang: 'en', value: 'A fault.' },
    ],
    references: [
      { url: 'https://example.com/a', source: 'cve@mitre.org', tags: ['Patch', 'Vendor Advisory'] },
      { url: 'https://example.com/a', source: 'af854a3a-2127-422b-91ae-364da2661108', tags: ['Patch', 'Exploit'] },
      { url: 'https://example.com/b', source: 'cve@mitre.org' },
    ],
    affected: [{ source: 'secalert@redhat.com', affectedData: [{ vendor: 'Red Hat', product: 'x' }] }],
    cisaExploitAdd: '2024-05-01',
    vulnStatus: 'Deferred',
  })
  assert.equal([key, cveIds, statedAt, notes], ['CVE-2024-0001', ['CVE-2024-0001'], '2024-05-02T08:00:00.123Z', []])
  assert.equal(
    claim,
    stated({
      source: 'nvd',
      updatedAt: '2024-05-02T08:00:00.123Z',
      description: 'A fault.',
      references: [
        { url: 'https://example.com/a', name: null, tags: ['Patch', 'Vendor Advisory', 'Exploit'] },
        { url: 'https://example.com/b', name: null, tags: [] },
      ],
      nvdStatus: 'Deferred',
    }),
  )
})

records('a rejected one claims nothing, but is dated, so that it replaces what it said before', async () => {
  const { cveIds, statedAt, body } = await claimItem({
    vulnStatus: 'Rejected',
    descriptions: [{ lang: 'en', value: 'x' }],
  })
  assert.equal([cveIds, statedAt, body], [[], '2024-05-02T08:00:00.123Z', 'null'])
})

records('the primary weaknesses come first, and those without an id are none', async () => {
  const of = (value: string) => [{ lang: 'en', value }]
  const { claim } = await claimItem({
    weaknesses: [
      { source: 'cna@example.com', type: 'Secondary', description: of('CWE-20') },
      { source: 'nvd@nist.gov', type: 'Primary', description: [...of('NVD-CWE-noinfo'), ...of('CWE-79')] },
      { source: 'nvd@nist.gov', type: 'Primary', description: of('NVD-CWE-Other') },
      { source: 'x@example.com', type: 'Secondary', description: of('CWE-79') },
    ],
  })
  assert.equal(claim.weaknesses, ['cwe-79', 'cwe-20'])
})

records(
  'metrics of every version are read; only those of NVD have no other scorer; other keys are passed over',
  async () => {
    const metric = (vectorString: string, baseScore: number, source: string, baseSeverity?: string) => ({
      source,
      type: 'Primary',
      cvssData: { vectorString, baseScore, ...(baseSeverity && { baseSeverity }) },
    })
    const { claim, notes } = await claimItem({
      metrics: {
        ssvcV203: [{ source: '134c704f-9b21-4f2e-91b3-4a467353bcc0', ssvcData: {} }],
        cvssMetricV40: [metric('CVSS:4.0/AV:N', 9.3, 'security@example.co.uk', 'CRITICAL')],
        cvssMetricV31: [
          metric('CVSS:3.1/AV:N', 7.5, 'nvd@nist.gov', 'HIGH'),
          metric('CVSS:3.1/AV:L', 5, '134c704f-9b21-4f2e-91b3-4a467353bcc0', 'MEDIUM'),
          { source: 'nvd@nist.gov' },
        ],
        cvssMetricV30: [metric('CVSS:3.0/AV:N', 9, 'psirt@us.ibm.com', 'LOW')],
        cvssMetricV2: [{ ...metric('AV:N', 6.4, 'nvd@nist.gov'), baseSeverity: 'MEDIUM' }],
      },
    })
    assert.equal(
      claim.metrics.map((one) => [
        one.version,
        one.baseScore,
        one.baseSeverity,
        one.vector,
        one.scoredBy,
        one.statedAt,
      ]),
      [
        ['4.0', 9.3, 'CRITICAL', 'CVSS:4.0/AV:N', 'example', null],
        ['3.1', 7.5, 'HIGH', 'CVSS:3.1/AV:N', null, null],
        ['3.1', 5, 'MEDIUM', 'CVSS:3.1/AV:L', 'CISA-ADP', null],
        ['3.0', 9, 'LOW', 'CVSS:3.0/AV:N', 'ibm', null],
        ['2.0', 6.4, 'MEDIUM', 'AV:N', null, null],
      ],
    )
    assert.equal(notes, ['cvss-unreadable', 'severity-differs-from-score'])
  },
)

records('who scored is named by the domain of the address, as far as there is one', () => {
  const names = {
    'nvd@nist.gov': null,
    'audit@patchstack.com': 'patchstack',
    'vultures@jpcert.or.jp': 'jpcert',
    'cert@cert.pl': 'cert',
    'security@go.dev': 'go',
    'a@co.uk': 'co',
    'AF854A3A-2127-422B-91AE-364DA2661108': 'CVE',
    'f81092c5-7f14-476d-80dc-24857f90be84': 'f81092c5-7f14-476d-80dc-24857f90be84',
  }
  for (const [source, name] of Object.entries(names)) assert.is(scoredBy(source), name, source)
  assert.is(scoredBy(null), 'unknown')
})

records.run()

const configurations = suite('configurations')

const cpe = (vendor: string, product: string, rest = '*') =>
  `cpe:2.3:a:${vendor}:${product}:${[...rest.split(':'), ...Array(8).fill('*')].slice(0, 8).join(':')}`
const match = (criteria: string, bounds: object = {}, vulnerable = true) => ({ vulnerable, criteria, ...bounds })
const node = (...cpeMatch: object[]) => ({ operator: 'OR', negate: false, cpeMatch })

async function affectedOf(...stated: object[]) {
  const { claim, notes } = await claimItem({ configurations: stated })
  return { entries: claim.affected, notes }
}

configurations('matches of one product are one entry, bounds are ranges, exact versions are listed', async () => {
  const widget = (rest: string, bounds?: object) => match(cpe('acme', 'widget', rest), bounds)
  const { entries, notes } = await affectedOf(
    {
      nodes: [
        node(
          widget('*', { versionEndExcluding: '1.2' }),
          widget('*', { versionStartIncluding: '2.0', versionEndExcluding: '2.3' }),
          widget('*', { versionStartIncluding: '3.0', versionEndIncluding: '3.4' }),
          widget('*', { versionStartIncluding: '5.0' }),
        ),
      ],
    },
    { nodes: [node(widget('4.0'), widget('4.1:-'), widget('4.1:sp1'), widget('4.0'), widget('\\-1\\!'))] },
  )
  assert.equal(notes, [])
  assert.equal(entries, [
    affected({
      source: 'nvd',
      vendor: 'acme',
      product: 'widget',
      affected_versions: ['4.0', '4.1', '4.1 sp1', '-1!'],
      affected_ranges: [
        { introduced: '0', fixed: '1.2', version_type: null },
        { introduced: '2.0', fixed: '2.3', version_type: null },
        { introduced: '3.0', fixed: null, version_type: null, last_affected: '3.4' },
        { introduced: '5.0', fixed: null, version_type: null },
      ],
      cpes: [
        cpe('acme', 'widget'),
        ...['4.0', '4.1:-', '4.1:sp1', '\\-1\\!'].map((rest) => cpe('acme', 'widget', rest)),
      ],
      updated_at: '2024-05-02T08:00:00.123Z',
    }),
  ])
})

configurations('any version is a range without end, a product without versions states none', async () => {
  const { entries } = await affectedOf({ nodes: [node(match(cpe('acme', 'any')), match(cpe('acme', 'none', '-')))] })
  assert.equal(
    entries.map((one) => [one.product, one.affected_versions, one.affected_ranges]),
    [
      ['any', null, [{ introduced: '0', fixed: null, version_type: null }]],
      ['none', null, null],
    ],
  )
})

configurations(
  'a version that is itself not affected does not begin a range: its bounds are said in words',
  async () => {
    const bounded = (bounds: object) => match(cpe('acme', 'widget'), { versionStartExcluding: '1.0', ...bounds })
    const { entries } = await affectedOf({
      nodes: [node(bounded({ versionEndExcluding: '1.2' }), bounded({ versionEndIncluding: '1.3' }), bounded({}))],
    })
    assert.equal(
      entries.map((one) => [one.affected_versions, one.affected_ranges, one.patched_versions]),
      [[['> 1.0, < 1.2', '> 1.0, <= 1.3', '> 1.0'], null, ['1.2']]],
    )
  },
)

configurations('a product that is not vulnerable is never affected; in an AND it is a platform', async () => {
  const { entries } = await affectedOf(
    {
      operator: 'AND',
      nodes: [
        node(match(cpe('acme', 'firmware', '1.0'))),
        node(match(cpe('acme', 'box', '-'), {}, false), match(cpe('microsoft', 'windows', '10:sp1'), {}, false)),
      ],
    },
    { nodes: [node(match(cpe('acme', 'firmware', '2.0')), match(cpe('acme', 'other'), {}, false))] },
  )
  assert.equal(
    entries.map((one) => [one.product, one.platforms, one.affected_versions]),
    [
      ['firmware', ['acme box', 'microsoft windows 10 sp1'], ['1.0']],
      ['firmware', null, ['2.0']],
    ],
  )
})

configurations(
  'names are unescaped, target software and hardware are platforms, editions are one product',
  async () => {
    const { entries } = await affectedOf({
      nodes: [
        node(
          match(cpe('yahoo\\!', 'c\\+\\+', '*:*:*:*:*:node.js:x64')),
          match(cpe('gitlab', 'gitlab', '1.0:*:*:*:community')),
          match(cpe('gitlab', 'gitlab', '1.0:*:*:*:enterprise')),
        ),
      ],
    })
    assert.equal(
      entries.map((one) => [one.vendor, one.product, one.platforms, one.affected_versions, one.cpes?.length]),
      [
        ['yahoo!', 'c++', ['node.js', 'x64'], null, 1],
        ['gitlab', 'gitlab', null, ['1.0'], 2],
      ],
    )
  },
)

configurations('a negated node and a name that is no CPE are left out and noted', async () => {
  const { entries, notes } = await affectedOf(
    { nodes: [{ ...node(match(cpe('acme', 'widget'))), negate: true }] },
    { nodes: [node(match('cpe:/a:acme:widget'))] },
  )
  assert.equal([entries, notes], [[], ['range-unreadable', 'range-unreadable']])
})

configurations.run()

const stream = suite('files')

stream('a file is read record by record, gzipped or not, and what is no record is skipped by name', async () => {
  const content = page([{ cve: RECORD }, { cve: { id: 'nonsense' } }, 5, { cve: { ...RECORD, id: 'cve-2024-0002' } }])
  const expected = [
    'CVE-2024-0001',
    'nonsense: its id is not a CVE id: "nonsense"',
    'record 3: it is not an object with "cve": 5',
    'CVE-2024-0002',
  ]
  for (const path of [put(content), put(gzipSync(content), 'x.json.gz')]) {
    const items = await itemsOf(path)
    assert.equal(
      items.map((item) => (item.kind === 'skip' ? `${item.key}: ${item.detail}` : item.key)),
      expected,
    )
  }
})

stream('a record that the corpus has already is known by its digest', async () => {
  const path = put(page([{ cve: RECORD }, { cve: { ...RECORD, id: 'CVE-2024-0002' } }]))
  const [first] = await itemsOf(path)
  assert.ok(first?.kind === 'claim')
  const known = { ...readOptions(path), digestOf: (key: string) => (key === first.key ? first.digest : null) }
  assert.equal(
    (await itemsOf(path, known)).map(({ kind, key }) => [kind, key]),
    [
      ['known', 'CVE-2024-0001'],
      ['claim', 'CVE-2024-0002'],
    ],
  )
})

stream('a record is found by its id at any position', async () => {
  const nested = { tags: [{ id: 'CVE-2024-0009' }], ...RECORD }
  const late = { text: 'x'.repeat(600), ...RECORD }
  const path = put(page([{ cve: late }, { cve: nested }, { cve: RECORD }]))
  const [, , usual] = await itemsOf(path)
  assert.ok(usual?.kind === 'claim')
  const asked: string[] = []
  const digestOf = (key: string) => {
    asked.push(key)
    return asked.length === 1 ? usual.digest : null
  }
  // The last copy equals the corpus, but only until the first is staged.
  const kinds = (await itemsOf(path, { ...readOptions(path), digestOf })).map(({ kind }) => kind)
  assert.equal([asked, kinds], [Array(3).fill(RECORD.id), ['claim', 'claim', 'claim']])
})

stream('a record that states two ids is left out', async () => {
  const twice = JSON.stringify({ ...RECORD, ID: 'CVE-2024-0002' }).replace('"ID"', '"id"')
  const [item] = await itemsOf(put(page([]).replace('[]', `[{"cve":${twice}}]`)))
  assert.equal(item, {
    kind: 'skip',
    key: 'CVE-2024-0002',
    reason: 'item_invalid',
    detail: 'it has two ids: CVE-2024-0001 and CVE-2024-0002',
  })
})

const errorOf = async (path: string) => (await feedErrorOf(() => itemsOf(path))).replace(/(?<=: )\d+-/, '')

stream('a file that ends early, is damaged, or is nothing of the kind is an error', async () => {
  const content = page([{ cve: RECORD }])
  assert.is(await errorOf(put(content.slice(0, -1))), 'file_damaged: x.json ends in the middle of its JSON')
  assert.is(await errorOf(put('')), 'file_damaged: x.json ends in the middle of its JSON')
  assert.match(
    await errorOf(put(gzipSync(content).subarray(0, -9), 'x.json.gz')),
    /^file_damaged: x\.json\.gz cannot be read/,
  )
  assert.match(await errorOf(put(`${content}x`)), /^file_invalid: x\.json is not JSON/)
  assert.is(
    await errorOf(put('{"CVE_Items":[]}')),
    'file_invalid: x.json is not an NVD file: its format is undefined, not NVD_CVE',
  )
})

stream(
  'a file with another number of records than it states is an error; a page has a part of all results',
  async () => {
    const counts = (resultsPerPage: number, totalResults: number, name?: string) =>
      errorOf(
        put(
          JSON.stringify({ resultsPerPage, totalResults, format: 'NVD_CVE', vulnerabilities: [{ cve: RECORD }] }),
          name,
        ),
      )
    assert.is(await counts(1, 1), 'no error')
    assert.is(await counts(1, 40), 'no error')
    assert.is(await counts(1, 0), 'file_invalid: x.json has 1 records, but its totalResults is 0')
    assert.is(await counts(2, 2), 'file_invalid: x.json has 1 records, but its resultsPerPage is 2')
    const feed = 'nvdcve-2.0-2024.json'
    assert.is(await counts(1, 1, feed), 'no error')
    assert.is(await counts(1, 40, feed), `file_invalid: ${feed} has 1 records, but its totalResults is 40`)
  },
)

stream.run()

const real = suiteNeeding('real pages', 'real feeds')

async function realFigures(name: string) {
  const items = await itemsOf(join(REAL_FEEDS, 'nvd', name))
  const claims = items.map((item) => {
    assert.ok(item.kind === 'claim')
    assert.equal(item.notes, [])
    return JSON.parse(item.body) as CveClaim
  })
  const affected = claims.flatMap((claim) => claim.affected)
  const metrics = claims.flatMap((claim) => claim.metrics)
  for (const { vector, baseScore: stated } of metrics) assert.is(baseScore(vector)?.score, stated, vector)
  return {
    records: claims.length,
    withEntries: claims.filter((claim) => claim.affected.length > 0).length,
    entries: affected.length,
    fixed: affected.flatMap(({ affected_ranges }) => affected_ranges ?? []).filter(({ fixed }) => fixed !== null)
      .length,
    metrics: metrics.length,
    byNvd: metrics.filter((metric) => metric.scoredBy === null).length,
    references: claims.flatMap((claim) => claim.references).length,
  }
}

// The counts were computed with jq: an entry for each vendor and product of a record, a reference for each URL.
real('the page of the API', async () => {
  assert.equal(await realFigures('nvd-api-2.0-page-2023-10-18.json'), {
    records: 38,
    withEntries: 25,
    entries: 25,
    fixed: 15,
    metrics: 48,
    byNvd: 24,
    references: 56,
  })
})

real('the file in the form of the feeds', async () => {
  assert.equal(await realFigures('nvdcve-2.0-sample.json.gz'), {
    records: 62,
    withEntries: 47,
    entries: 65,
    fixed: 42,
    metrics: 88,
    byNvd: 52,
    references: 232,
  })
})

real('no CPE of the real files is lost, and no other is claimed', async () => {
  const path = join(REAL_FEEDS, 'nvd/nvdcve-2.0-sample.json.gz')
  const text = gunzipSync(readFileSync(path)).toString('utf8')
  const stated = [...text.matchAll(/"vulnerable": true,\s+"criteria": "([^"]+)"/g)].map((found) =>
    JSON.parse(`"${found[1]}"`),
  )
  const items = await itemsOf(path)
  const claimed = items.flatMap((item) => (item.kind === 'claim' ? (JSON.parse(item.body) as CveClaim).affected : []))
  const cpes = new Set(claimed.flatMap((entry) => entry.cpes ?? []))
  assert.equal([...cpes].sort(), [...new Set(stated)].sort())
})
real.after(folder.remove)

real.run()
