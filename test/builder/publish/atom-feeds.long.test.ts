/** The Atom feeds of a published folder: what they state about three nights, and when they are written. */
import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { prune } from '../../../builder/prune.ts'
import { siteUrl } from '../../../builder/publish/options.ts'
import { publish } from '../../../builder/publish/publish.ts'
import { noProgress } from '../../../corpus/command/progress.ts'
import type { CveId } from '../../../corpus/model/ids/cve-id.ts'
import { openSource } from '../../../corpus/repository/source.ts'
import { manifestPath, readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { verify } from '../../../corpus/snapshot/verify/verify.ts'
import { mirror } from '../../../gateway/mirror/mirror.ts'
import { linkOf, readAtom } from '../../support/atom.ts'
import { ingestAndBuild, quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, epssCsv, kevJson, putFeeds, type SmallRecord } from '../../support/feeds.ts'
import { openWorld } from '../../support/publisher.ts'
import { currentFilesOf, filesOf } from '../../support/repository-files.ts'
import { BUCKET, openObjectStore } from '../../support/s3.ts'

const folder = temporaryFolder('atom')
const test = suite('Atom feeds')
const at = (name: string) => join(folder.path, name)
const idOf = (number: number): CveId => `CVE-2024-${number}`
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

const HOSTILE = `</title><script>alert("1")</script> ]]> & &lt; \u0001\u001b[31m\u009b \ud83d\ude00`

/** Days of May 2024; several CVEs share a day. */
const addedOn = (number: number) => `2024-05-${String(1 + (number % 28)).padStart(2, '0')}`
const LATE: Record<number, string> = { 1110: '2024-06-01', 1121: '2024-06-02' }

function kevOf(listed: readonly number[], released: string, changes: Record<number, object> = {}): string {
  const catalog = JSON.parse(kevJson(listed.map(idOf), released)) as { vulnerabilities: { dateAdded: string }[] }
  for (const [i, number] of listed.entries()) {
    Object.assign(catalog.vulnerabilities[i]!, { dateAdded: LATE[number] ?? addedOn(number), ...changes[number] })
  }
  return JSON.stringify(catalog)
}

const FIRST = numbers(1001, 1120)
const FIRST_KEV = numbers(1001, 1108)
const SECOND_KEV = [...FIRST_KEV.filter((number) => number !== 1005), 1110, 1121]

/** Of the second night. Changes of other fields are no entries. */
const ALTERED = {
  1010: { dueDate: '2024-07-01', knownRansomwareCampaignUse: 'Known' },
  1011: { requiredAction: 'Disconnect it.' },
}

const second: SmallRecord[] = [
  ...FIRST.filter((number) => number !== 1003).map((number): SmallRecord => {
    if (number === 1001) return { id: idOf(number), title: 'Another title', updated: '2024-06-02T08:00:00.000Z' }
    if (number === 1002) return { id: idOf(number), state: 'REJECTED', updated: '2024-06-02T08:00:00.000Z' }
    return { id: idOf(number) }
  }),
  { id: idOf(1121), title: HOSTILE, updated: '2024-06-02T09:00:00.000Z' },
]

/** Copies of one folder of snapshots after each night. */
const nights: string[] = []
for (const files of [
  {
    'cvelistv5/2024-06-01_all_CVEs_at_midnight.zip': baselineZip(FIRST.map((number) => ({ id: idOf(number) }))),
    'kev/known_exploited_vulnerabilities.json': kevOf(FIRST_KEV, '2024-06-01T10:00:00.0000Z'),
  },
  {
    'cvelistv5/2024-06-02_all_CVEs_at_midnight.zip': baselineZip(second),
    'kev/known_exploited_vulnerabilities.json': kevOf(SECOND_KEV, '2024-06-02T10:00:00.0000Z', ALTERED),
  },
  { 'epss/epss_scores-2024-06-03.csv.gz': epssCsv([[idOf(1001), 0.5, 0.9]], '2024-06-03') },
]) {
  putFeeds(at('feeds'), files)
  await ingestAndBuild({ feeds: at('feeds'), corpus: at('corpus.db'), dist: at('dist') })
  cpSync(at('dist'), at(`night-${nights.length}`), { recursive: true })
  nights.push(at(`night-${nights.length}`))
}
const [night1, night2, night3] = nights as [string, string, string]

const world = openWorld()
test.after(async () => {
  await world.close()
  folder.remove()
})

const SITE = siteUrl('https://vulns.example.com/shelf')
let count = 0
const newFolder = () => at(`target-${count++}`)
const run = (dist: string, to: string, site: URL | null = SITE) =>
  publish({ dist, to, site }, world.effects, noProgress)
const FEEDS = ['kev.atom', 'changes.atom'] as const
const bytesAt = (to: string) => FEEDS.map((name) => readFileSync(join(to, name)))
const snapshotOf = (dist: string) => readCurrent(dist).pointer.snapshot

test('without a site URL there are no feeds', async () => {
  const to = newFolder()
  await run(night2, to, null)
  for (const name of FEEDS) assert.not.ok(existsSync(join(to, name)))
})

test('kev.atom has the last 100 additions, removals and changes, newest first', async () => {
  const to = newFolder()
  await run(night2, to)
  const feed = readAtom(bytesAt(to)[0]!)
  assert.equal(
    [feed.id, feed.updated, linkOf(feed, 'self'), linkOf(feed, 'alternate')],
    [
      'tag:vulns.example.com,2026:/shelf/kev',
      '2024-06-02T09:00:00.000Z',
      'https://vulns.example.com/shelf/kev.atom',
      'https://vulns.example.com/shelf/#/cves?kev=true',
    ],
  )
  const dateOf = (number: number) => LATE[number] ?? addedOn(number)
  const expected = SECOND_KEV.filter((number) => ![1002, 1003].includes(number))
    .sort((a, b) => (dateOf(a) === dateOf(b) ? b - a : dateOf(a) < dateOf(b) ? 1 : -1))
    .slice(0, 98)
  assert.is(feed.entries.length, 100)
  const pair = [night1, night2].map(snapshotOf).join('/')
  assert.equal(
    feed.entries.slice(0, 2).map(({ id, title, updated }) => [id, title, updated]),
    [
      [1005, 'removed from KEV'],
      [1010, 'KEV due date 2024-06-10 → 2024-07-01, ransomware use unknown → known'],
    ].map(([number, what]) => [
      `tag:vulns.example.com,2026:/shelf/kev/${idOf(Number(number))}/${pair}`,
      `${idOf(Number(number))}: ${what}`,
      '2024-06-02T09:00:00.000Z',
    ]),
  )
  const additions = feed.entries.slice(2)
  assert.equal(
    additions.map(({ id, updated }) => [id, updated]),
    expected.map((number) => [
      `tag:vulns.example.com,2026:/shelf/kev/${idOf(number)}`,
      `${dateOf(number)}T00:00:00.000Z`,
    ]),
  )
  const second = additions[1]!
  assert.equal(
    [second.title, linkOf(second, 'alternate'), linkOf(second, 'related')],
    [
      'CVE-2024-1110: A fault in CVE-2024-1110',
      'https://vulns.example.com/shelf/#/cves/CVE-2024-1110',
      'https://www.cve.org/CVERecord?id=CVE-2024-1110',
    ],
  )
  assert.match(second.summary, /^Added to KEV on 2024-06-01; without a severity\. The parser of Acme Widget /)
})

test('hostile titles stay text', async () => {
  const to = newFolder()
  await run(night2, to)
  const first = readAtom(bytesAt(to)[0]!).entries.find(({ title }) => title.startsWith(idOf(1121)))
  assert.ok(first!.title.startsWith('CVE-2024-1121: </title><script>alert("1")</script> ]]> & &lt; '), first!.title)
  assert.ok(first!.title.includes('\u{1f600}'))
})

test('changes.atom has one entry for each snapshot and its parent, with counts and links', async () => {
  const to = newFolder()
  await run(night3, to)
  const feed = readAtom(bytesAt(to)[1]!)
  const ids = nights.map(snapshotOf)
  const page = (since: string, until: string) =>
    `https://vulns.example.com/shelf/#/changes?since=${since.slice(0, 12)}&until=${until.slice(0, 12)}`
  assert.equal(
    feed.entries.map((entry) => [entry.id, entry.title, entry.updated, linkOf(entry, 'alternate')]),
    [
      [
        `tag:vulns.example.com,2026:/shelf/changes/${ids[1]}/${ids[2]}`,
        '2024-06-02: no CVE changed',
        '2024-06-02T09:00:00.000Z',
        page(ids[1]!, ids[2]!),
      ],
      [
        `tag:vulns.example.com,2026:/shelf/changes/${ids[0]}/${ids[1]}`,
        '2024-06-02: 1 new, 5 changed, 1 rejected, 1 removed, 2 added to KEV, 1 removed from KEV',
        '2024-06-02T09:00:00.000Z',
        page(ids[0]!, ids[1]!),
      ],
    ],
  )
  assert.is(feed.updated, '2024-06-02T09:00:00.000Z')
  const linked = (id: string) => ({ text: id, href: `https://vulns.example.com/shelf/#/cves/${id}` })
  assert.equal(feed.entries[0]!.items, [])
  assert.equal(feed.entries[1]!.items, [1121, 1110, 1005, 1002, 1003, 1121].map(idOf).map(linked))
})

test('a snapshot without a parent, and one whose parent was pruned, have no entries', async () => {
  const [one, two] = [newFolder(), newFolder()]
  await run(night1, one)
  assert.equal(readAtom(bytesAt(one)[1]!).entries, [])
  const pruned = newFolder()
  cpSync(night3, pruned, { recursive: true })
  await prune(pruned, { keep: { last: 2 } }, quietEffects())
  await run(pruned, two)
  assert.is(readAtom(bytesAt(two)[1]!).entries.length, 1)
})

test('a damaged parent ends the feed with a line in the log', async () => {
  const [dist, to] = [newFolder(), newFolder()]
  cpSync(night3, dist, { recursive: true })
  writeFileSync(manifestPath(dist, readCurrent(dist).manifest.parent!.manifest), '{}')
  world.log.length = 0
  await run(dist, to)
  assert.equal(readAtom(bytesAt(to)[1]!).entries, [])
  assert.ok(world.log.some((line) => /^manifest \S+ is damaged.*; the Atom feeds end before that snapshot$/.test(line)))
})

test('the same snapshots give the same bytes; feeds without news are not written again', async () => {
  const [to, other] = [newFolder(), newFolder()]
  const first = await run(night2, to)
  await run(night2, other)
  assert.equal(bytesAt(other), bytesAt(to))
  const writtenAt = () => FEEDS.map((name) => statSync(join(to, name)).ino)
  const before = writtenAt()
  const again = await run(night2, to)
  assert.equal([again.changed, again.uploaded], [false, { files: 0, bytes: 0 }])
  assert.is(again.reused.files, first.uploaded.files)
  assert.equal(writtenAt(), before)
  // Another night of EPSS scores changes one of them.
  await run(night3, to)
  assert.is(writtenAt()[0], before[0])
  assert.is.not(writtenAt()[1], before[1])
})

test('a feed of the same size with other bytes, and a longer one, are replaced', async () => {
  const to = newFolder()
  await run(night2, to)
  const good = bytesAt(to)
  for (const wrong of [Buffer.alloc(good[0]!.length, 'x'), Buffer.alloc(good[0]!.length + 1, 'x')]) {
    writeFileSync(join(to, 'kev.atom'), wrong)
    assert.is((await run(night2, to)).uploaded.files, 1)
    assert.equal(bytesAt(to), good)
  }
  rmSync(join(to, 'kev.atom'))
  await run(night2, to, null)
  assert.not.ok(existsSync(join(to, 'kev.atom')), 'without a site URL nothing is written')
})

test('verify and mirrors ignore the feeds, and prune keeps them', async () => {
  const [to, copy] = [newFolder(), newFolder()]
  await run(night1, to)
  await run(night3, to)
  assert.equal((await verify(to)).faults, [])
  await mirror(openSource(to, world.effects), { dist: copy, keys: null }, world.effects, noProgress)
  assert.equal(currentFilesOf(copy), currentFilesOf(to))
  for (const name of FEEDS) assert.not.ok(existsSync(join(copy, name)))
  const before = bytesAt(to)
  const pruned = await prune(to, { keep: { last: 1 } }, quietEffects())
  assert.ok(pruned.removed.manifests > 0)
  assert.equal(bytesAt(to), before)
})

test('an object store gets them with their media type, once', async () => {
  const store = await openObjectStore(at('store'))
  const before = { ...process.env }
  Object.assign(process.env, store.env)
  try {
    const to = `s3://${BUCKET}/vulns`
    await run(night2, to)
    const [local] = [newFolder()]
    await run(night2, local)
    for (const [i, name] of FEEDS.entries()) {
      const answer = await fetch(`${store.url}/${BUCKET}/vulns/${name}`)
      assert.equal(
        [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
        [200, 'application/atom+xml', 'no-cache'],
      )
      assert.equal(Buffer.from(await answer.arrayBuffer()), bytesAt(local)[i])
    }
    const puts = () => store.asked.filter(({ method }) => method === 'PUT').map(({ key }) => key)
    assert.equal(puts().slice(-3), ['vulns/kev.atom', 'vulns/changes.atom', 'vulns/latest.json'])
    store.asked.length = 0
    await run(night2, to)
    assert.equal(puts(), [])
  } finally {
    process.env = before
    await store.close()
  }
})

test('a failed upload of a feed leaves the previous snapshot in place', async () => {
  const to = newFolder()
  await run(night1, to)
  const before = filesOf(to)
  const failing = {
    ...world.effects,
    rename: async (from: string, position: string) => {
      if (position.endsWith('.atom')) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
      return world.effects.rename(from, position)
    },
  }
  const error = await publish({ dist: night2, to, site: SITE }, failing, noProgress).catch((cause: unknown) => cause)
  assert.match((error as Error).message, /EIO/)
  assert.is(readCurrent(to).pointer.snapshot, snapshotOf(night1))
  assert.is(filesOf(to)['latest.json'], before['latest.json'])
  await run(night2, to)
  assert.is(readCurrent(to).pointer.snapshot, snapshotOf(night2))
})

test.run()
