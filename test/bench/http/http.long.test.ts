/** The bench over HTTP runs: every kind of request gets a correct answer, and lines are complete. Nothing is timed. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleOfTwoNights, temporaryFolder } from '../../support/dist.ts'
import { ROOT } from '../build/program.ts'
import type { BenchContext, BenchLine } from '../report/line.ts'
import { type Catalog, openCatalog } from './catalog.ts'
import { type Client, createClient, headerOf } from './client.ts'
import { type DistView, lastPointers, viewOf } from './dist-view.ts'
import { processLines } from './footprint.ts'
import { httpLines } from './http.ts'
import { makeToken, startGateway } from './processes.ts'
import { type Draw, isKindName, type KindName, kindOf, REQUEST_KINDS } from './request-kinds.ts'
import { typicalAnswer } from './sample-answers.ts'
import { countTexts } from './search-texts.ts'
import { stallLines } from './stall.ts'

/** Small: shared with another test. */
const CVES = 400
/** Kinds that may lack a full page in such a small corpus. */
const SPARSE = ['kev', 'critical']
const { path: folder, remove } = temporaryFolder('bench-http')
const context: Omit<BenchContext, 'corpora'> = { folder, root: ROOT, rounds: 1, seconds: 0.05, say: () => {} }

interface Served {
  view: DistView
  pointers: ReturnType<typeof lastPointers>
  corpora: BenchContext['corpora']
  client: Client
  catalog: Catalog
  stop(): Promise<void>
}

const http = suite<{ served: Served }>('bench over HTTP')

async function drawOf(name: KindName, catalog: Catalog): Promise<Draw | null> {
  try {
    return await kindOf(name).draw(catalog)
  } catch (error) {
    if (SPARSE.includes(name) && error instanceof Error && error.message.includes('too small')) return null
    throw error
  }
}

http.before(async (context) => {
  const { dist, feeds, corpus, nights } = await sampleOfTwoNights(folder, CVES)
  const token = makeToken(folder)
  const pointers = lastPointers(dist)
  const view = viewOf(dist, `${folder}/view`, [pointers.first, pointers.second])
  const gateway = await startGateway({ name: 'test', dist: view.path, folder, options: ['--poll-seconds', '1'] })
  const client = createClient(gateway.port, token)
  const corpora = [{ cves: CVES, feeds, corpus, dist, nights: [nights[0]!, nights[1]!] as [string, string] }]
  context.served = { view, pointers, corpora, client, catalog: openCatalog(view.path, client), stop: gateway.stop }
})

http.after(async ({ served: { client, catalog, stop } }) => {
  client.close()
  catalog.close()
  await stop()
  remove()
})

http('every kind of request is answered as it should be', async ({ served: { client, catalog } }) => {
  for (const name of Object.keys(REQUEST_KINDS)) {
    if (!isKindName(name)) continue
    const draw = await drawOf(name, catalog)
    if (draw === null) continue
    const constant = await typicalAnswer(client, kindOf(name), Array.from({ length: 5 }, draw))
    assert.is(constant.status, kindOf(name).status ?? 200, name)
  }
})

http('keys are drawn from everywhere', async ({ served: { catalog } }) => {
  const drawn = new Set(Array.from({ length: 20_000 }, () => catalog.id()))
  assert.is(drawn.size, catalog.snapshot.index.count)
  const draw = await kindOf('page100').draw(catalog)
  const pages = new Set(Array.from({ length: 1000 }, () => draw().target))
  assert.is(pages.size, Math.floor(catalog.snapshot.index.count / 100) - 1)
})

http('texts are counted, the most common first', ({ served: { catalog } }) => {
  const counted = countTexts(catalog.snapshot, catalog.random, 50, 10_000)
  assert.is(counted.length, 50)
  assert.ok(counted.every(({ matches }, i) => i === 0 || matches <= counted[i - 1]!.matches))
})

http('a view of a dist shows one snapshot, then the next', async ({ served: { view, pointers, client } }) => {
  const { first, second } = pointers
  const served = async () => headerOf(await client.receive({ target: '/api/v1/snapshot' }, 'gzip'), 'snapshot-id')
  assert.is(await served(), first.snapshot)
  view.activate(second)
  while ((await served()) === first.snapshot) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.is(await served(), second.snapshot)
})

http('lines come out with everything that a report wants', async ({ served: { corpora } }) => {
  const only = [
    'http/page25-warm',
    'http/nothing',
    'http/affected-p99',
    'stall/search-few',
    'stall/pages-under-search-few',
    'process/memory-packages',
  ]
  const lines: BenchLine[] = []
  for (const group of [httpLines, stallLines, processLines]) {
    for await (const line of group({ ...context, corpora, only })) lines.push(line)
  }
  assert.equal(lines.map(({ name }) => name).sort(), only.sort())
  for (const { figure, cves, details, growth } of lines) {
    assert.ok(figure > 0)
    assert.is(cves, CVES)
    assert.is(growth, null)
    assert.ok(Object.values(details).every(Number.isFinite), JSON.stringify(details))
  }
})

http.run()
