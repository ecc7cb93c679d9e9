/** Rules 22 and 23 of RULES.md: capabilities, and the evidence behind them. */
import * as assert from 'uvu/assert'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { kevJson, zipOf } from '../../support/feeds.ts'
import { contractSuite } from '../support/contract.ts'
import { openWorld } from '../support/service.ts'
import {
  archiveCsv,
  container,
  cveList,
  frameworkJson,
  ghsaZip,
  lines,
  nvdPage,
  nvdRecord,
  osvEntry,
  osvZip,
  ssvcMetric,
} from '../support/upstream.ts'

interface Item {
  type: string
  source: string
  evidence_type: string
  confidence: string
  maturity_rank: number | null
  evidence_url: string | null
  fixed_version: string | null
  first_seen: string | null
}
interface Core {
  has_patch: boolean
  has_workaround: boolean
  has_exploit: boolean
  has_detection: boolean
  detection_layers: string[]
  kev: { listed: boolean; date_added: string | null }
}

const contract = contractSuite('rules, evidence')
const { rule, states } = contract

const id = (n: number): CveId => `CVE-2024-${String(n).padStart(4, '0')}`
const tagged = (...tags: string[]) => ({ references: [{ url: 'https://acme.example/1', tags }] })
const advisory = { references: [{ url: 'https://acme.example/3', name: 'Fixed in 2.0', tags: ['vendor-advisory'] }] }
const versions = (...list: object[]) => ({ affected: [{ vendor: 'Acme', product: 'Widget', versions: list }] })
const fixedIn = (lessThan: string) => versions({ version: '0', lessThan, status: 'affected', versionType: 'custom' })
const fine = { version: '2', status: 'unaffected' }
const COMMIT = '0123456789abcdef0123456789abcdef01234567'
const kevCopy = { other: { type: 'kev', content: { dateAdded: '2024-05-11', reference: 'x' } } }
const time = '2024-05-10T00:00:00Z'
const cpeMatch = (more: object) => ({
  configurations: [
    {
      nodes: [
        {
          operator: 'OR',
          negate: false,
          cpeMatch: [{ vulnerable: true, criteria: 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*', ...more }],
        },
      ],
    },
  ],
})
const events = (...list: object[]) => ({
  affected: [{ package: { ecosystem: 'npm', name: 'widget' }, ranges: [{ type: 'SEMVER', events: list }] }],
})
const repository = {
  full_name: 'someone/poc',
  html_url: 'https://github.com/someone/poc',
  created_at: '2024-05-03T10:00:00Z',
  pushed_at: '2024-05-04T10:00:00Z',
  stargazers_count: 1,
}

const FEEDS = {
  ...cveList([
    { id: id(1) },
    { id: id(2), cna: fixedIn('2.0') },
    { id: id(3), adp: [container('CISA-ADP', fixedIn('2.0'))] },
    { id: id(4) },
    { id: id(5) },
    { id: id(6) },
    { id: id(7), cna: tagged('patch') },
    { id: id(8), cna: versions({ version: '0', lessThan: COMMIT, status: 'affected', versionType: 'git' }) },
    {
      id: id(9),
      cna: { affected: [{ vendor: 'Acme', product: 'Widget', defaultStatus: 'affected', versions: [fine] }] },
    },
    { id: id(10), cna: { workarounds: [{ lang: 'en', value: 'Switch it off.' }] } },
    { id: id(11), cna: tagged('mitigation') },
    { id: id(12), adp: [container('CISA-ADP', { workarounds: [{ lang: 'en', value: 'Switch it off.' }] })] },
    { id: id(13), cna: advisory },
    { id: id(20) },
    { id: id(21), adp: [container('CISA-ADP', { metrics: [kevCopy] })] },
    { id: id(22), adp: [container('CISA-ADP', { metrics: [ssvcMetric('active', 'no', 'total', time)] })] },
    { id: id(23), adp: [container('CISA-ADP', { metrics: [ssvcMetric('poc', 'no', 'total', time)] })] },
    { id: id(24), adp: [container('CISA-ADP', { metrics: [ssvcMetric('none', 'no', 'total', time)] })] },
    { id: id(25) },
    { id: id(26) },
    { id: id(27) },
    { id: id(28), cna: tagged('exploit') },
    { id: id(29) },
    { id: id(30) },
    { id: id(31) },
  ]),
  'kev/known_exploited_vulnerabilities.json': kevJson([id(20)]),
  'nvd/page.json': nvdPage([
    nvdRecord(id(4), cpeMatch({ versionEndExcluding: '2.0' })),
    nvdRecord(id(1), cpeMatch({ versionEndIncluding: '2.0' })),
    nvdRecord(id(29), { references: [{ url: 'https://acme.example/2', tags: ['Exploit'] }] }),
  ]),
  ...ghsaZip([osvEntry('GHSA-2222-2222-2222', [id(5)], events({ introduced: '0' }, { fixed: '2.0' }))]),
  ...osvZip([
    osvEntry('OSV-2024-1', [id(6)], events({ introduced: '0' }, { fixed: '2.0' })),
    osvEntry('OSV-2024-2', [id(1)], events({ introduced: '0' }, { last_affected: '2.0' })),
  ]),
  'metasploit/modules_metadata_base.json': frameworkJson({
    'exploit/linux/x': { references: [`CVE-${id(25).slice(4)}`] },
    'auxiliary/scanner/x': { references: [`CVE-${id(26).slice(4)}`] },
    'post/linux/x': { references: [`CVE-${id(26).slice(4)}`] },
  }),
  'exploitdb/files_exploits.csv': archiveCsv([
    { id: 1, description: 'x', published: '2024-01-01', verified: true, cves: [id(27)] },
    { id: 2, description: 'y', published: '2024-01-02', verified: false, cves: [id(27)] },
  ]),
  'poc/PoC-in-GitHub.zip': zipOf({ [`2024/${id(30)}.json`]: JSON.stringify([repository]) }),
  'nuclei/cves.json': `${JSON.stringify({ ID: id(31), Info: { Name: 'Acme Widget', Severity: 'high' }, file_path: 'http/x.yaml' })}\n`,
  'first-party/detections.ndjson': lines(
    ['siem', 'network_ids', 'file_yara'].map((layer) => ({
      cve_id: id(31),
      layer,
      source: 'own',
      name: layer,
      confidence: 'medium',
    })),
  ),
}
const world = await openWorld(FEEDS)

const coreOf = (n: number) => world.json<Core>(`/cves/${id(n)}?include=`)
const evidenceOf = async (n: number, type?: string) =>
  (await world.json<{ evidence: Item[] }>(`/cves/${id(n)}/evidence${type ? `?type=${type}` : ''}`)).evidence
const facts = async (n: number, type?: string) =>
  (await evidenceOf(n, type)).map((one) => [one.source, one.evidence_type, one.confidence, one.maturity_rank])

rule(
  22,
  'has_patch needs a fixed version, patched version or fix commit in any claim, or a reference tagged patch',
  async () => {
    for (const n of [2, 3, 4, 5, 6, 7, 8, 9]) assert.is((await coreOf(n)).has_patch, true, id(n))
    // A last affected version is no fix.
    assert.is((await coreOf(1)).has_patch, false)
    assert.is((await coreOf(11)).has_patch, false)
  },
)

states('8.20', 'false where no source states a patch, as with an advisory alone', async () => {
  for (const n of [13, 20]) assert.is((await coreOf(n)).has_patch, false, id(n))
})

rule(22, 'has_workaround needs a workaround of the CNA or a reference tagged mitigation', async () => {
  const flags = await Promise.all([10, 11, 12, 7].map(async (n) => (await coreOf(n)).has_workaround))
  assert.equal(flags, [true, true, false, false])
})

rule(22, 'has_exploit needs exploitation evidence of any type', async () => {
  for (const n of [20, 22, 23, 25, 26, 27, 28, 29, 30]) {
    assert.is((await coreOf(n)).has_exploit, true, id(n))
    assert.ok((await evidenceOf(n, 'exploitation')).length > 0)
  }
  for (const n of [2, 7, 10, 21, 24, 31]) assert.is((await coreOf(n)).has_exploit, false, id(n))
})

rule(22, 'has_detection needs detection evidence of any type; detection_layers lists the layers', async () => {
  const { has_detection, detection_layers } = await coreOf(31)
  assert.is(has_detection, true)
  assert.equal(detection_layers.toSorted(), ['file_yara', 'network_ids', 'scanner', 'siem'])
  const none = await coreOf(20)
  assert.equal([none.has_detection, none.detection_layers], [false, []])
})

rule(23, 'the KEV feed decides about a listing; the copy of the ADP counts only without that feed', async () => {
  assert.equal(await facts(20), [['agency_kev', 'kev_listed', 'confirmed', 80]])
  assert.equal((await coreOf(20)).kev, { listed: true, date_added: '2024-05-20' })
  assert.equal(await facts(21), [])
  assert.equal((await coreOf(21)).kev, { listed: false, date_added: null })
  const { 'kev/known_exploited_vulnerabilities.json': _, ...withoutFeed } = FEEDS
  const other = await openWorld(withoutFeed)
  try {
    const { kev } = await other.json<Core>(`/cves/${id(21)}`)
    assert.equal(kev, { listed: true, date_added: '2024-05-11' })
    const { evidence } = await other.json<{ evidence: Item[] }>(`/cves/${id(21)}/evidence`)
    assert.equal([evidence.length, evidence[0]!.evidence_type, evidence[0]!.maturity_rank], [1, 'kev_listed', 80])
    assert.is((await other.json<Core>(`/cves/${id(20)}`)).kev.listed, false)
  } finally {
    await other.remove()
  }
})

rule(23, 'SSVC active and poc are evidence, none is not', async () => {
  assert.equal(await facts(22), [['agency_adp', 'ssvc_active', 'confirmed', 80]])
  const [[source, kind, , rank]] = (await facts(23)) as [unknown[]]
  assert.equal([source, kind, rank], ['agency_adp', 'poc_public', 40])
  assert.equal(await facts(24), [])
})

rule(
  23,
  'exploit modules of the framework are weaponized exploits; other modules and archive entries are proofs of concept',
  async () => {
    assert.equal(await facts(25), [['exploit_framework', 'weaponized_exploit', 'high', 60]])
    assert.equal(await facts(26), [
      ['exploit_framework', 'poc_public', 'high', 40],
      ['exploit_framework', 'poc_public', 'high', 40],
    ])
    assert.equal(
      (await evidenceOf(27)).map((one) => [
        one.source,
        one.evidence_type,
        one.confidence,
        one.first_seen?.slice(0, 10),
      ]),
      [
        ['exploit_archive', 'poc_public', 'medium', '2024-01-02'],
        ['exploit_archive', 'poc_public', 'high', '2024-01-01'],
      ],
    )
  },
)

rule(
  23,
  'references tagged exploit in any case, and results of the search for proofs of concept, are evidence',
  async () => {
    const named = async (n: number) =>
      (await evidenceOf(n)).map((one) => [one.source, one.evidence_type, one.maturity_rank, one.evidence_url])
    assert.equal(await named(28), [['cna', 'poc_public', 40, 'https://acme.example/1']])
    assert.equal(await named(29), [['nvd', 'poc_public', 40, 'https://acme.example/2']])
    assert.equal(await facts(30), [['code_host_poc_search', 'poc_public', 'low', 40]])
  },
)

rule(
  23,
  'the confidence of a template is high; of a fixed version it is high for CNA and advisory, medium for others',
  async () => {
    assert.equal(
      (await facts(31, 'detection')).filter(([source]) => source === 'template_scanner'),
      [['template_scanner', 'detection_template', 'high', null]],
    )
    assert.equal(await facts(2), [['cna', 'fixed_version', 'high', null]])
    assert.equal(await facts(5), [['advisory', 'fixed_version', 'high', null]])
    const medium = await Promise.all([3, 4, 6].map(async (n) => (await facts(n))[0]!.slice(1)))
    for (const one of medium) assert.equal(one, ['fixed_version', 'medium', null])
    assert.equal(
      (await evidenceOf(8)).map((one) => [one.source, one.evidence_type, one.fixed_version]),
      [['git_ref', 'fix_commit', COMMIT]],
    )
  },
)

contract.after(world.remove)
contract.run()
