/** Rules 19, 21, 29 and 30 of RULES.md: titles, weaknesses, linked advisories, dates and references. */
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { kevJson } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  container,
  cveList,
  cweXml,
  cweXmlEntry,
  ghsaZip,
  nvdPage,
  nvdRecord,
  osvEntry,
  osvZip,
  UPDATED,
} from '../support/upstream.ts'

interface Core {
  title: string | null
  description: string | null
  primary_cwe_id: string | null
  date_published: string | null
  date_updated: string | null
  assigner: string | null
  kev: { date_added: string }
}
interface Reference {
  url: string
  name: string | null
  tags: string[]
  sources: string[]
}

const contract = contractSuite('rules, records')
const { rule } = contract

const id = (n: number): CveId => `CVE-2024-${String(n).padStart(4, '0')}`
const english = (value: string, lang = 'en') => ({ lang, value })
const cwes = (...ids: string[]) => ({
  problemTypes: [{ descriptions: ids.map((cweId) => ({ lang: 'en', cweId, description: cweId })) }],
})
const typed = (description: string) => ({ problemTypes: [{ descriptions: [{ lang: 'en', description }] }] })
const weaknesses = (...list: [type: string, value: string][]) => ({
  weaknesses: list.map(([type, value]) => ({ source: 'x', type, description: [english(value)] })),
})
const named = (vendor: string, product: string) => [
  { vendor, product, versions: [{ version: '1', status: 'affected' }] },
]
const LONG = `${'word '.repeat(40)}end. Second sentence.`
const advisory = (id: string, cve: CveId, published: string, more: object = {}, specific: object = {}) =>
  osvEntry(id, [cve], {
    published,
    summary: id,
    database_specific: { github_reviewed: true, severity: 'HIGH', ...specific },
    ...more,
  })
const url = (name: string) => `https://acme.example/${name}`

const world = await openWorld({
  ...cveList([
    { id: id(1), cna: { title: 'A title of its own', ...cwes('CWE-79') } },
    { id: id(2), cna: { ...cwes('CWE-79'), affected: [...named('Acme', 'Widget'), ...named('Other', 'Thing')] } },
    { id: id(3), cna: { affected: named('Acme', 'n/a'), ...cwes('CWE-79') } },
    { id: id(4), cna: { affected: named('Acme', 'Widget') } },
    { id: id(5), cna: { affected: undefined, descriptions: [english('A fault, e.g. in a parser. Second sentence.')] } },
    { id: id(6), cna: { affected: undefined, descriptions: [english(LONG)] } },
    { id: id(7), cna: { affected: named('n/a', 'n/a'), ...cwes('CWE-79') } },
    { id: id(8), cna: { affected: named('acme', 'Acme Widget') } },
    { id: id(9), cna: { affected: named('Acme', 'Acmeter') } },
    { id: id(10), cna: cwes('CWE-20', 'CWE-79'), adp: [container('CISA-ADP', cwes('CWE-89'))] },
    { id: id(11), adp: [container('CISA-ADP', cwes('CWE-89'))] },
    { id: id(12) },
    { id: id(13), cna: typed('CWE-79 Cross-site scripting, related to CWE 89') },
    { id: id(14), cna: typed('Something (CWE 89)') },
    { id: id(15), cna: cwes('CWE-1000', 'CWE-79') },
    { id: id(16), cna: cwes('CWE-1000'), adp: [container('CISA-ADP', cwes('CWE-89'))] },
    { id: id(17), cna: cwes('CWE-1000', 'CWE-1001') },
    { id: id(18), cna: typed('a problem of no number') },
    { id: id(19), cna: cwes('CWE-20') },
    ...[20, 21, 22, 23].map((n) => ({ id: id(n) })),
    {
      id: id(30),
      cna: {
        title: ' ',
        descriptions: [english('Ein Fehler.', 'de'), english('A fault.', 'en-US'), english('Other.')],
      },
      metadata: { datePublished: '2024-05-01T08:00:00', dateUpdated: '2024-05-02T10:00:00+02:00' },
    },
    { id: id(31), cna: { descriptions: [english('Ein Fehler.', 'de'), english('Une faute.', 'fr')] } },
    {
      id: id(40),
      cna: {
        references: [
          { url: url('a'), name: 'The advisory', tags: ['vendor-advisory', 'x_transferred'] },
          { url: url('b') },
          { url: url('a'), tags: ['patch'] },
        ],
      },
      adp: [
        {
          ...container('CVE'),
          title: 'CVE Program Container',
          references: [{ url: url('c'), tags: ['x_transferred'] }],
        },
        container('CISA-ADP', { references: [{ url: url('b'), tags: ['exploit'] }] }),
      ],
    },
    { id: id(41) },
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson([id(1)]),
  'cwe/cwec_v4.15.xml': cweXml(
    [20, 79, 89].map((n) => cweXmlEntry(n)).join(''),
    '<Categories><Category ID="1000" Name="x" Status="Draft"/><Category ID="1001" Name="y" Status="Draft"/></Categories>',
  ),
  'nvd/page.json': nvdPage([
    nvdRecord(id(10), weaknesses(['Primary', 'CWE-22'])),
    nvdRecord(id(11), weaknesses(['Primary', 'CWE-79'])),
    nvdRecord(id(19), weaknesses(['Primary', 'CWE-79'])),
    nvdRecord(id(12), weaknesses(['Secondary', 'CWE-89'], ['Primary', 'NVD-CWE-noinfo'], ['Primary', 'CWE-79'])),
    nvdRecord(id(17), weaknesses(['Primary', 'CWE-20'])),
    nvdRecord(id(40), { references: [{ url: url('b'), tags: ['Third Party Advisory'] }] }),
  ]),
  ...ghsaZip([
    advisory('GHSA-2222-2222-2222', id(20), '2024-01-01T00:00:00Z', { withdrawn: '2024-02-01T00:00:00Z' }),
    advisory('GHSA-2222-2222-2223', id(20), '2024-01-02T00:00:00Z', {}, { github_reviewed: false }),
    advisory('GHSA-2222-2222-2224', id(21), '2024-01-01T00:00:00Z', {}, { github_reviewed: false }),
    advisory('GHSA-2222-2222-2225', id(21), '2024-01-02T00:00:00Z'),
    advisory('GHSA-2222-2222-2226', id(22), '2024-01-03T00:00:00Z'),
    advisory('GHSA-2222-2222-2227', id(22), '2024-01-02T00:00:00Z'),
    advisory('GHSA-2222-2222-2229', id(23), '2024-01-02T00:00:00Z'),
    advisory('GHSA-2222-2222-2228', id(23), '2024-01-02T00:00:00Z'),
    advisory('GHSA-3333-3333-3333', id(10), '2024-01-02T00:00:00Z', {}, { cwe_ids: ['CWE-502'] }),
    advisory('GHSA-3333-3333-3334', id(40), '2024-01-02T00:00:00Z', { references: [{ type: 'WEB', url: url('d') }] }),
  ]),
  ...osvZip([
    osvEntry('OSV-2024-1', [id(40)], {
      references: [
        { type: 'WEB', url: url('d') },
        { type: 'FIX', url: url('e') },
      ],
    }),
    osvEntry('OSV-2024-2', [id(41)], {
      withdrawn: '2024-05-07T00:00:00Z',
      references: [{ type: 'WEB', url: url('f') }],
    }),
    osvEntry('OSV-2024-3', [], { related: [id(41)], references: [{ type: 'WEB', url: url('g') }] }),
  ]),
})

const coreOf = (n: number) => world.json<Core>(`/cves/${id(n)}`)
const primary = async (...numbers: number[]) => Promise.all(numbers.map(async (n) => (await coreOf(n)).primary_cwe_id))
const titles = async (...numbers: number[]) => Promise.all(numbers.map(async (n) => (await coreOf(n)).title))
const mapped = async (cwe: number, scope: string) =>
  (await world.json<{ data: { cve_id: string }[] }>(`/cwes/${cwe}/cves?scope=${scope}`)).data.map(
    ({ cve_id }) => cve_id,
  )
const referencesOf = async (n: number) =>
  (await world.json<{ references: Reference[] }>(`/cves/${id(n)}/references`)).references

rule(19, 'the title comes from the CNA, else from vendor, product and weakness', async () => {
  assert.equal(await titles(1, 2, 3, 4, 7), [
    'A title of its own',
    'Acme Widget: Weakness 79',
    'Acme: Weakness 79',
    'Acme Widget',
    'Weakness 79',
  ])
})

rule(19, 'a derived title does not repeat a vendor that starts the product name', async () => {
  assert.equal(await titles(8, 9), ['Acme Widget', 'Acme Acmeter'])
})

rule(
  19,
  'else the title is the first sentence of the description, cut at a word after at most 120 characters',
  async () => {
    const [first, long] = await titles(5, 6)
    assert.is(first, 'A fault, e.g. in a parser.')
    assert.is(long, 'word '.repeat(24).trim())
  },
)

rule(21, 'the primary weakness is the first of the CNA, else of the ADP, else the primary one of NVD', async () => {
  assert.equal(await primary(10, 11, 12, 18, 19), ['cwe-20', 'cwe-89', 'cwe-79', null, 'cwe-20'])
})

rule(21, 'a weakness named only in the text of a problem type counts', async () => {
  assert.equal(await primary(13, 14), ['cwe-79', 'cwe-89'])
  assert.ok((await mapped(89, 'any')).includes(id(13)))
})

rule(21, 'a weakness that is in the catalog goes first; if none is, the first id is used', async () => {
  assert.equal(await primary(15, 16, 17), ['cwe-79', 'cwe-89', 'cwe-20'])
  const other = await openWorld({
    ...cveList([{ id: id(17), cna: cwes('CWE-1000', 'CWE-1001') }]),
    'cwe/cwec_v4.15.xml': cweXml(cweXmlEntry(79)),
  })
  try {
    assert.is((await other.json<Core>(`/cves/${id(17)}`)).primary_cwe_id, 'cwe-1000')
  } finally {
    await other.remove()
  }
})

rule(21, 'scope=any is the union of the mappings of CNA, ADP, NVD and advisories', async () => {
  for (const cwe of [20, 79, 89, 22, 502]) assert.ok((await mapped(cwe, 'any')).includes(id(10)), String(cwe))
  assert.equal(await mapped(22, 'primary'), [])
  assert.equal(await mapped(502, 'any'), [id(10)])
})

rule(29, 'the linked advisory is chosen by: not withdrawn, reviewed, earliest published, lowest id', async () => {
  const linked = async (n: number) => (await world.json<{ advisory_id: string }>(`/cves/${id(n)}/advisory`)).advisory_id
  assert.equal(await Promise.all([20, 21, 22, 23].map(linked)), [
    'GHSA-2222-2222-2223',
    'GHSA-2222-2222-2225',
    'GHSA-2222-2222-2227',
    'GHSA-2222-2222-2228',
  ])
})

rule(29, 'times without a zone are UTC, and answers end in Z; the update time comes from the record', async () => {
  const { date_published, date_updated } = await coreOf(30)
  assert.equal([date_published, date_updated], ['2024-05-01T08:00:00.000Z', '2024-05-02T08:00:00.000Z'])
  // NVD changed it later.
  assert.is((await coreOf(40)).date_updated, UPDATED)
})

rule(29, 'KEV dates come from the feed', async () => assert.is((await coreOf(1)).kev.date_added, '2024-05-20'))

rule(29, 'the description is the first English text, else the first text; an empty text is null', async () => {
  assert.is((await coreOf(30)).description, 'A fault.')
  assert.is((await coreOf(31)).description, 'Ein Fehler.')
  assert.is((await coreOf(30)).title, 'Acme Widget')
})

rule(29, 'withdrawn OSV entries, and entries that only relate to the CVE, make no claim', async () => {
  assert.equal(
    (await referencesOf(41)).map((one) => one.url),
    ['https://acme.example/advisories/1'],
  )
})

rule(30, 'each URL is one item with the tags and sources of all claims', async () => {
  const expected: Reference[] = [
    { url: url('a'), name: 'The advisory', tags: ['vendor-advisory', 'patch'], sources: ['cna'] },
    { url: url('b'), name: null, tags: ['exploit', 'Third Party Advisory'], sources: ['cna', 'adp', 'nvd'] },
    // The CVE Program's own container.
    { url: url('c'), name: null, tags: [], sources: ['cna'] },
    { url: url('d'), name: null, tags: [], sources: ['advisory', 'osv'] },
    { url: url('e'), name: null, tags: ['patch'], sources: ['osv'] },
  ]
  const byUrl = (a: Reference, b: Reference) => (a.url < b.url ? -1 : 1)
  assert.equal((await referencesOf(40)).sort(byUrl), expected)
})

contract.after(world.remove)
contract.run()
