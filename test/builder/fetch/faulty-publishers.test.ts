/** A faulty publisher: earlier files stay, and the next ingest finds nothing new. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addBaseUrl, noBaseUrls } from '../../../builder/fetch/bases.ts'
import { fetchFeeds } from '../../../builder/fetch/fetch.ts'
import { failures } from '../../../builder/fetch/report.ts'
import { ingest } from '../../../builder/ingest/ingest.ts'
import { vulnshelf } from '../../cli/command.ts'
import { quietEffects, temporaryFolder } from '../../support/dist.ts'
import { baselineZip, epssCsv, kevJson, zipOf } from '../../support/feeds.ts'
import {
  type Manner,
  openPublisher,
  openWorld,
  type Publisher,
  plain,
  serve,
  status,
  type World,
} from '../../support/publisher.ts'

const folder = temporaryFolder('faulty-publishers')
const test = suite('faulty publishers')
let publisher: Publisher
let world: World
let count = 0

test.before.each(async () => {
  publisher = await openPublisher()
  world = openWorld()
})
test.after.each(async () => {
  await world.close()
  await publisher.close()
})
test.after(() => folder.remove())

const id = 'CVE-2024-1001'
const GOOD: Record<string, Uint8Array | string> = {
  'kev/known_exploited_vulnerabilities.json': kevJson([id]),
  'epss/epss_scores-2024-06-01.csv.gz': epssCsv([[id, 0.1, 0.5]], '2024-06-01'),
  'cvelistv5/2024-06-01_all_CVEs_at_midnight.zip': baselineZip([{ id }]),
  'osv/Go/all.zip': zipOf({ 'GO-1.json': JSON.stringify({ id: 'GO-1', aliases: [id], modified: '2024-05-01' }) }),
}
const only = ['kev', 'epss', 'cvelist', 'osv'] as const

const fetchAll = (feeds: string) =>
  fetchFeeds(
    {
      feeds,
      only,
      ecosystems: ['Go'],
      bases: addBaseUrl(`${publisher.url}/copy`, [...only], noBaseUrls),
    },
    world.effects,
  )

const index = (names: readonly string[]) =>
  plain(Buffer.from(`<html>${names.map((name) => `<a href="${name}">x</a>`).join('')}</html>`))

/** Returns a folder with all files fetched, and its corpus. */
async function goodNight() {
  for (const [path, bytes] of Object.entries(GOOD)) publisher.on(`/copy/${path}`, serve(Buffer.from(bytes)))
  // Without a listing of its own, a copy is read through its index pages.
  for (const folderName of only.map((name) => (name === 'cvelist' ? 'cvelistv5' : name))) {
    const names = Object.keys(GOOD).filter((path) => path.startsWith(`${folderName}/`))
    publisher.on(`/copy/${folderName}/`, index(names.map((path) => path.split('/')[1]!)))
  }
  publisher.on('/copy/osv/Go/', index(['all.zip']))
  const feeds = join(folder.path, `feeds-${++count}`)
  const first = await fetchAll(feeds)
  assert.equal(failures(first), [])
  const corpus = join(folder.path, `corpus-${count}.db`)
  const run = () => ingest({ feeds, corpus, jobs: 0 }, quietEffects())
  await run()
  return { feeds, run }
}

const HTML = Buffer.from('<!DOCTYPE html><html><body>Down for maintenance</body></html>')
const BAD: [what: string, manner: Manner, message: RegExp][] = [
  ['is gone (404)', status(404), /404/],
  ['is an HTML page with status 200', plain(HTML), /it is an HTML page/],
  ['is of no bytes', plain(Buffer.alloc(0)), /it is empty/],
]

for (const path of Object.keys(GOOD)) {
  for (const [what, manner, message] of BAD) {
    test(`${path} ${what}: the fetch fails by name, the file stays, the ingest finds nothing new`, async () => {
      const { feeds, run } = await goodNight()
      publisher.on(`/copy/${path}`, manner)
      const report = await fetchAll(feeds)
      assert.is(report.failed, 1)
      const [line, ...others] = failures(report)
      assert.equal(others, [])
      assert.ok(line!.startsWith(`${path}: `), line)
      assert.match(line!, message)
      const ingested = await run()
      assert.equal(
        ingested.feeds.filter((feed) => feed.status !== 'absent').map((feed) => [feed.name, feed.status]),
        ['kev', 'epss', 'osv', 'cvelist'].map((name) => [name, 'unchanged']),
      )
    })
  }
}

test('the command prints the failure to standard error, with exit code 1', async () => {
  const { feeds } = await goodNight()
  publisher.on('/copy/kev/known_exploited_vulnerabilities.json', status(404))
  const outcome = await vulnshelf(['fetch', feeds, '--only', 'kev', '--base-url', `${publisher.url}/copy`])
  assert.is(outcome.code, 1)
  assert.match(outcome.err.at(-1)!, /^vulnshelf: kev\/known_exploited_vulnerabilities\.json: .*404/)
  assert.match(outcome.out, /^KEV +1 file failed/)
})

test.run()
