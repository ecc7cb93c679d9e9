/** Requests and bytes of a reader at 12,000 CVEs, over a server with several ranges and over one without. */
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type CveListOptions, openReader, type Reader } from '../../../corpus/reader/reader.ts'
import { generateSample } from '../../../corpus/sample/generate.ts'
import { locateTable, partSpan, type TableHeader } from '../../../corpus/snapshot/codec/table.ts'
import { fileOf, readCurrent, readObject } from '../../../corpus/snapshot/files/layout.ts'
import { SECTION_NAMES } from '../../../corpus/snapshot/record/cve-pieces.ts'
import { ingestAndBuild, temporaryFolder } from '../../support/dist.ts'
import { packageQuestions } from '../../support/package-questions.ts'
import { serveFolder } from '../../support/web-folder.ts'

const folder = temporaryFolder('reader-parts-long')
const at = (name: string) => join(folder.path, name)
const dist = at('dist')
// More than any shared sample: tables and orders must be worth more than single requests.
await generateSample({ feeds: at('feeds'), cves: 12_000, nights: 1 })
await ingestAndBuild({ feeds: at('feeds'), corpus: at('corpus.db'), dist, jobs: 2 })
const { manifest } = readCurrent(dist)
const local = await openReader(dist)
const many = await serveFolder(dist)
const single = await serveFolder(dist, { manyRanges: 'whole' })

/** Returns the requests and bytes of a call; and its result, which must be that of the folder. */
async function figureOf<T>(server: typeof many, reader: Reader, call: (reader: Reader) => Promise<T>) {
  const [asked, sent] = [server.asked.length, server.sent()]
  const result = await call(reader)
  const figure = { requests: server.asked.length - asked, bytes: server.sent() - sent }
  assert.equal(result, await call(local))
  return figure
}

test('records and pages of all CVEs', async () => {
  const first = await local.list({ limit: 100 })
  const blocks = new Map(first.data.map(({ cve_id }) => [cve_id.slice(0, -3), cve_id]))
  for (const server of [many, single]) {
    const reader = await openReader(server.url)
    const figure = <T>(call: (reader: Reader) => Promise<T>) => figureOf(server, reader, call)
    for (const [i, cve_id] of [...blocks.values()].entries()) {
      const { requests, bytes } = await figure((reader) => reader.get(cve_id, { include: SECTION_NAMES }))
      assert.ok(requests <= (i === 0 ? 6 : 4) && bytes < 60_000, `${cve_id}: ${requests} requests, ${bytes} bytes`)
    }
    for (const sort of ['-published', 'updated', 'epss', '-cvss'] as const) {
      let cursor: string | undefined
      for (let page = 0; page < 12; page++) {
        const options: CveListOptions = { sort, limit: 50, cursor }
        const { requests, bytes } = await figure((reader) => reader.list(options))
        assert.ok(requests <= (page === 0 ? 4 : 2) && bytes < 100_000, `${sort}, page ${page}: ${requests}, ${bytes}`)
        cursor = (await local.list(options)).pagination.next_cursor!
      }
      const fresh = await openReader(server.url)
      const { requests } = await figureOf(server, fresh, (reader) => reader.list({ sort, limit: 50, cursor }))
      assert.ok(requests <= 4, `${sort}, a new reader: ${requests}`)
      await fresh.close()
    }
    await reader.close()
  }
})

test('filtered pages after the tables', async () => {
  const index = locateTable(readObject(dist, fileOf(manifest, 'index'))) as TableHeader
  const one = (['columns', 'epss-changes'] as const).map((role) => fileOf(manifest, role))
  const files = [...one, ...manifest.files.filter(({ role }) => role === 'orders')]
  const size = files.reduce((sum, { size }) => sum + size, partSpan(index, 'numberLow').length)
  assert.ok(size < 80 * one[0]!.count, `${size} bytes`)
  const reader = await openReader(many.url)
  const figure = <T>(call: (reader: Reader) => Promise<T>) => figureOf(many, reader, call)
  const opening = await figure((reader) => reader.list({ kev: true, limit: 1 }))
  assert.ok(opening.requests <= 9 && opening.bytes < size + 50_000, JSON.stringify(opening))
  // The first one reads whole pages: the server has not sent several parts yet.
  const whole = await figure((reader) => reader.list({ kev: true, sort: 'epss' }))
  assert.ok(whole.requests === 1 && whole.bytes < 700_000, JSON.stringify(whole))
  let scattered = 0
  for (const filters of [
    { kev: true },
    { kev: true, sort: '-epss' },
    { cwe: 79, has_exploit: true, sort: 'updated' },
    { has_detection: true, severity: 'high' },
  ] as const) {
    let cursor: string | undefined
    for (let page = 0; page < 3; page++) {
      const options: CveListOptions = { ...filters, cursor }
      const { data, pagination } = await local.list(options)
      const { requests, bytes } = await figure((reader) => reader.list(options))
      // One request: whole pages, which is fewer bytes than two requests are worth.
      const most = requests === 1 ? 700_000 : 300_000
      assert.ok(requests <= 3 && bytes < most, `${JSON.stringify(options)}: ${requests} requests, ${bytes} bytes`)
      if (data.length === 25 && requests > 1) scattered++
      if (pagination.next_cursor === null) break
      cursor = pagination.next_cursor
    }
  }
  assert.ok(scattered > 2, `${scattered} pages with rows on many pages of the order`)
  await reader.close()
})

test('packages', async () => {
  const questions = packageQuestions(dist).filter((one) => typeof one === 'object' && 'name' in one && !one.version)
  for (const server of [many, single]) {
    const reader = await openReader(server.url)
    let downloads = 0
    for (const question of questions.slice(0, 20)) {
      const { requests, bytes } = await figureOf(server, reader, (reader) => reader.affected(question))
      const rows = await local.affected(question)
      const cves = new Set(rows.flatMap(({ cve_ids }) => cve_ids)).size
      const parts = rows.length + cves
      assert.ok(requests <= 9 + (server === many ? 3 : 4) * parts, `${JSON.stringify(question)}: ${requests} requests`)
      const most = 50_000 + 40_000 * parts
      if (bytes > most) downloads++
      assert.ok(bytes < most + 400_000, `${JSON.stringify(question)}: ${bytes} bytes`)
    }
    assert.ok(downloads <= 2, `${downloads} packages took a whole table`)
    await reader.close()
  }
})

test.after(async () => {
  await local.close()
  await Promise.all([many.close(), single.close()])
  folder.remove()
})

test.run()
