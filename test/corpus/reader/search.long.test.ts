/** Searches of a reader have the answers of a gateway, over a folder and over ranges. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Objects } from '../../../corpus/reader/objects.ts'
import { openReader, type Reader, type SearchType } from '../../../corpus/reader/reader.ts'
import { type FileEntry, type Manifest, searchAnswer, suggestion } from '../../../corpus/snapshot/index.ts'
import { finish, openQueryFile, searchRunner } from '../../../corpus/snapshot/query/native.ts'
import { LOCAL_COSTS, openSearches } from '../../../corpus/snapshot/query/search.ts'
import { DEFAULT_SEARCH_TYPES, SEARCH_TYPES, TEXT_SETS } from '../../../corpus/snapshot/query/sets.ts'
import { openTextSearch } from '../../../corpus/snapshot/ranges/text-search.ts'
import { askDirectly } from '../../support/ask.ts'
import { temporaryFolder } from '../../support/dist.ts'
import { sharedSample } from '../../support/samples.ts'
import { QUERIES, SHORT_QUERIES } from '../../support/search-queries.ts'
import { serveFolder } from '../../support/web-folder.ts'
import { buildQueryDb, sampleQueries, sampleTexts, seeded } from '../snapshot/query/sample.ts'

const folder = temporaryFolder('reader-search')
const { dist } = await sharedSample('usual')
const asked = askDirectly(dist)
const reader = await openReader(dist)
const random = seeded(21)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!

/** Texts as people type them: the usual ones, and parts of what the sample has. */
async function queriesOf(count: number): Promise<string[]> {
  const texts: string[] = []
  for (const path of ['/cves', '/vendors', '/packages', '/cwes']) {
    for (const row of (await asked.all<Record<string, unknown>>(path)).slice(0, 300)) {
      texts.push(...[row.cve_id, row.title, row.slug, row.display, row.name, row.id].filter((one) => isText(one)))
    }
  }
  const part = () => {
    const text = pick(texts)
    const from = random() < 0.5 ? 0 : Math.floor(random() * text.length)
    return text.slice(from, from + 2 + Math.floor(random() * 14))
  }
  const parts = Array.from({ length: count * 2 }, part)
  return [...QUERIES, 'GHSA-', 'ghsa-2', 'PYSEC', ...parts]
    .filter((text) => [...text.trim()].length >= 2)
    .slice(0, count)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 1

const queries = await queriesOf(1000)

const parameters = (values: Record<string, string | number | undefined>) =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`)
    .join('&')

/** Returns types and a limit, which are absent in half of the cases. */
function options(limits: readonly number[]): { types?: SearchType[]; limit?: number } {
  const types = SEARCH_TYPES.filter(() => random() < 0.4)
  return {
    ...(random() < 0.5 && types.length > 0 ? { types } : {}),
    ...(random() < 0.5 ? { limit: pick(limits) } : {}),
  }
}

async function expectAnswers(of: Reader, some: readonly string[]): Promise<number> {
  let found = 0
  for (const text of some) {
    const q = text.toWellFormed()
    const searched = options([1, 2, 7, 25])
    const target = parameters({ q, types: searched.types?.join(), limit: searched.limit })
    const answer = JSON.stringify(await of.search(q, searched))
    assert.is(answer, (await asked.ask('/search', target)).text, target)
    found += answer.length
    const given = options([1, 3, 15])
    const suggested = parameters({ q, types: given.types?.join(), limit: given.limit })
    const suggestions = JSON.stringify({ suggestions: await of.suggest(q, given) })
    assert.is(suggestions, (await asked.ask('/search/suggest', suggested)).text, suggested)
  }
  return found
}

test('searches and suggestions are the answers of the gateway', async () => {
  assert.is(queries.length, 1000)
  assert.ok((await expectAnswers(reader, queries)) > 500_000)
})

test('searches at the same time have the same answers', async () => {
  const several = await openReader(dist)
  const some = queries.filter((_, i) => i % 20 === 0).map((q) => q.toWellFormed())
  const answers = await Promise.all(some.map((q) => several.search(q)))
  for (const [i, q] of some.entries()) assert.equal(answers[i], await reader.search(q), q)
  await several.close()
})

test('lists with q have the rows and cursors of the gateway, with other filters and sorts', async () => {
  for (const text of [...queries.filter((_, i) => i % 5 === 0), ...SHORT_QUERIES.filter((one) => one.trim() !== '')]) {
    const q = text.toWellFormed()
    const kev = random() < 0.2 ? true : undefined
    const sort = pick(['published', '-epss', undefined] as const)
    const target = parameters({ q, kev: kev && 'true', sort, limit: 3 })
    const page = await reader.list({ q, kev, sort, limit: 3 })
    assert.is(JSON.stringify(page), (await asked.ask('/cves', target)).text, target)
    const { next_cursor: cursor } = page.pagination
    if (cursor === null) continue
    const next = await reader.list({ q, kev, sort, limit: 3, cursor })
    assert.is(JSON.stringify(next), (await asked.ask('/cves', `${target}&cursor=${cursor}`)).text, target)
  }
})

test('a walk with q has all rows that match', async () => {
  for (const q of ['injection', 'cve-2', 'remote', 'no such text']) {
    const rows: unknown[] = []
    for await (const row of reader.walk({ q })) rows.push(row)
    assert.equal(rows, matching(await asked.all<Row>('/cves'), q), q)
  }
})

interface Row {
  cve_id: string
  title: string | null
}

const matching = (rows: readonly Row[], q: string) =>
  rows.filter(({ cve_id, title }) => `${cve_id}\n${title ?? ''}`.toLowerCase().includes(q))

test('over a web server too, with and without ranges', async () => {
  for (const ranges of [true, false]) {
    const web = await serveFolder(dist, { ranges })
    const far = await openReader(web.url)
    await expectAnswers(far, queries.slice(ranges ? 200 : 400, ranges ? 300 : 420))
    const whole = web.asked.filter(({ path, range }) => range === null && path.startsWith('objects/')).length
    // Without ranges: the description and the search database, each once.
    if (!ranges) assert.is(whole, 2)
    await far.close()
    await web.close()
  }
})

test('invalid arguments are a TypeError that names them', async () => {
  const refused = async (work: Promise<unknown>, message: RegExp) => {
    const error = await work.catch((error: unknown) => error)
    assert.instance(error, TypeError)
    assert.match((error as Error).message, message)
  }
  await refused(reader.search('x'), /'q' must have 2 to 200 characters, not 1/)
  await refused(reader.suggest('x'.repeat(201)), /'q' must have 2 to 200 characters, not 201/)
  await refused(reader.search('xy', { limit: 26 }), /'limit' must be a whole number from 1 to 25/)
  await refused(reader.suggest('xy', { limit: 16 }), /'limit' must be a whole number from 1 to 15/)
  await refused(
    reader.search('xy', { types: ['nothing' as SearchType] }),
    /unknown value 'nothing' of parameter 'types'; allowed: cve, /,
  )
  await refused(reader.search('xy', { kind: 'cve' } as object), /unknown parameter 'kind'/)
})

/** A snapshot with nothing but a search database. */
function searchOf(path: string, size = Number.POSITIVE_INFINITY) {
  const bytes = readFileSync(path).subarray(0, size)
  const file = { role: 'query', name: 'cve', sha256: '', size: bytes.length } as FileEntry
  const parts: Objects['parts'] = async (_, spans) => spans.map(({ at, length }) => bytes.subarray(at, at + length))
  return openTextSearch({ files: [file] } as unknown as Manifest, { parts } as Objects, {})
}

test('sets of many pages, and hostile texts', async () => {
  const texts = sampleTexts()
  const path = join(folder.path, 'query.db')
  buildQueryDb(path, texts)
  const database = openQueryFile(path)
  const [run, searches] = [searchRunner(database), openSearches(LOCAL_COSTS)]
  const far = searchOf(path)
  const some = sampleQueries(texts.sets, 300).filter((q) => q.trim() !== '')
  for (const [n, q] of some.entries()) {
    const limit = [1, 5, 25][n % 3]!
    const types = n % 2 === 0 ? SEARCH_TYPES : DEFAULT_SEARCH_TYPES
    assert.equal(
      await far.search({ q, types, limit }),
      searchAnswer(types, finish(run(searches.search(types, q, limit)))),
      q,
    )
    const suggested = finish(run(searches.suggest(SEARCH_TYPES, q, limit))).map(suggestion)
    assert.equal(await far.suggest({ q, types: SEARCH_TYPES, limit }), suggested, q)
    const set = TEXT_SETS[n % TEXT_SETS.length]!
    assert.equal(await far.matches(set, q), finish(run(searches.matches(set, q))), `${q} in ${set}`)
    const range = { limit, after: n, isDescending: n % 2 === 0 }
    assert.equal(await far.firstMatches(set, q, range), finish(run(searches.firstMatches(set, q, range))), q)
  }
  assert.is(await far.countMatches('words', 'remote code'), finish(run(searches.countMatches('words', 'remote code'))))
  database.close()
  await far.close()
})

test('a page that is damaged is an error, not an answer', async () => {
  const path = join(folder.path, 'query.db')
  const damaged = join(folder.path, 'damaged.db')
  copyFileSync(path, damaged)
  const bytes = readFileSync(damaged)
  const size = bytes.readUInt16BE(16)
  for (let at = 64 * 1024; at < bytes.length - size; at += size) bytes[at + 100]! ^= 1
  writeFileSync(damaged, bytes)
  const error = await searchOf(damaged)
    .search({ q: 'in', types: SEARCH_TYPES, limit: 1 })
    .catch((error: unknown) => error)
  assert.is((error as { code?: string }).code, 'digest')
  const cut = searchOf(damaged, bytes.length - 4)
  assert.is(((await cut.matches('cve', 'in').catch((error: unknown) => error)) as { code?: string }).code, 'malformed')
})

test.after(async () => {
  await reader.close()
  await asked.close()
  folder.remove()
})

test.run()
