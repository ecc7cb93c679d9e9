/** Metasploit: members of the metadata as modules of the framework, and the real metadata. */
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { itemDigest } from '../../../corpus/feeds/feed.ts'
import { findMetasploit, METASPLOIT_ADAPTER, readMetasploit } from '../../../corpus/feeds/metasploit.ts'
import type { ExploitClaim } from '../../../corpus/model/claim.ts'
import { haveRealFeeds, temporaryFolder } from '../../support/dist.ts'
import { putFeeds } from '../../support/feeds.ts'
import { claimAt, claimOf, itemsOf, notes, realFigures, skips } from './exploit-items.ts'
import { errorOf, feedFile, readOptions } from './reading.ts'

const folder = temporaryFolder('metasploit')

const MODULE = {
  name: ' Acme Widget Overflow ',
  fullname: 'exploit/linux/http/acme_widget',
  rank: 600,
  disclosure_date: '2024-05-01',
  type: 'exploit',
  author: ['A. Finder <a@acme.example>', 'N/A', 'B. Writer', 'B. Writer'],
  description: 'Overflows the widget.\n',
  references: ['CVE-2024-0002', 'CVE-2024-0001', 'CWE-787', 'URL-https://acme.example/CVE-2024-0009', 'CVE-2024-0002'],
  platform: 'Linux,Unix',
  mod_time: '2024-06-01 10:00:00 +0200',
  path: '/modules/exploits/linux/http/acme widget.rb',
}

const json = (...modules: object[]) => JSON.stringify(Object.fromEntries(modules.map((one, i) => [`member_${i}`, one])))
const read = (content: string | Uint8Array, name = 'modules_metadata_base.json') =>
  itemsOf('metasploit', folder.path, name, content)
const moduleOf = async (over: object) => {
  const items = await read(json({ ...MODULE, ...over }))
  return { module: (JSON.parse(claimAt(items).body) as ExploitClaim).module, notes: notes(items) }
}

const metasploit = suite('metasploit')

metasploit('a member becomes a module of the framework, about the CVEs among its references', async () => {
  const item = claimAt(await read(gzipSync(json(MODULE)), 'modules_metadata_base.json.gz'))
  assert.equal(JSON.parse(item.body), {
    module: {
      source: 'exploit_framework',
      source_id: 'exploit/linux/http/acme_widget',
      name: 'Acme Widget Overflow',
      description: 'Overflows the widget.',
      authors: ['A. Finder <a@acme.example>', 'B. Writer'],
      platform: ['Linux', 'Unix'],
      date_published: '2024-05-01',
      source_url:
        'https://github.com/rapid7/metasploit-framework/blob/master/modules/exploits/linux/http/acme%20widget.rb',
      module_type: 'exploit',
      module_class: null,
      verified: null,
      exploit_rank: 'excellent',
    },
    cveIds: ['CVE-2024-0001', 'CVE-2024-0002'],
  })
  assert.equal(
    [item.key, item.cveIds, item.statedAt],
    ['exploit/linux/http/acme_widget', ['CVE-2024-0001', 'CVE-2024-0002'], '2024-06-01T08:00:00.000Z'],
  )
})

metasploit('what a module does not state is null, and a module of no CVE is kept', async () => {
  const item = claimAt(
    await read(json({ fullname: 'nop/x86/single_byte', author: [], platform: '', disclosure_date: null })),
  )
  const { module } = JSON.parse(item.body) as ExploitClaim
  assert.equal(item.cveIds, [])
  assert.equal(
    Object.entries(module).filter(([, value]) => value !== null),
    [
      ['source', 'exploit_framework'],
      ['source_id', 'nop/x86/single_byte'],
    ],
  )
})

metasploit("ranks have the framework's words; one that it does not have is null and noted", async () => {
  const words = []
  for (const rank of [600, 500, 400, 300, 200, 100, 0]) words.push((await moduleOf({ rank })).module.exploit_rank)
  assert.equal(words, ['excellent', 'great', 'good', 'normal', 'average', 'low', 'manual'])
  const odd = await moduleOf({ rank: 250 })
  assert.equal([odd.module.exploit_rank, odd.notes], [null, ['rank-unknown: rank 250']])
})

metasploit('an impossible disclosure date is null and noted', async () => {
  const odd = await moduleOf({ disclosure_date: '2024-13-01' })
  assert.equal([odd.module.date_published, odd.notes], [null, ['date-impossible: disclosure_date "2024-13-01"']])
})

metasploit('a member without a full name is skipped by the name it has', async () => {
  assert.equal(skips(await read(json({ ...MODULE, fullname: 7 }, MODULE, []))), [
    'member_0 item_invalid: fullname is no text: 7',
    'member_2 item_invalid: it is no object but []',
  ])
})

metasploit('a file that is no JSON object, or a damaged gzip, is an error', async () => {
  assert.match(await errorOf(() => read('[]')), /^file_invalid: .*no JSON object$/)
  assert.match(await errorOf(() => read('{')), /^file_invalid: .*is no JSON/)
  const cut = gzipSync(json(MODULE)).subarray(0, -9)
  assert.match(await errorOf(() => read(cut, 'modules_metadata_base.json.gz')), /^file_damaged: /)
})

metasploit('a module that the corpus has is known by its own JSON', async () => {
  await read(json(MODULE))
  const path = `${folder.path}/modules_metadata_base.json`
  const digest = itemDigest(METASPLOIT_ADAPTER, JSON.stringify(MODULE))
  const items = [...readMetasploit(feedFile(path), { ...readOptions(path), digestOf: () => digest })]
  assert.equal(items, [{ kind: 'known', key: MODULE.fullname, digest }])
})

metasploit('a file is dated by its name, else by its newest module', () => {
  const content = json(MODULE, { ...MODULE, mod_time: '2023-01-01 00:00:00 +0000' }, { ...MODULE, mod_time: 'soon' })
  const feeds = putFeeds(`${folder.path}/feeds`, {
    'metasploit/modules_metadata_base.json': content,
    'metasploit/modules_metadata_base-2024-05-05.json': content,
  })
  assert.equal(
    findMetasploit(feeds).map(({ name, date }) => `${name} ${date}`),
    [
      'metasploit/modules_metadata_base-2024-05-05.json 2024-05-05',
      'metasploit/modules_metadata_base.json 2024-06-01T08:00:00.000Z',
    ],
  )
})

if (haveRealFeeds()) {
  metasploit('the real metadata arrive whole', async () => {
    const { items, files, counts } = await realFigures('metasploit')
    assert.equal(files, ['metasploit/modules_metadata_base.json.gz 2025-01-31T14:48:57.000Z'])
    assert.equal(counts, { items: 5700, claims: 5700, keys: 5700, withCve: 2571, cves: 2618 })
    assert.equal(notes(items), [])
    const modules = items.map((item) => (JSON.parse(claimAt([item]).body) as ExploitClaim).module)
    const count = (test: (module: (typeof modules)[number]) => boolean) => modules.filter(test).length
    assert.is(
      count(({ module_type }) => module_type === 'exploit'),
      2491,
    )
    assert.is(
      count(({ exploit_rank }) => exploit_rank === 'excellent'),
      1240,
    )
    assert.is(
      count(({ date_published }) => date_published === null),
      2668,
    )
    assert.is(
      count(({ platform }) => platform === null),
      1328,
    )
    assert.is(
      count(({ authors }) => authors === null),
      6,
    )
    assert.is(
      count(({ source_url }) => source_url === null),
      0,
    )
    assert.is(claimOf<ExploitClaim>(items, 'exploit/windows/smb/ms17_010_eternalblue').cveIds.length, 6)
  })
}

metasploit.run()
