/**
 * A mirror of the real feeds: complete, then the night of a real delta with derived files rebuilt. Its answers equal
 * those of its origin, byte for byte. The night transfers only the changes and the manifest.
 */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { noProgress } from '../../corpus/command/progress.ts'
import { openSource } from '../../corpus/repository/source.ts'
import { STORED_SORTS } from '../../corpus/snapshot/cursor/order.ts'
import { pointerPath, readCurrent } from '../../corpus/snapshot/files/layout.ts'
import { verify } from '../../corpus/snapshot/verify/verify.ts'
import { mirror } from '../../gateway/mirror/mirror.ts'
import { fetchedOf } from '../bench/build/fetched.ts'
import { makeSigner, signDist } from '../gateway/mirror/repository.ts'
import { type Asked, askDirectly } from '../support/ask.ts'
import { ingestAndBuild, temporaryFolder } from '../support/dist.ts'
import { needs } from '../support/needs.ts'
import { openWorld } from '../support/publisher.ts'
import { serveFolder } from '../support/web-folder.ts'
import { BASELINE, DELTA, linkFeeds, SMALL_FEEDS } from './feeds-folder.ts'

needs('real feeds')

const INCLUDE = 'cvss,epss,affected,references,exploits,evidence,timeline,analysis,guidance,kev'
/** Every page of these lists is compared; lists of CVEs in every order. */
const LISTS = [
  '/cwes',
  '/capecs',
  '/cnas',
  '/vendors',
  '/products',
  '/exploits',
  '/kev',
  '/advisories',
  '/rejected',
  '/reports/types',
  '/snapshot',
]

async function errorOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (answer) => JSON.stringify(answer),
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

/** Yields every answer of a gateway, with its request. */
async function* answersOf({ ask, all }: Asked): AsyncGenerator<[asked: string, answer: string]> {
  for (const sort of STORED_SORTS) {
    for (const direction of ['', '-']) {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query = `sort=${direction}${sort}&limit=100${cursor && `&cursor=${cursor}`}`
        const { text, servedFrom } = await ask('/cves', query)
        yield [query, `${servedFrom} ${text}`]
        cursor = (JSON.parse(text) as { pagination: { next_cursor: string | null } }).pagination.next_cursor
      }
    }
  }
  for (const list of LISTS) yield [list, await errorOf(list === '/snapshot' ? ask(list, '') : all(list))]
  for (const { cve_id: id } of await all<{ cve_id: string }>('/cves')) {
    yield [id, (await ask(`/cves/${id}`, `include=${INCLUDE}`)).text]
    for (const part of ['advisory', 'reports']) yield [`${id}/${part}`, await errorOf(ask(`/cves/${id}/${part}`, ''))]
  }
  for (const { slug } of await all<{ slug: string }>('/cwes')) yield [slug, await errorOf(ask(`/cwes/${slug}`, ''))]
  for (const { slug } of await all<{ slug: string }>('/cnas')) yield [slug, await errorOf(ask(`/cnas/${slug}`, ''))]
}

/**
 * Returns the number of compared answers.
 * @throws Error if the two answer anything differently
 */
async function assertSameAnswers(origin: string, copy: string): Promise<number> {
  const [one, other] = [askDirectly(origin), askDirectly(copy)]
  let answers = 0
  try {
    const others = answersOf(other)
    for await (const [asked, answer] of answersOf(one)) {
      const { value } = await others.next()
      assert.equal(value, [asked, answer], asked)
      answers++
    }
    assert.ok((await others.next()).done)
    return answers
  } finally {
    await one.close()
    await other.close()
  }
}

const folder = temporaryFolder('real-mirror')
const at = (name: string) => join(folder.path, name)
const origin = { feeds: at('feeds'), corpus: at('corpus.db'), dist: at('origin'), jobs: 2 }
const signer = await makeSigner()
const keys = [signer.publicKey]
const world = openWorld()

async function copy(dist: string, derive: number | null) {
  const repository = await serveFolder(origin.dist)
  try {
    const report = await mirror(
      openSource(repository.url, world.effects),
      { dist, keys, derive },
      world.effects,
      noProgress,
    )
    return { report, sent: repository.sent() }
  } finally {
    await repository.close()
  }
}

test('the whole, then the night of the delta: the same answers, and no byte more than is needed', async () => {
  linkFeeds(origin.feeds, [BASELINE, ...SMALL_FEEDS])
  await ingestAndBuild(origin)
  await signDist(origin.dist, signer)
  const [plain, deriving] = [at('plain'), at('deriving')]
  const whole = await copy(plain, null)
  cpSync(plain, deriving, { recursive: true })

  linkFeeds(origin.feeds, [DELTA])
  await ingestAndBuild(origin)
  await signDist(origin.dist, signer)
  const night = await copy(plain, null)
  const derived = await copy(deriving, 2)
  const changed = fetchedOf(origin.dist)
  const share = derived.sent / changed.reference
  console.log(
    `whole: ${whole.sent} bytes; the night of ${changed.memberCount} members that changed: ${night.sent} bytes with packs, ` +
      `${derived.sent} bytes deriving too, where what changed is ${changed.reference}: ${share.toFixed(2)} times`,
  )
  for (const dist of [plain, deriving]) {
    assert.equal((await verify(dist, { keys, jobs: 2 })).faults, [])
    assert.ok((await assertSameAnswers(origin.dist, dist)) > 3 * readCurrent(dist).manifest.files.length)
  }
  // The transfer equals the computed size, to the byte.
  assert.is(derived.sent, changed.delta + readFileSync(pointerPath(origin.dist)).length)
  assert.ok(derived.sent < night.sent / 5)
})

test.after(async () => {
  await world.close()
  folder.remove()
})

test.run()
