/** KEV, EPSS and the CNA list: the result of each line, and rejected content. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findCnaList, readCnaList } from '../../../corpus/feeds/cna.ts'
import { readEpss } from '../../../corpus/feeds/epss.ts'
import { readEuvd } from '../../../corpus/feeds/euvd.ts'
import { readKev } from '../../../corpus/feeds/kev.ts'
import { readVulnCheck } from '../../../corpus/feeds/vulncheck.ts'
import type { KevEntry } from '../../../corpus/model/claim.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { cnaJson, epssCsv, kevJson, putFeeds } from '../../support/feeds.ts'
import { errorOf, feedFile, readOptions } from './reading.ts'

const folder = temporaryFolder('small-feeds')
let files = 0
function put(content: Uint8Array | string, name = 'x.json'): string {
  const path = join(folder.path, `${++files}-${name}`)
  writeFileSync(path, content)
  return path
}

const kev = suite('kev')
const kevItems = (content: string) => {
  const path = put(content)
  return [...readKev(feedFile(path), readOptions(path))]
}

kev('an entry becomes a claim in the words of the model', () => {
  const [item] = kevItems(kevJson(['CVE-2024-0001']))
  assert.ok(item?.kind === 'claim')
  assert.equal(JSON.parse(item.body), {
    cveId: 'CVE-2024-0001',
    catalog: 'cisa',
    dateAdded: '2024-05-20',
    dueDate: '2024-06-10',
    requiredAction: 'Apply mitigations per vendor instructions.',
    ransomware: 'unknown',
    notes: null,
    vendor: 'Acme',
    product: 'Widget',
    name: 'Acme Widget Out-of-Bounds Read Vulnerability',
    description: 'Acme Widget contains an out-of-bounds read.',
  })
  assert.is(item.statedAt, '2024-05-20')
})

kev(
  'what an entry does not state is null; an impossible due date and another ransomware use are null and noted',
  () => {
    const list = JSON.parse(kevJson(['CVE-2024-0001', 'CVE-2024-0002', 'CVE-2024-0003'])) as {
      vulnerabilities: object[]
    }
    list.vulnerabilities[0] = { cveID: 'CVE-2024-0001', dateAdded: '2024-05-20' }
    Object.assign(list.vulnerabilities[1]!, { dueDate: '2024-02-30', knownRansomwareCampaignUse: 'Sometimes' })
    Object.assign(list.vulnerabilities[2]!, { knownRansomwareCampaignUse: ' KNOWN ' })
    const claims = kevItems(JSON.stringify(list)).map((item) => {
      assert.ok(item.kind === 'claim')
      return {
        ...(JSON.parse(item.body) as KevEntry),
        defects: item.notes.map(({ code, detail }) => `${code} ${detail}`),
      }
    })
    const [bare, odd, upper] = claims
    const { cveId, catalog, dateAdded, defects, ...stated } = bare!
    assert.equal([cveId, catalog, dateAdded, defects], ['CVE-2024-0001', 'cisa', '2024-05-20', []])
    assert.equal([...new Set(Object.values(stated))], [null])
    assert.equal([odd!.dueDate, odd!.ransomware], [null, null])
    assert.equal(odd!.defects, [
      'date-impossible dueDate "2024-02-30"',
      'type-wrong knownRansomwareCampaignUse is not Known or Unknown: "Sometimes"',
    ])
    assert.is(upper!.ransomware, 'known')
  },
)

kev('an entry without an id or with an impossible date is skipped by name', () => {
  const list = JSON.parse(kevJson(['CVE-2024-0001', 'CVE-2024-0002', 'nonsense'])) as { vulnerabilities: object[] }
  Object.assign(list.vulnerabilities[1]!, { dateAdded: '2024-02-30' })
  list.vulnerabilities.push([] as unknown as object)
  assert.equal(
    kevItems(JSON.stringify(list)).map((item) =>
      item.kind === 'skip' ? `${item.key.replace(/^\d+-/, '')}: ${item.detail}` : item.key,
    ),
    [
      // Its publisher, or a copy, may have cut the list.
      `x.json: its count is 3, but it has 4 entries`,
      'CVE-2024-0001',
      'CVE-2024-0002: dateAdded is not a date: "2024-02-30"',
      'nonsense: cveID is not a CVE id: "nonsense"',
      'entry 4: it is not an object: []',
    ],
  )
})

kev('a file that is empty, no JSON or no catalog is an error', async () => {
  assert.match(await errorOf(() => kevItems('')), /^file_invalid: .*is empty$/)
  assert.match(await errorOf(() => kevItems('{"vulnerabilities":[')), /^file_invalid: .*is not JSON/)
  assert.match(await errorOf(() => kevItems('{"entries":[]}')), /^file_invalid: .*no list "vulnerabilities"/)
})

kev.run()

const vulncheck = suite('vulncheck')
const vulncheckItems = (list: unknown) => {
  const path = put(JSON.stringify(list))
  return [...readVulnCheck(feedFile(path), readOptions(path))]
}
const VULNCHECK = {
  vendorProject: 'Acme',
  product: 'Widget',
  shortDescription: 'Acme Widget has a flaw.',
  vulnerabilityName: 'Acme Widget Flaw',
  required_action: 'Update it.',
  knownRansomwareCampaignUse: 'Known',
  cve: ['CVE-2024-0001', 'cve-2024-0002', 'CVE-2024-0001'],
  cwes: ['CWE-79'],
  vulncheck_xdb: [{ xdb_id: 'a', xdb_url: 'https://x.example/' }],
  vulncheck_reported_exploitation: [{ url: 'https://r.example/', date_added: '2024-05-20T00:00:00Z' }],
  dueDate: '2024-06-10T00:00:00Z',
  cisa_date_added: '2024-05-21T00:00:00Z',
  date_added: '2024-05-20T00:00:00Z',
}

vulncheck('an entry becomes a claim for each of its CVEs, once', () => {
  const claims = vulncheckItems([VULNCHECK]).map((item) => {
    assert.ok(item.kind === 'claim')
    assert.equal([item.cveIds, item.notes, item.statedAt], [[item.key], [], '2024-05-20'])
    return JSON.parse(item.body) as KevEntry
  })
  assert.equal(
    claims.map(({ cveId }) => cveId),
    ['CVE-2024-0001', 'CVE-2024-0002'],
  )
  assert.equal(claims[1], {
    cveId: 'CVE-2024-0002',
    catalog: 'vulncheck',
    dateAdded: '2024-05-20',
    dueDate: '2024-06-10',
    requiredAction: 'Update it.',
    ransomware: 'known',
    notes: null,
    vendor: 'Acme',
    product: 'Widget',
    name: 'Acme Widget Flaw',
    description: 'Acme Widget has a flaw.',
  })
})

vulncheck('a broken entry is skipped by name; absent fields are null; a file that is no list is an error', async () => {
  const many = Array.from({ length: 101 }, (_, n) => `CVE-2024-${1000 + n}`)
  const items = vulncheckItems([
    { cve: ['CVE-2024-0003'], date_added: '2024-05-20' },
    { ...VULNCHECK, cve: [] },
    { ...VULNCHECK, cve: many },
    { ...VULNCHECK, cve: ['CVE-2024-0004', 'nonsense'] },
    { ...VULNCHECK, cve: ['CVE-2024-0005'], date_added: 'soon' },
    7,
  ])
  assert.equal(
    items.map((item) => (item.kind === 'skip' ? `${item.key}: ${item.detail}` : item.key)),
    [
      'CVE-2024-0003',
      'entry 2: cve is not a list of CVE ids: []',
      'entry 3: it is about 101 CVEs; the limit is 100',
      'CVE-2024-0004',
      'nonsense: cve is not a CVE id: "nonsense"',
      'CVE-2024-0005: date_added is not a date: "soon"',
      'entry 6: it is not an object: 7',
    ],
  )
  assert.ok(items[0]?.kind === 'claim')
  const { cveId: _, catalog: __, dateAdded: ___, ...rest } = JSON.parse(items[0].body)
  assert.equal([...new Set(Object.values(rest))], [null])
  assert.match(await errorOf(() => vulncheckItems({ data: [] })), /^file_invalid: .*is not a JSON array/)
})

vulncheck.run()

const euvd = suite('euvd')
const euvdItems = (list: unknown) => {
  const path = put(JSON.stringify(list))
  return [...readEuvd(feedFile(path), readOptions(path))]
}
const euvdEntry = (cveId: unknown, sources: unknown, more: object = {}) => ({
  ...{ cveId, euvdId: 'EUVD-2024-0001', dateAdded: '2024-05-20', sources },
  ...more,
})

euvd('an entry of its own catalog becomes a claim; the entries of CISA do not', () => {
  const named = { vendorProject: 'Acme', product: 'Widget', vulnerabilityName: 'Acme Widget Flaw' }
  const items = euvdItems([
    euvdEntry('CVE-2024-0001', ['cisa_kev']),
    euvdEntry('CVE-2024-0002', ['eukev_kev']),
    euvdEntry('CVE-2024-0003', ['cisa_kev', 'eukev_kev'], named),
  ])
  const unstated = { dueDate: null, requiredAction: null, ransomware: null, notes: null, description: null }
  const claim = { catalog: 'euvd', dateAdded: '2024-05-20', ...unstated }
  assert.equal(
    items.map((item) => {
      assert.ok(item.kind === 'claim')
      assert.equal([item.cveIds, item.notes, item.statedAt], [[item.key], [], '2024-05-20'])
      return JSON.parse(item.body)
    }),
    [
      { ...claim, cveId: 'CVE-2024-0002', vendor: null, product: null, name: null },
      { ...claim, cveId: 'CVE-2024-0003', vendor: 'Acme', product: 'Widget', name: 'Acme Widget Flaw' },
    ],
  )
})

euvd('a broken entry is skipped by name; a file that is no list is an error', async () => {
  const items = euvdItems([
    euvdEntry('CVE-2024-0001', ['eukev_v2']),
    euvdEntry('CVE-2024-0002', 'eukev_kev'),
    euvdEntry(undefined, ['eukev_kev']),
    euvdEntry(undefined, ['cisa_kev']),
    euvdEntry('nonsense', ['eukev_kev']),
    euvdEntry('CVE-2024-0003', ['eukev_kev'], { dateAdded: 'Sep 9, 2026' }),
    null,
  ])
  assert.equal(
    items.map((item) => (item.kind === 'skip' ? `${item.key}: ${item.detail}` : item.key)),
    [
      'entry 1: sources has neither eukev_kev nor cisa_kev: ["eukev_v2"]',
      'entry 2: sources has neither eukev_kev nor cisa_kev: "eukev_kev"',
      'entry 3: cveId is not a CVE id: undefined',
      'nonsense: cveId is not a CVE id: "nonsense"',
      'CVE-2024-0003: dateAdded is not a date: "Sep 9, 2026"',
      'entry 7: it is not an object: null',
    ],
  )
  assert.match(await errorOf(() => euvdItems({ message: 'maintenance' })), /^file_invalid: .*is not a JSON array/)
})

euvd.run()

const epss = suite('epss')
const epssItems = (bytes: Uint8Array) => [...readEpss(feedFile(put(bytes, 'x.csv.gz')))]

epss('a line becomes a score', () => {
  assert.equal(epssItems(epssCsv([['CVE-2024-0001', 0.00383, 1]], '2024-06-02')), [
    { kind: 'score', cveId: 'CVE-2024-0001', score: 0.00383, percentile: 1 },
  ])
})

epss('a line that is no id and two numbers from 0 to 1 is skipped by name; line ends of either kind will do', () => {
  const csv = 'cve,epss,percentile\r\nCVE-2024-0001,0.5,0.9\r\nCVE-2024-0002,1.5,0\nCVE-2024-0003,0.5\nnone,0,0\n'
  const items = epssItems(gzipSync(`${csv}CVE-2024-0004,,0\nCVE-2024-0005,1,0`))
  assert.equal(
    items.map((item) => (item.kind === 'skip' ? `${item.key}!` : item.cveId)),
    ['CVE-2024-0001', 'CVE-2024-0002!', 'CVE-2024-0003!', 'line 5!', 'CVE-2024-0004!', 'CVE-2024-0005'],
  )
})

epss('a file that is cut off, or without its header, is an error', async () => {
  const whole = epssCsv([['CVE-2024-0001', 0.5, 0.9]], '2024-06-02')
  assert.match(await errorOf(() => epssItems(whole.subarray(0, -6))), /^file_damaged/)
  assert.match(await errorOf(() => epssItems(gzipSync('CVE-2024-0001,0.5,0.9\n'))), /^file_invalid: .*line 1 is not/)
  assert.match(await errorOf(() => epssItems(gzipSync(''))), /^file_invalid: .*has no line/)
})

epss.run()

const cna = suite('cna')
const cnaItems = (content: string) => {
  const path = put(content)
  return [...readCnaList(feedFile(path), readOptions(path))]
}

cna('an entry becomes a claim in the words of the model, keyed by its slug', () => {
  const [item] = cnaItems(cnaJson(['AcMe']))
  assert.ok(item?.kind === 'claim')
  assert.is(item.key, 'acme')
  assert.equal(JSON.parse(item.body), {
    slug: 'acme',
    shortName: 'AcMe',
    name: 'AcMe Incorporated',
    scope: 'Its own products.',
    country: 'Iceland',
    organizationTypes: ['Vendor', 'Open Source'],
    advisoriesUrl: 'https://AcMe.example/advisories',
  })
})

cna('what an entry does not state is null, and one without a short name is skipped', () => {
  const [bare, nameless] = cnaItems('[{"shortName":"acme"},{"organizationName":"Nobody"}]')
  assert.ok(bare?.kind === 'claim')
  const unknown = { scope: null, country: null, organizationTypes: [], advisoriesUrl: null }
  assert.equal(JSON.parse(bare.body), { slug: 'acme', shortName: 'acme', name: 'acme', ...unknown })
  assert.ok(nameless?.kind === 'skip')
  assert.is(nameless.key, 'entry 2')
})

cna('a file that is no list is an error, and one without a date anywhere is undated', async () => {
  assert.match(await errorOf(() => cnaItems('{}')), /^file_invalid: .*not a JSON array/)
  const feeds = putFeeds(join(folder.path, 'cna-feeds'), {
    'cna/CNAsList.json': '[]',
    'cna/2024-06-01/CNAsList.json': '[]',
  })
  assert.equal(
    findCnaList(feeds).map(({ date }) => date),
    ['2024-06-01', null],
  )
})

cna.after(folder.remove)
cna.run()
