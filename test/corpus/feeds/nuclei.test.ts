/** Nuclei: lines of the template index as detections, and the real index. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { itemDigest } from '../../../corpus/feeds/feed.ts'
import { findNuclei, NUCLEI_ADAPTER, readNuclei } from '../../../corpus/feeds/nuclei.ts'
import type { DetectionClaim } from '../../../corpus/model/claim.ts'
import { haveRealFeeds, temporaryFolder } from '../../support/dist.ts'
import { putFeeds } from '../../support/feeds.ts'
import { claimAt, claimOf, itemsOf, notes, realFigures, skips } from './exploit-items.ts'
import { errorOf, feedFile, readOptions } from './reading.ts'

const folder = temporaryFolder('nuclei')
const read = (...lines: (string | object)[]) =>
  itemsOf(
    'nuclei',
    folder.path,
    'cves.json',
    lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n'),
  )

const TEMPLATE = {
  ID: 'CVE-2024-0001',
  Info: { Name: 'Acme Widget - Path Traversal ', Severity: 'high', Classification: { CVSSScore: '7.5' } },
  file_path: 'http/cves/2024/CVE-2024-0001.yaml',
}

const nuclei = suite('nuclei')

nuclei('a line becomes a detection by a scanner template', async () => {
  const item = claimAt(await read(TEMPLATE))
  assert.equal(JSON.parse(item.body), {
    layer: 'scanner',
    source: 'template_scanner',
    evidenceType: 'detection_template',
    confidence: 'high',
    url: 'https://github.com/projectdiscovery/nuclei-templates/blob/main/http/cves/2024/CVE-2024-0001.yaml',
    name: 'Acme Widget - Path Traversal',
    firstSeen: null,
    lastSeen: null,
  })
  assert.equal([item.key, item.cveIds, item.statedAt], ['CVE-2024-0001', ['CVE-2024-0001'], null])
})

nuclei(
  'a template whose classification names further CVEs is about all of them; one that names none is kept',
  async () => {
    const items = await read(
      { ...TEMPLATE, Info: { Classification: { 'cve-id': 'CVE-2024-0003,cve-2023-0002' } } },
      { ID: 'acme-panel' },
    )
    assert.equal(claimAt(items).cveIds, ['CVE-2023-0002', 'CVE-2024-0001', 'CVE-2024-0003'])
    assert.equal([claimAt(items, 1).key, claimAt(items, 1).cveIds], ['acme-panel', []])
  },
)

nuclei('half a surrogate pair is no reason to stop: it is U+FFFD, as it would be in UTF-8', async () => {
  const item = claimAt(await read({ ...TEMPLATE, Info: { Name: 'a\ud800' }, file_path: 'http/\udc00.yaml' }))
  const { name, url } = JSON.parse(item.body) as DetectionClaim
  assert.is(name, 'a\ufffd')
  assert.ok(url?.endsWith('/http/%EF%BF%BD.yaml'))
})

nuclei('a broken line is skipped by its number, blank ones mean nothing', async () => {
  const items = await read(TEMPLATE, '', '{"ID":', '{"Info":{}}', '7', { ...TEMPLATE, ID: 'CVE-2024-0002' }, '  ')
  assert.equal(
    items.map(({ key }) => key),
    ['CVE-2024-0001', 'line 3', 'line 4', 'line 5', 'CVE-2024-0002'],
  )
  assert.match(skips(items)[0]!, /^line 3 json_invalid: it is no JSON: /)
  assert.equal(skips(items).slice(1), [
    'line 4 item_invalid: ID is no text: undefined',
    'line 5 item_invalid: ID is no text: 7',
  ])
})

nuclei('a file that is not there is an error', async () => {
  const path = `${folder.path}/absent.json`
  assert.match(
    await errorOf(async () => {
      for await (const _ of readNuclei(feedFile(path), readOptions(path))) assert.unreachable()
    }),
    /^file_damaged: absent\.json cannot be read: ENOENT/,
  )
})

nuclei('a line that the corpus has is known by its bytes', async () => {
  await read(TEMPLATE)
  const path = `${folder.path}/cves.json`
  const digest = itemDigest(NUCLEI_ADAPTER, JSON.stringify(TEMPLATE))
  const items = []
  for await (const item of readNuclei(feedFile(path), { ...readOptions(path), digestOf: () => digest }))
    items.push(item)
  assert.equal(items, [{ kind: 'known', key: 'CVE-2024-0001', digest }])
})

nuclei('a file is dated by its name alone', () => {
  const feeds = putFeeds(`${folder.path}/feeds`, { 'nuclei/cves.json': '{}', 'nuclei/cves-2024-05-05.json.gz': '' })
  assert.equal(
    findNuclei(feeds).map(({ name, date }) => `${name} ${date}`),
    ['nuclei/cves-2024-05-05.json.gz 2024-05-05', 'nuclei/cves.json null'],
  )
})

if (haveRealFeeds()) {
  nuclei('the real index arrives whole', async () => {
    const { items, files, counts } = await realFigures('nuclei')
    assert.equal(files, ['nuclei/cves.json null'])
    assert.equal(counts, { items: 4107, claims: 4107, keys: 4107, withCve: 4107, cves: 4107 })
    assert.equal(notes(items), [])
    const urls = items.map((item) => (JSON.parse(claimAt([item]).body) as DetectionClaim).url)
    assert.is(urls.filter((url) => url?.includes('/blob/main/http/cves/')).length, 4016)
    assert.is(
      claimOf<DetectionClaim>(items, 'CVE-2024-3400').url,
      'https://github.com/projectdiscovery/nuclei-templates/blob/main/http/cves/2024/CVE-2024-3400.yaml',
    )
  })
}

nuclei.run()
