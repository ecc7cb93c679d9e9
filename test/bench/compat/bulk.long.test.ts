/** The bench of npm's bulk endpoint: the drawn lock files, and complete lines. Both servers answer alike, or it throws. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { sampleOfTwoNights, temporaryFolder } from '../../support/dist.ts'
import { ROOT } from '../build/program.ts'
import { openCatalog } from '../http/catalog.ts'
import type { Client } from '../http/client.ts'
import type { BenchContext, BenchLine } from '../report/line.ts'
import { bulkRequests, compatLines } from './bulk.ts'

/** Small: shared with another test. */
const CVES = 400
const { path: folder, remove } = temporaryFolder('bench-bulk')

const bulk = suite<{ corpora: BenchContext['corpora'] }>('bench of npm audits')

bulk.before(async (context) => {
  const { dist, feeds, corpus, nights } = await sampleOfTwoNights(folder, CVES)
  context.corpora = [{ cves: CVES, feeds, corpus, dist, nights: [nights[0]!, nights[1]!] }]
})

bulk.after(remove)

bulk('a request names 3,000 packages, and the share of them that has advisories', ({ corpora }) => {
  const catalog = openCatalog(corpora[0]!.dist, {} as Client)
  const draw = (known: number) => {
    const { body = '' } = bulkRequests({ known, most: 1000 }, catalog)()
    const asked = Object.entries(JSON.parse(body) as Record<string, string[]>)
    return { asked, found: asked.filter(([name]) => catalog.snapshot.packages.package('npm', name)) }
  }
  try {
    const some = draw(0.02)
    assert.is(some.asked.length, 3000)
    assert.is(some.found.length, 60)
    assert.ok(some.asked.every(([, versions]) => versions.length > 0))
    // This corpus has fewer than 3,000.
    const all = draw(1)
    assert.ok(all.found.length > 60)
    assert.is(all.asked.length, all.found.length)
  } finally {
    catalog.close()
  }
})

bulk('a line has the times of both, in the same run', async ({ corpora }) => {
  const lines: BenchLine[] = []
  const context = { corpora, folder, root: ROOT, rounds: 1, seconds: 0.05, say: () => {} }
  for await (const line of compatLines(context)) lines.push(line)
  assert.equal(
    lines.map(({ name }) => name),
    ['compat/bulk', 'compat/bulk-all'],
  )
  for (const { figure, reference, ratio, details, unit } of lines) {
    assert.is(unit, 'ms')
    assert.ok(figure > 0 && reference!.figure > 0 && ratio!.median > 0)
    assert.ok(Object.values(details).every(Number.isFinite), JSON.stringify(details))
    assert.ok(details['response bytes']! > 100)
  }
})

bulk.run()
