/** The reader in a browser: Chromium opens a snapshot on nginx, in a page that allows scripts of its own origin only. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { bundleReader } from '../../../corpus/reader/browser/bundle.ts'
import type * as browser from '../../../corpus/reader/browser/reader.ts'
import { openReader } from '../../../corpus/reader/reader.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { all } from '../../support/all.ts'
import { type Answerer, compareAnswers } from '../../support/answerers.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { CHROMIUM, suiteNeeding } from '../../support/needs.ts'
import { type Nginx, startNginx } from '../../support/nginx.ts'
import { advisoryIds, packageQuestions } from '../../support/package-questions.ts'
import { sharedSample } from '../../support/samples.ts'
import { targetValues } from '../../support/target-values.ts'
import { requestTargets } from '../../support/targets.ts'

const test = suiteNeeding('reader in Chromium', 'Chromium', 'nginx')

const folder = temporaryFolder('reader-chromium')
const site = join(folder.path, 'site')
let nginx: Nginx
let program: Browser
let page: Page
let dist: string
const faults: string[] = []

/** The page has this while a test runs. */
declare const window: { reader: browser.Reader; library: typeof browser }

type Answering = Omit<browser.Reader, 'close'>

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; require-trusted-types-for 'script'"

test.before(async () => {
  dist = (await sharedSample('usual')).dist
  mkdirSync(site)
  cpSync(dist, join(site, 'dist'), { recursive: true })
  for (const [path, bytes] of (await bundleReader()).files) writeFileSync(join(site, path), bytes)
  writeFileSync(
    join(site, 'page.js'),
    "import * as library from './reader.js'\nwindow.library = library\nwindow.reader = await library.openReader('dist')\n",
  )
  writeFileSync(
    join(site, 'index.html'),
    '<!doctype html><title>reader</title><script type="module" src="page.js"></script>',
  )
  nginx = await startNginx(
    join(folder.path, 'nginx'),
    (port) => `
      types { text/html html; text/javascript js; application/json json; application/wasm wasm; }
      server {
        listen 127.0.0.1:${port};
        root ${site};
        add_header Content-Security-Policy "${POLICY}";
      }`,
  )
  program = await chromium.launch({ executablePath: CHROMIUM, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  page = await program.newPage()
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(`http://127.0.0.1:${nginx.port}/`)
  await page.waitForFunction(() => window.reader !== undefined)
})

interface Given {
  ids: string[]
  include: (typeof SECTION_NAMES)[number][]
  questions: ReturnType<typeof packageQuestions>
  advisories: string[]
}

/** Returns what a reader answers. A page runs the text of this function: it may refer to nothing outside. */
async function answersOf({ ids, include, questions, advisories }: Given, reader: Answering = window.reader) {
  const walked: unknown[] = []
  for await (const row of reader.walk({ sort: '-epss' })) walked.push(row)
  const each = <T, R>(list: readonly T[], work: (one: T) => Promise<R>) => Promise.all(list.map(work))
  return {
    snapshot: reader.snapshot,
    records: await each(ids, (id) => reader.get(id, { include })),
    walked,
    page: await reader.list({ kev: true, limit: 3 }),
    affected: await each(questions, (question) => reader.affected(question)),
    advisories: await each(advisories, (id) => reader.advisory(id)),
    lists: [
      await reader.entries('cwes', { sort: 'name', limit: 3 }),
      await reader.entries('products', { q: 'er' }),
      await reader.entry('cwes', 79),
      await reader.request('/cnas/stats'),
      await reader.request('/cwes/79/cves?limit=2'),
    ],
    documents: await each(ids.slice(0, 20), (id) =>
      Promise.all([reader.request(`/cves/${id}/advisory`), reader.request(`/cves/${id}/reports`)]),
    ),
    unknown: [await reader.get('CVE-1999-9999'), await reader.advisory('GHSA-0000-0000-0000')],
  }
}

test('packages, advisories, records, pages and walks are those of the reader in Node', async () => {
  const local = await openReader(dist)
  const given: Given = {
    ids: (await all(local.walk())).map(({ cve_id }) => cve_id),
    include: [...SECTION_NAMES],
    questions: packageQuestions(dist).filter((_, i) => i % 3 === 0),
    advisories: advisoryIds(dist),
  }
  const answers = await page.evaluate(answersOf, given)
  assert.equal(answers, await answersOf(given, local))
  assert.equal(answers.unknown, [null, null])
  assert.ok(answers.affected.flat().length > 50)
  await local.close()
})

test('several ranges are one request', async () => {
  const local = await openReader(dist)
  const rows = await all(local.walk())
  // On the first page and the third: the one between them is more than a gap.
  const ids = [rows[7]!, rows[207]!].map(({ cve_id }) => cve_id)
  const ranges: string[] = []
  page.on('request', (request) => ranges.push(request.headers().range ?? ''))
  const found = await page.evaluate(async (ids) => {
    const reader = await window.library.openReader('dist')
    const { data } = await reader.list({ ids })
    await reader.close()
    return data
  }, ids)
  assert.equal(found, (await local.list({ ids })).data)
  assert.is(ranges.filter((range) => range.split(',').length === 2).length, 1, ranges.join(' '))
  await local.close()
})

test('a search for which SQLite could not be loaded can be repeated', async () => {
  const other = await program.newPage()
  await other.goto(page.url())
  await other.waitForFunction(() => window.reader !== undefined)
  const search = () =>
    other.evaluate(() =>
      window.reader.request('/search?q=remote').then(
        ({ status }) => status,
        () => 'failed',
      ),
    )
  await other.route('**/*.wasm', (route) => route.abort())
  assert.is(await search(), 'failed')
  await other.unroute('**/*.wasm')
  assert.is(await search(), 200)
  await other.close()
})

test('requests of all routes have the answers of the reader in Node', async () => {
  const local = await openReader(dist)
  // The bundle does not describe the API.
  const described = (target: string) => /^\/openapi.json/i.test(target)
  const targets = (await requestTargets(local, await targetValues(local, []))).filter((target) => !described(target))
  const inPage: Answerer = {
    request: (target) => page.evaluate((target) => window.reader.request(target), target),
  }
  const { differences, replies } = await compareAnswers({ node: local, page: inPage }, targets)
  assert.is(differences.join('\n'), '')
  assert.ok(replies.length > 900)
  await local.close()
})

async function searchesOf(
  { queries, parent }: { queries: string[]; parent: string },
  reader: Answering = window.reader,
) {
  const searched = []
  for (const q of queries) {
    searched.push([await reader.search(q), await reader.suggest(q), await reader.list({ q, limit: 3 })])
  }
  return { searched, changes: await reader.changes(parent), snapshots: await reader.snapshots() }
}

test('searches and changes are those of the reader in Node', async () => {
  const local = await openReader(dist)
  const given = { queries: ['in', 'remote', 'cve-20', 'GHSA-', 'straße'], parent: local.snapshot.parent!.slice(0, 9) }
  const answers = await page.evaluate(searchesOf, given)
  assert.equal(answers, await searchesOf(given, local))
  assert.ok(answers.changes.data.length > 3 && answers.snapshots.data.length === 2)
  await local.close()
})

test('errors have their classes and codes', async () => {
  const answer = await page.evaluate(async () => {
    const { library, reader } = window
    const codeOf = (error: unknown) =>
      error instanceof library.CursorError || error instanceof library.SnapshotError ? error.code : String(error)
    return [
      await reader.affected('pkg:npm').catch((error: unknown) => error instanceof TypeError),
      await reader.list({ cursor: 'abc' }).catch(codeOf),
      await library.openReader('elsewhere').catch(codeOf),
      await library.openReader('ftp://example.com').catch((error: unknown) => error instanceof TypeError),
    ]
  })
  assert.equal(answer, [true, 'invalid', 'missing', true])
})

test('the page violates no policy, and asks only its own origin', async () => {
  // The missing folder of the previous test.
  assert.equal(
    faults.filter((fault) => !/404/.test(fault)),
    [],
  )
  const origins = await page.evaluate(() => [
    ...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)),
  ])
  assert.equal(origins, [`http://127.0.0.1:${nginx.port}`])
})

test.after(async () => {
  await program.close()
  await nginx.stop()
  folder.remove()
})

test.run()
