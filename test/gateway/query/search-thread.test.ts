/** The query thread: deadlines, a bounded queue, files whose names are gone, and damage that is never answered. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ApiError } from '../../../corpus/answers/errors.ts'
import { LOADED } from '../../../corpus/runtime/threads.ts'
import { suggestion } from '../../../corpus/snapshot/query/search-item.ts'
import { SEARCH_TYPES, type TextSet } from '../../../corpus/snapshot/query/sets.ts'
import { type Matches, unpackMatches } from '../../../gateway/query/matches.ts'
import { openQueries } from '../../../gateway/query/queries.ts'
import { buildQueryDb as build } from '../../corpus/snapshot/query/sample.ts'
import { temporaryFolder } from '../../support/dist.ts'

const folder = temporaryFolder('search-thread')
const keys = Array.from({ length: 3000 }, (_, i) => `CVE-2024-${9999 - i}`)
const set: TextSet = {
  name: 'cve',
  keys,
  ids: keys,
  labels: keys.map(() => 'Some title'),
  subtitles: keys.map(() => ''),
}
const buildQueryDb = (path: string, set: TextSet) =>
  build(path, { sets: [set], advisories: { ids: [], cves: new Uint32Array() } })
const good = join(folder.path, 'good.db')
buildQueryDb(good, set)

/** A thread that does with messages what `body` says. */
function threadThat(name: string, body: string): URL {
  const path = join(folder.path, `${name}.mjs`)
  const start = `import { parentPort, workerData } from 'node:worker_threads'\nparentPort.postMessage('${LOADED}')\n`
  writeFileSync(path, start + body)
  return pathToFileURL(path)
}

const isApiError = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code

async function rejects(promise: Promise<unknown>, expected: (error: unknown) => boolean): Promise<void> {
  const error = await promise.then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(expected(error), String(error))
}

const ordinalsOf = async (matches: Promise<Matches>) => [...unpackMatches(await matches)]

test('all kinds of question are answered', async () => {
  const queries = openQueries()
  queries.open(good)
  queries.serve(good)
  assert.equal(await ordinalsOf(queries.matches(good, 'cve', 'CVE-2024-9998')), [1])
  assert.equal(await ordinalsOf(queries.matches(good, 'words', '9998 title')), [1])
  const range = { limit: 2, after: 5, isDescending: true }
  assert.equal([...(await queries.firstMatches(good, 'cve', 'title', range))], [4, 3])
  assert.is(await queries.countMatches(good, 'cve', 'some'), 3000)
  assert.is(await queries.countMatches(good, 'cve', 'nothing'), 0)
  assert.is((await queries.search(good, SEARCH_TYPES, 'title', 5)).counts.cve, 3000)
  assert.is((await queries.suggest(good, ['cve'], 'title', 8)).length, 8)
  await queries.close()
})

test('a search of a file that is closed ends', async () => {
  const path = join(folder.path, 'closed.db')
  copyFileSync(good, path)
  const queries = openQueries()
  queries.open(path)
  const asked = queries.matches(path, 'cve', 'cve-2')
  queries.forget(path)
  const outcome = await asked.then(
    ({ count }) => count,
    (error: unknown) => (error as ApiError).code,
  )
  assert.ok(outcome === 3000 || outcome === 'overloaded', String(outcome))
  await queries.close()
})

test('searches that end together are handed over in turns of the event loop, other work between them', async () => {
  const thread = threadThat(
    'together',
    `const numbers = []
    parentPort.on('message', ({ kind, number }) => {
      if (kind !== 'ask') return
      numbers.push(number)
      if (numbers.length < 4) return
      for (const one of numbers) parentPort.postMessage({ number: one, found: { count: 0, bytes: new Uint8Array(0), isBits: false } })
    })`,
  )
  const queries = openQueries({ thread })
  let turns = 0
  const count = () => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  const asked = ['a', 'b', 'c', 'd'].map((q) => queries.matches(good, 'cve', q).then(() => turns))
  const endedIn = await Promise.all(asked)
  clearImmediate(counting)
  assert.is(new Set(endedIn).size, 4, `turns ${endedIn}`)
  assert.equal(
    endedIn,
    endedIn.toSorted((a, b) => a - b),
  )
  await queries.close()
})

test('rule 7: a retained query.db is searched on after its name is gone, and by a new thread too', async () => {
  const path = join(folder.path, 'pruned.db')
  const mark = join(folder.path, 'crashed')
  copyFileSync(good, path)
  // Crashes once, at the first question; its successor is the real thread.
  const thread = threadThat(
    'crashing',
    `import { existsSync, writeFileSync } from 'node:fs'
    if (existsSync(${JSON.stringify(mark)})) await import(${JSON.stringify(new URL('../../../gateway/query/thread.ts', import.meta.url).href)})
    else parentPort.on('message', ({ kind }) => {
      if (kind !== 'ask') return
      writeFileSync(${JSON.stringify(mark)}, '')
      throw new Error('crashed')
    })`,
  )
  const queries = openQueries({ thread })
  queries.open(path)
  rmSync(path)
  await rejects(queries.matches(path, 'cve', '9998'), (error) => error instanceof Error && error.message === 'crashed')
  assert.equal(await ordinalsOf(queries.matches(path, 'cve', '9998')), [1])
  queries.forget(path)
  await rejects(queries.matches(path, 'cve', '9997'), (error) => error instanceof Error)
  await queries.close()
})

test('API 6.15: past its deadline a query is overloaded, and so is one that waits behind it', async () => {
  const queries = openQueries({ deadlineMs: 30, thread: threadThat('silent', `parentPort.on('message', () => {})`) })
  const asked = [queries.matches(good, 'cve', 'a'), queries.matches(good, 'cve', 'b')]
  for (const one of asked) await rejects(one, isApiError('overloaded'))
  assert.is(queries.figures.timeouts, 2)
  await queries.close()
})

test('a thread that hangs is replaced, and the next one answers', async () => {
  const mark = join(folder.path, 'hung')
  const thread = threadThat(
    'hanging',
    `import { existsSync, writeFileSync } from 'node:fs'
    if (existsSync(${JSON.stringify(mark)})) await import(${JSON.stringify(new URL('../../../gateway/query/thread.ts', import.meta.url).href)})
    else parentPort.on('message', ({ kind }) => {
      if (kind !== 'ask') return
      writeFileSync(${JSON.stringify(mark)}, '')
      for (;;);
    })`,
  )
  const queries = openQueries({ deadlineMs: 3000, graceMs: 0, thread })
  queries.open(good)
  const hung = queries.matches(good, 'cve', 'a')
  await rejects(hung, isApiError('overloaded'))
  assert.equal(await ordinalsOf(queries.matches(good, 'cve', '9998')), [1])
  await queries.close()
})

test('API 6.15: more than may wait are refused at once', async () => {
  const thread = threadThat('slow', `parentPort.on('message', () => {})`)
  const queries = openQueries({ deadlineMs: 50, maxWaiting: 3, thread })
  const asked = Array.from({ length: 4 }, (_, i) => queries.matches(good, 'cve', `q${i}`))
  const [, , , fourth] = asked
  await rejects(fourth!, isApiError('overloaded'))
  assert.equal([queries.figures.waiting, queries.figures.refusals], [3, 1])
  for (const one of asked) await rejects(one, isApiError('overloaded'))
  await queries.close()
})

test('a damaged file is an error of ours, not an answer', async () => {
  const path = join(folder.path, 'damaged.db')
  const bytes = readFileSync(good)
  // All pages but the first, which has the schema.
  bytes.fill(0, bytes.readUInt16BE(16))
  writeFileSync(path, bytes)
  const queries = openQueries()
  queries.open(path)
  await rejects(
    queries.search(path, ['cve'], 'CVE-2024-7500', 1),
    (error) => error instanceof Error && !(error instanceof ApiError) && error.message === 'query.db cannot be read',
  )
  await queries.close()
})

test('rule 28: links encode special characters of a key; a product has its own slug', () => {
  const hit = { rank: 2, label: 'A/B C', subtitle: 's' } as const
  const product = suggestion({ ...hit, type: 'product', id: 'ven/dor/a/b c', key: 'a/b c' })
  assert.equal(product, {
    type: 'product',
    id: 'ven/dor/a/b c',
    label: 'A/B C',
    subtitle: 's',
    href: '/vendors/ven%2Fdor/products/a%2Fb%20c',
  })
  const escaped = suggestion({ ...hit, type: 'product', id: 'ven%2Fdor/a/b c', key: 'a/b c' })
  assert.is(escaped.href, product.href)
  const hrefs = [
    suggestion({ ...hit, type: 'vendor', id: 'ä?#%', key: 'ä?#%' }),
    suggestion({ ...hit, type: 'cwe', id: 'CWE-79', key: 'CWE-79' }),
    suggestion({ ...hit, type: 'capec', id: 'CAPEC-66', key: 'CAPEC-66' }),
    suggestion({ ...hit, type: 'cna', id: '\ud83e', key: '\ud83e' }),
  ].map(({ href }) => href)
  assert.equal(hrefs, ['/vendors/%C3%A4%3F%23%25', '/cwes/cwe-79', '/capecs/capec-66', '/cnas/%EF%BF%BD'])
})

test('a thread that still loads its modules is not ended: Node would abort the process', async () => {
  const mark = join(folder.path, 'loaded')
  const path = join(folder.path, 'loading.mjs')
  const late = `await new Promise((resolve) => setTimeout(resolve, 200))`
  const loaded = `writeFileSync(${JSON.stringify(mark)}, '')\nparentPort.postMessage('${LOADED}')\n`
  const imports = `import { writeFileSync } from 'node:fs'\nimport { parentPort } from 'node:worker_threads'\n`
  writeFileSync(path, `${imports}${late}\n${loaded}setInterval(() => {}, 1000)`)
  await openQueries({ thread: pathToFileURL(path) }).close()
  assert.ok(existsSync(mark))
})

test.after(folder.remove)

test.run()
