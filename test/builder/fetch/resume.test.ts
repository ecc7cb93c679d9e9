/** A download resumes after the last byte, unless the publisher's file has changed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { partialName } from '../../../builder/fetch/download.ts'
import type { NetworkEffects } from '../../../corpus/transfer/network.ts'
import { temporaryFolder } from '../../support/dist.ts'
import {
  cutAfter,
  type Manner,
  openPublisher,
  openWorld,
  type Publisher,
  plain,
  serve,
  status,
  type World,
} from '../../support/publisher.ts'
import { catalog, fetchFile, half, located, OLD, type Position, yesterdayIn } from './downloading.ts'

const folder = temporaryFolder('resume')
const test = suite('resume')
const NEW = catalog('new', 300_000)
const NEWER = catalog('newer', 300_000)
const TAG = { etag: '"new"' }
let publisher: Publisher
let world: World

test.before(async () => {
  publisher = await openPublisher()
})
test.before.each(() => {
  world = openWorld()
})
test.after.each(() => world.close())
test.after(async () => {
  await publisher.close()
  folder.remove()
})

const yesterday = (...manners: Manner[]) => yesterdayIn(folder.path, publisher, ...manners)

/** Returns range and condition of each request. */
const ranges = ({ wanted }: Position) =>
  publisher.asked
    .filter(({ path }) => path === wanted.url.pathname)
    .map(({ headers }) => [headers.range ?? null, headers['if-range'] ?? null])

/** Fetches. Returns the report and the number of bytes that the publisher sent. */
async function fetched(it: Position, effects: NetworkEffects) {
  const before = publisher.sent()
  const report = await fetchFile(it, effects)
  return { ...report, sent: publisher.sent() - before }
}

test('a connection that is cut goes on where it was: no byte comes twice', async () => {
  const it = yesterday(cutAfter(100_000, NEW, TAG), cutAfter(50_000, NEW, TAG), serve(NEW, TAG))
  const { status: outcome, attempts, received, sent } = await fetched(it, world.effects)
  assert.equal([outcome, attempts], ['fetched', 3])
  assert.equal([received, sent], [NEW.length, NEW.length])
  assert.equal(located(it), NEW)
  assert.equal(ranges(it), [
    [null, null],
    ['bytes=100000-', '"new"'],
    ['bytes=150000-', '"new"'],
  ])
})

test('a date serves as well where there is no ETag', async () => {
  const dated = { lastModified: 'Fri, 20 Nov 2026 00:00:00 GMT' }
  const it = yesterday(cutAfter(100_000, NEW, dated), serve(NEW, dated))
  const { sent } = await fetched(it, world.effects)
  assert.is(sent, NEW.length)
  assert.equal(ranges(it)[1], ['bytes=100000-', dated.lastModified])
  assert.equal(located(it), NEW)
})

test('a weak ETag says nothing about bytes: from the beginning', async () => {
  const weak = { etag: 'W/"new"' }
  const it = yesterday(cutAfter(100_000, NEW, weak), serve(NEW, weak))
  const { received } = await fetched(it, world.effects)
  assert.is(received, NEW.length + 100_000)
  assert.equal(ranges(it)[1], [null, null])
  assert.equal(located(it), NEW)
})

test('a server that ignores ranges starts again, and so do we', async () => {
  const it = yesterday(cutAfter(100_000, NEW, TAG), plain(NEW, TAG))
  const { status: outcome, received } = await fetched(it, world.effects)
  assert.equal([outcome, received], ['fetched', NEW.length + 100_000])
  assert.equal(located(it), NEW)
})

test('a file that changed meanwhile is fetched whole: halves of two versions never meet', async () => {
  const it = yesterday(cutAfter(100_000, NEW, TAG), serve(NEWER, { etag: '"newer"' }))
  const { attempts, received } = await fetched(it, world.effects)
  assert.equal([attempts, received], [2, NEWER.length + 100_000])
  assert.equal(located(it), NEWER)
})

test('a server that ignores If-Range is caught by the ETag of what it gives', async () => {
  const rest = plain(
    NEWER.subarray(100_000),
    { etag: '"newer"', 'content-range': `bytes 100000-${NEWER.length - 1}/${NEWER.length}` },
    206,
  )
  const it = yesterday(cutAfter(100_000, NEW, TAG), rest, serve(NEWER, { etag: '"newer"' }))
  const { attempts } = await fetched(it, world.effects)
  assert.is(attempts, 3)
  assert.match(world.log[1]!, /the file changed on the server; starting again/)
  assert.equal(ranges(it)[2], [null, null])
  assert.equal(located(it), NEWER)
})

test('without an ETag, the date is compared', async () => {
  const [then, now] = ['Tue, 01 Oct 2024 00:00:00 GMT', 'Wed, 02 Oct 2024 00:00:00 GMT']
  const range = `bytes 100000-${NEWER.length - 1}/${NEWER.length}`
  const rest = plain(NEWER.subarray(100_000), { 'last-modified': now, 'content-range': range }, 206)
  const it = yesterday(cutAfter(100_000, NEW, { lastModified: then }), rest, serve(NEWER, { lastModified: now }))
  await fetched(it, world.effects)
  assert.match(world.log[1]!, /the file changed on the server; starting again/)
  assert.equal(located(it), NEWER)
})

test('a server that gives another range than it was asked for is not believed', async () => {
  const other = plain(NEW, { ...TAG, 'content-range': `bytes 0-${NEW.length - 1}/${NEW.length}` }, 206)
  const it = yesterday(cutAfter(100_000, NEW, TAG), other, serve(NEW, TAG))
  assert.is((await fetched(it, world.effects)).status, 'fetched')
  assert.match(world.log[1]!, /the server returned another range: 'bytes 0-299999\/300000'/)
  assert.equal(located(it), NEW)
})

test('206 to a request for all of it is no file', async () => {
  const it = yesterday(plain(NEW, { 'content-range': `bytes 0-${NEW.length - 1}/${NEW.length}` }, 206))
  assert.equal((await fetched(it, world.effects)).error, { code: 'refused', message: 'the server answers 206' })
  assert.equal(located(it), OLD)
})

test('less than announced is never a file, however often', async () => {
  const it = yesterday(cutAfter(1000, NEW))
  const { status: outcome, attempts, error } = await fetched(it, world.effects)
  assert.equal([outcome, attempts, error!.code], ['failed', 6, 'network'])
  assert.equal(located(it), OLD)
})

test('a rest that ends early is asked for again', async () => {
  const early = plain(
    NEW.subarray(100_000, 100_010),
    { ...TAG, 'content-range': `bytes 100000-100009/${NEW.length}` },
    206,
  )
  const it = yesterday(cutAfter(100_000, NEW, TAG), early, serve(NEW, TAG))
  const { received } = await fetched(it, world.effects)
  assert.is(received, NEW.length)
  assert.match(world.log[1]!, /100010 of 300000 bytes/)
  assert.equal(located(it), NEW)
})

test('progress counts as success: a line that breaks every 70,000 bytes gets there without a longer wait', async () => {
  const large = catalog('large', 1_000_000)
  const it = yesterday(cutAfter(70_000, large, TAG))
  const { status: outcome, attempts, received } = await fetched(it, world.effects)
  assert.equal([outcome, attempts, received], ['fetched', 15, large.length])
  assert.equal(world.slept, Array(14).fill(1000))
  assert.equal(located(it), large)
})

class Killed extends Error {}

/** Returns effects that fail at step `at` (from 0) and after it. */
function killed(effects: NetworkEffects, at: number): NetworkEffects & { steps(): number } {
  let steps = 0
  const step = () => {
    if (steps++ >= at) throw new Killed()
  }
  const then =
    <A extends unknown[], R>(act: (...args: A) => Promise<R>) =>
    async (...args: A) => {
      step()
      return act(...args)
    }
  return {
    ...effects,
    steps: () => steps,
    mkdir: then(effects.mkdir),
    write: then(effects.write),
    sync: then(effects.sync),
    rename: then(effects.rename),
    remove: then(effects.remove),
    grow: then(async (path: string, offset: number) => {
      const file = await effects.grow(path, offset)
      return { ...file, write: then(file.write) }
    }),
  }
}

test('killed half-way and started again, it fetches the other half', async () => {
  // Sends the first half and then nothing, so that a killed process has only the first half.
  const hanging: Manner = async (_asked, res, send) => {
    res.writeHead(200, { ...TAG, 'content-length': String(NEW.length) })
    await send(NEW.subarray(0, 150_000))
  }
  const it = yesterday(hanging, serve(NEW, TAG))
  const dying: NetworkEffects = {
    ...world.effects,
    async grow(path, offset) {
      const file = await world.effects.grow(path, offset)
      let written = 0
      return {
        ...file,
        async write(bytes) {
          await file.write(bytes)
          written += bytes.length
          if (written === 150_000) throw new Killed()
        },
      }
    },
  }
  const before = publisher.sent()
  await fetchFile(it, dying).then(
    () => assert.unreachable('it was not killed'),
    (error) => assert.instance(error, Killed),
  )
  assert.is(half(it), 150_000)
  assert.equal(located(it), OLD)
  const { status: outcome, received } = await fetchFile(it, world.effects)
  assert.equal([outcome, received], ['fetched', 150_000])
  assert.is(publisher.sent() - before - NEW.length, 0, 'bytes fetched twice')
  assert.equal(located(it), NEW)
  assert.is(half(it), null)
})

test('killed before any step, the old file or the new one is there, and the next run completes', async () => {
  let steps = 0
  for (let at = 0, isOver = false; !isOver; at++) {
    const it = yesterday(cutAfter(100_000, NEW, TAG), serve(NEW, TAG))
    const effects = killed(world.effects, at)
    try {
      await fetchFile(it, effects)
      isOver = true
      steps = effects.steps()
    } catch (error) {
      assert.instance(error, Killed)
    }
    const between = located(it)!
    assert.ok(between.equals(OLD) || between.equals(NEW), `killed before step ${at}`)
    const { error } = await fetchFile(it, world.effects)
    assert.is(error, undefined, `killed before step ${at}: ${error?.message}`)
    assert.equal(located(it), NEW, `killed before step ${at}`)
    assert.is(half(it), null, `killed before step ${at}`)
  }
  assert.ok(steps >= 10, `${steps} steps`)
})

test('a whole file that was not yet put in its place needs no byte more', async () => {
  const it = yesterday(serve(NEW, TAG))
  const effects = {
    ...world.effects,
    rename: async (from: string, to: string) => {
      if (to.endsWith('catalog.json')) throw new Killed()
      await world.effects.rename(from, to)
    },
  }
  await fetchFile(it, effects).catch((error) => assert.instance(error, Killed))
  assert.is(half(it), NEW.length)
  const { status: outcome, received, attempts } = await fetchFile(it, world.effects)
  assert.equal([outcome, received, attempts], ['fetched', 0, 1])
  assert.equal(ranges(it)[1], ['bytes=300000-', '"new"'])
  assert.equal(located(it), NEW)
})

test('a half without an entry, or of another address, is no half', async () => {
  const it = yesterday(serve(NEW, TAG))
  writeFileSync(join(it.feeds, partialName(it.wanted.path)), 'x'.repeat(1000))
  const { status: outcome } = await fetched(it, world.effects)
  assert.is(outcome, 'fetched')
  assert.equal(ranges(it), [[null, null]])
  assert.equal(located(it), NEW)
})

test('416 to a half that is too long means from the beginning', async () => {
  const it = yesterday(cutAfter(100_000, NEW, TAG), status(416, { 'content-range': 'bytes */99' }), serve(NEW, TAG))
  const { attempts, received } = await fetched(it, world.effects)
  assert.equal([attempts, received], [3, NEW.length + 100_000])
  assert.equal(located(it), NEW)
})

test.run()
