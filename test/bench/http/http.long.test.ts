/** The bench over HTTP runs: every kind of request gets a correct answer, and lines are complete. Nothing is timed. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { finished } from '../../../corpus/runtime/steps.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { ownSample } from '../../support/samples.ts'
import { until } from '../../support/until.ts'
import { ROOT } from '../build/program.ts'
import { bulkRequests, compatLines } from '../compat/bulk.ts'
import type { BenchContext, BenchLine } from '../report/line.ts'
import { type Catalog, openCatalog } from './catalog.ts'
import { type Client, createClient, headerOf } from './client.ts'
import { type DistView, lastPointers, viewOf } from './dist-view.ts'
import { processLines } from './footprint.ts'
import { httpLines } from './http.ts'
import { type Gateway, startGateway } from './processes.ts'
import { type Draw, type KindName, kindOf, REQUEST_KINDS } from './request-kinds.ts'
import { typicalAnswer } from './sample-answers.ts'
import { countTexts } from './search-texts.ts'
import { tokenIn } from './sites.ts'
import { stallLines } from './stall.ts'

/** Small: shared with another test. */
const CVES = 400
/** Kinds that may lack a full page in such a small corpus. */
const SPARSE = ['kev', 'critical']
const { path: folder, remove } = temporaryFolder('bench-http')
const context: Omit<BenchContext, 'corpora'> = { folder, root: ROOT, rounds: 1, seconds: 0.05, say: () => {} }

let view: DistView
let pointers: ReturnType<typeof lastPointers>
let corpora: BenchContext['corpora']
let client: Client
let catalog: Catalog
let gateway: Gateway

test.before(async () => {
  const { dist, feeds, corpus, nights } = await ownSample('usual', folder)
  corpora = [{ cves: CVES, feeds, corpus, dist, nights: [nights[0]!, nights[1]!] }]
  pointers = lastPointers(dist)
  view = viewOf(dist, join(folder, 'view'), [pointers.first, pointers.second])
  const { token, jwks } = await tokenIn(folder)
  gateway = await startGateway({ name: 'test', dist: view.path, folder, jwks, options: ['--poll-seconds', '1'] })
  client = createClient(gateway.port, token)
  catalog = openCatalog(view.path, client)
})

test.after(async () => {
  await client.close()
  catalog.close()
  await gateway.stop()
  remove()
})

async function drawOf(name: KindName): Promise<Draw | null> {
  try {
    return await kindOf(name).draw(catalog)
  } catch (error) {
    if (SPARSE.includes(name) && error instanceof Error && error.message.includes('too small')) return null
    throw error
  }
}

test('every kind of request gets its answer; a wrong status or content fails the measurement', async () => {
  const kinds = Object.keys(REQUEST_KINDS) as KindName[]
  for (const name of kinds) {
    const draw = await drawOf(name)
    if (draw === null) continue
    const constant = await typicalAnswer(client, kindOf(name), Array.from({ length: 5 }, draw))
    assert.is(constant.status, kindOf(name).status ?? 200, name)
  }
  const failure = (target: string) =>
    typicalAnswer(client, kindOf('page25'), [{ target }]).then(() => 'no failure', String)
  assert.match(await failure('/api/v1/cves?limit=24'), /was not answered with: page, limit 25/)
  assert.match(await failure('/api/v1/nothing'), /was answered 404/)
})

test('keys are drawn from everywhere', async () => {
  const drawn = new Set(Array.from({ length: 20_000 }, () => catalog.id()))
  assert.is(drawn.size, catalog.snapshot.index.count)
  const draw = await kindOf('page100').draw(catalog)
  const pages = new Set(Array.from({ length: 1000 }, () => draw().target))
  assert.is(pages.size, Math.floor(catalog.snapshot.index.count / 100) - 1)
})

test('texts are counted, the most common first', () => {
  const counted = countTexts(catalog.snapshot, catalog.random, 50, 10_000)
  assert.is(counted.length, 50)
  assert.ok(counted.every(({ matches }, i) => i === 0 || matches <= counted[i - 1]!.matches))
})

test('an audit names 3,000 packages, and the share of them that has advisories', () => {
  const draw = (known: number) => {
    const { body = '' } = bulkRequests({ known, most: 1000 }, catalog)()
    const asked = Object.entries(JSON.parse(body) as Record<string, string[]>)
    return { asked, found: asked.filter(([name]) => finished(catalog.snapshot.packages.package('npm', name))) }
  }
  const some = draw(0.02)
  assert.equal([some.asked.length, some.found.length], [3000, 60])
  assert.ok(some.asked.every(([, versions]) => versions.length > 0))
  // This corpus has fewer than 3,000.
  const all = draw(1)
  assert.ok(all.found.length > 60)
  assert.is(all.asked.length, all.found.length)
})

test('a view of a dist shows one snapshot, then the next', async () => {
  const { first, second } = pointers
  const served = async () => headerOf(await client.receive({ target: '/api/v1/snapshot' }, 'gzip'), 'snapshot-id')
  assert.is(await served(), first.snapshot)
  view.activate(second)
  await until(
    async () => (await served()) === second.snapshot,
    () => 'the second snapshot is not served',
  )
})

test('lines are complete', async () => {
  const only = [
    'http/page25-warm',
    'http/nothing',
    'http/affected-p99',
    'compat/bulk',
    'compat/bulk-all',
    'stall/search-few',
    'stall/pages-under-search-few',
    'process/memory-packages',
  ]
  const lines: BenchLine[] = []
  for (const group of [httpLines, compatLines, stallLines, processLines]) {
    for await (const line of group({ ...context, corpora, only })) lines.push(line)
  }
  assert.equal(lines.map(({ name }) => name).sort(), only.sort())
  for (const { name, figure, cves, details, growth, reference, ratio } of lines) {
    assert.ok(figure > 0)
    assert.is(cves, CVES)
    assert.is(growth, null)
    assert.ok(Object.values(details).every(Number.isFinite), JSON.stringify(details))
    if (/^(http|compat)/.test(name)) assert.ok(reference!.figure > 0 && ratio!.median > 0, name)
    if (name.startsWith('compat')) assert.ok(details['response bytes']! > 100, name)
  }
})

test.run()
