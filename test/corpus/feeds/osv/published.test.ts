/** Entries in the OSV schema as published, of both feeds: their text, their date, and their packages. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type FeedItem, MAX_STATEMENTS_LENGTH } from '../../../../corpus/feeds/feed.ts'
import { shown } from '../../../../corpus/feeds/json.ts'
import type { PublishedAdvisory } from '../../../../corpus/model/claim.ts'
import { packageStatements } from '../../../../corpus/model/packages/package-advisory.ts'
import { temporaryFolder } from '../../../support/dist.ts'
import { entryItems } from './osv-entries.ts'

const folder = temporaryFolder('published')
let files = 0

const ID = 'GHSA-aaaa-bbbb-2222'

/** Returns the item of a feed for a file with this text. */
async function itemOf(text: string, { feed = 'osv', id = ID }: { feed?: 'osv' | 'ghsa'; id?: string } = {}) {
  const path = join(folder.path, `${++files}.zip`)
  writeFileSync(path, zipSync({ [`${id}.json`]: Buffer.from(text) }))
  const [item] = await entryItems(feed, path)
  return item as FeedItem
}

function advisoryOf(item: FeedItem): PublishedAdvisory {
  assert.ok(item.kind === 'claim' && item.advisory, JSON.stringify(item).slice(0, 300))
  return item.advisory
}

const entry = (fields: Record<string, unknown>) =>
  JSON.stringify({ id: ID, modified: '2024-05-01T08:00:00Z', ...fields }, null, 2)
const inPackage = (ecosystem: string, name: string, more: Record<string, unknown> = {}) => ({
  package: { ecosystem, name, ...more },
  ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }] }],
})

test('the text is that of the file without white space between the values', async () => {
  const text = `\ufeff{ "modified" : "2024-05-01T10:00:00+02:00",\r\n "id": "${ID}", "score": 1.0, "big": 12345678901234567890,
    "summary": "Stra\\u00dfe \\/  x", "aliases": ["CVE-2024-0001"], "2": 0, "1": 1e2 }\n`
  const minified = `{"modified":"2024-05-01T10:00:00+02:00","id":"${ID}","score":1.0,"big":12345678901234567890,"summary":"Stra\\u00dfe \\/  x","aliases":["CVE-2024-0001"],"2":0,"1":1e2}`
  for (const feed of ['osv', 'ghsa'] as const) {
    const advisory = advisoryOf(await itemOf(text, { feed }))
    assert.equal(advisory, { modified: '2024-05-01T08:00:00.000Z', text: minified, packages: [] })
  }
})

test('each package is stated once, under its folded name, with its purl', async () => {
  const text = entry({
    affected: [
      inPackage('npm', '@Acme/Widget'),
      inPackage('Debian:12', 'widget', { purl: 'pkg:deb/debian/widget@1.0?arch=source' }),
      inPackage('Debian:13', 'widget'),
      { ranges: [{ type: 'GIT', repo: 'https://example.com/a.git', events: [{ introduced: '0' }] }] },
    ],
  })
  const { packages } = advisoryOf(await itemOf(text))
  assert.equal(
    packages.map(({ key, purl }) => [key, purl]),
    [
      ['npm/@acme/widget', 'pkg:npm/%40Acme/Widget'],
      ['Debian/widget', 'pkg:deb/debian/widget'],
    ],
  )
  assert.equal(
    packages.map(({ text }) => JSON.parse(text)),
    packageStatements(JSON.parse(text)).map(({ advisory }) => advisory),
  )
})

test('entries without a CVE, malware and withdrawn entries are kept; a withdrawn one states no package', async () => {
  const affected = [inPackage('npm', 'widget')]
  const packagesOf = async (id: string, fields: Record<string, unknown>, feed: 'osv' | 'ghsa' = 'osv') => {
    const item = await itemOf(entry({ id, affected, ...fields }), { id, feed })
    const { text, packages } = advisoryOf(item)
    assert.equal(JSON.parse(text).id, id)
    return packages.map(({ key }) => key)
  }
  const withdrawn = '2024-06-01T00:00:00Z'
  assert.equal(await packagesOf('MAL-2024-1', {}), ['npm/widget'])
  assert.equal(await packagesOf(ID, {}, 'ghsa'), ['npm/widget'])
  assert.equal(await packagesOf(ID, { withdrawn }, 'ghsa'), [])
  assert.equal(await packagesOf('GO-2024-1', { withdrawn, aliases: ['CVE-2024-0001'] }), [])
})

test('an entry with a name that is too long is skipped and named, also without a CVE', async () => {
  const long = 'x'.repeat(2049)
  const cases: [string, Record<string, unknown>][] = [
    ['name', inPackage('npm', long)],
    ['ecosystem', inPackage(long, 'widget')],
    ['URL', inPackage('npm', 'widget', { purl: `pkg:npm/${long}` })],
  ]
  for (const [what, affected] of cases) {
    for (const aliases of [[], ['CVE-2024-0001']]) {
      const item = await itemOf(entry({ aliases, affected: [affected] }))
      assert.ok(item.kind === 'skip')
      assert.equal([item.key, item.reason], [ID, 'item_invalid'])
      assert.match(item.detail, new RegExp(`^the ${what} of a package has 20\\d\\d characters; the limit is 2048$`))
    }
  }
})

test('a package whose name no request can state is noted, and the others are stated', async () => {
  const names = ['a b', 'a\nb', 'a\u0000b', 'a\u2028b', '.', '..', 'a.b', '@x/y', '...', 'é']
  const item = await itemOf(
    entry({ affected: [...names.map((name) => inPackage('npm', name)), inPackage('n/pm', 'a')] }),
  )
  assert.equal(
    advisoryOf(item).packages.map(({ key }) => key),
    ['npm/a.b', 'npm/@x/y', 'npm/...', 'npm/é'],
  )
  assert.ok(item.kind === 'claim')
  assert.equal([...new Set(item.notes.map(({ code }) => code))], ['package-unreadable'])
  assert.equal(
    item.notes.map(({ detail }) => detail),
    [...names.slice(0, 6).map((name) => [name, 'npm']), ['a', 'n/pm']].map(
      ([name, ecosystem]) => `${shown(name)} of ${shown(ecosystem)} is no name of a package`,
    ),
  )
})

test('an entry with statements that are too long together is skipped and named', async () => {
  const details = { summary: 'x'.repeat(MAX_STATEMENTS_LENGTH / 4) }
  const affected = (count: number) => Array.from({ length: count }, (_, i) => inPackage('npm', `p${i}`))
  assert.is(advisoryOf(await itemOf(entry({ ...details, affected: affected(3) }))).packages.length, 3)
  const item = await itemOf(entry({ ...details, affected: affected(4) }))
  assert.ok(item.kind === 'skip')
  assert.equal([item.key, item.reason], [ID, 'entry_too_large'])
  const what =
    /^what it states about the first 4 of its 4 packages has \d+ characters, with its facts for each; the limit is /
  assert.match(item.detail, what)
})

test.after(() => folder.remove())
test.run()
