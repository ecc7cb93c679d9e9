/** PoC-in-GitHub: a file of repositories for each CVE, from a zip or a checkout, and the real ones. */
import { writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FeedItem } from '../../../corpus/feeds/feed.ts'
import { findPoc } from '../../../corpus/feeds/poc.ts'
import type { PocClaim } from '../../../corpus/model/claim.ts'
import { haveRealFeeds, temporaryFolder } from '../../support/dist.ts'
import { putFeeds, zipOf } from '../../support/feeds.ts'
import { claimAt, feedOf, notes, realFigures, skips } from './exploit-items.ts'
import { feedFile, feedItems } from './reading.ts'

const folder = temporaryFolder('poc')

const REPOSITORY = {
  full_name: 'someone/CVE-2024-0001',
  html_url: 'https://github.com/someone/CVE-2024-0001',
  description: null,
  created_at: '2024-05-03T10:00:00Z',
  updated_at: '2024-06-01T00:00:00Z',
  pushed_at: '2024-05-01T09:30:00Z',
  stargazers_count: 12,
}

async function read(files: Record<string, unknown>): Promise<FeedItem[]> {
  const path = `${folder.path}/poc.zip`
  writeFileSync(
    path,
    zipOf(Object.fromEntries(Object.entries(files).map(([name, json]) => [name, JSON.stringify(json)]))),
  )
  return (await feedItems(feedOf('poc'), feedFile(path))) as FeedItem[]
}

const poc = suite('poc')

poc('a file becomes the repositories of its CVE, stated when one of them last changed', async () => {
  const other = {
    ...REPOSITORY,
    html_url: 'https://github.com/other/poc',
    full_name: 'other/poc',
    stargazers_count: null,
  }
  const item = claimAt(
    await read({ '2024/CVE-2024-0001.json': [REPOSITORY, { ...other, updated_at: '2024-07-01T00:00:00Z' }] }),
  )
  assert.equal(JSON.parse(item.body), {
    repositories: [
      {
        url: 'https://github.com/someone/CVE-2024-0001',
        name: 'someone/CVE-2024-0001',
        stars: 12,
        createdAt: '2024-05-03T10:00:00.000Z',
        pushedAt: '2024-05-01T09:30:00.000Z',
      },
      {
        url: 'https://github.com/other/poc',
        name: 'other/poc',
        stars: 0,
        createdAt: '2024-05-03T10:00:00.000Z',
        pushedAt: '2024-05-01T09:30:00.000Z',
      },
    ],
  })
  assert.equal([item.key, item.cveIds, item.statedAt], ['CVE-2024-0001', ['CVE-2024-0001'], '2024-07-01T00:00:00.000Z'])
})

poc('a repository listed twice counts once; one without an address is left out and noted', async () => {
  const items = await read({
    '2024/CVE-2024-0001.json': [REPOSITORY, REPOSITORY, { ...REPOSITORY, html_url: 'javascript:0' }],
  })
  assert.is((JSON.parse(claimAt(items).body) as PocClaim).repositories.length, 1)
  assert.match(notes(items).join(), /^repository-unreadable: no html_url or full_name: /)
})

poc('other files of the repository are no items; a file that is no list is skipped by its CVE', async () => {
  const items = await read({
    'README.json': [],
    '2024/CVE-2024-0001.json': {},
    '2024/CVE-2024-0002.json': [],
    'CVE-2024-0003.json': [],
  })
  assert.equal(skips(items), ['CVE-2024-0001 item_invalid: it is no list of repositories but {}'])
  assert.equal(
    items.map(({ key }) => key),
    ['CVE-2024-0001', 'CVE-2024-0002'],
  )
})

poc('a checkout is read like the zip, and both are dated by their names', async () => {
  const feeds = putFeeds(`${folder.path}/feeds`, {
    'poc/PoC-in-GitHub/2024/CVE-2024-0001.json': JSON.stringify([REPOSITORY]),
    'poc/PoC-in-GitHub/README.md': '',
    'poc/2024-10-10_PoC-in-GitHub.zip': '',
  })
  const [zip, checkout] = findPoc(feeds)
  assert.equal([zip!.date, zip!.folder, checkout!.date, checkout!.folder], ['2024-10-10', false, null, true])
  const items = (await feedItems(feedOf('poc'), checkout!)) as FeedItem[]
  assert.equal(
    items.map(({ kind, key }) => `${kind} ${key}`),
    ['claim CVE-2024-0001'],
  )
})

if (haveRealFeeds()) {
  poc('the real archive arrives whole', async () => {
    const { items, files, counts } = await realFigures('poc')
    assert.equal(files, ['poc/PoC-in-GitHub.zip null'])
    assert.equal(counts, { items: 386, claims: 386, keys: 386, withCve: 386, cves: 386 })
    assert.equal(notes(items), [])
    const repositories = items.flatMap((item) => (JSON.parse(claimAt([item]).body) as PocClaim).repositories)
    assert.is(repositories.length, 1491)
    assert.is(repositories.filter(({ createdAt, pushedAt }) => createdAt! > pushedAt!).length, 47)
  })
}

poc.run()
