/** Whatever a publisher sends, a file is fetched completely and correctly, or the previous file stays. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/dist.ts'
import {
  interim,
  type Manner,
  NOW,
  openPublisher,
  openWorld,
  type Publisher,
  plain,
  redirect,
  serve,
  status,
  trickle,
  type World,
} from '../../support/publisher.ts'
import { catalog, fetchFile, half, located, OLD, type Position, position, yesterdayIn } from './downloading.ts'

const folder = temporaryFolder('download')
const test = suite('download')
const NEW = catalog('new')
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

/** Gives the test effects with these options. */
async function reopen(options: Parameters<typeof openWorld>[0]): Promise<void> {
  await world.close()
  world = openWorld(options)
}

const yesterday = (...manners: Manner[]) => yesterdayIn(folder.path, publisher, ...manners)

/** Returns the requests to the path, in order. */
const asked = ({ wanted }: Position) => publisher.asked.filter(({ path }) => path === wanted.url.pathname)

test('a file is fetched, named to the product, and remembered with its digest', async () => {
  const it = yesterday(serve(NEW, { etag: '"1"' }))
  const report = await fetchFile(it, world.effects)
  assert.equal(report, {
    path: 'kev/catalog.json',
    url: it.wanted.url.href,
    status: 'fetched',
    bytes: NEW.length,
    received: NEW.length,
    attempts: 1,
    seconds: 0,
  })
  assert.equal(located(it), NEW)
  assert.is(half(it), null)
  const { headers } = asked(it)[0]!
  assert.match(headers['user-agent']!, /^vulnshelf\/\d/)
  assert.is(headers['accept-encoding'], 'identity')
})

test('asked again it is asked for by its ETag, and 304 leaves it alone', async () => {
  const it = yesterday(serve(NEW, { etag: '"1"' }))
  await fetchFile(it, world.effects)
  const again = await fetchFile(it, world.effects)
  assert.is(again.status, 'unchanged')
  assert.is(again.received, 0)
  assert.is(again.bytes, NEW.length)
  assert.is(asked(it)[1]!.headers['if-none-match'], '"1"')
})

test('without an ETag it is asked for by its date', async () => {
  const date = 'Fri, 20 Nov 2026 00:00:00 GMT'
  const it = yesterday(plain(NEW, { 'last-modified': date }), status(304))
  await fetchFile(it, world.effects)
  assert.is((await fetchFile(it, world.effects)).status, 'unchanged')
  assert.is(asked(it)[1]!.headers['if-modified-since'], date)
})

test('a file that is gone, or was altered, is asked for without conditions', async () => {
  const it = yesterday(serve(NEW, { etag: '"1"' }))
  await fetchFile(it, world.effects)
  writeFileSync(join(it.feeds, it.wanted.path), 'altered')
  assert.is((await fetchFile(it, world.effects)).status, 'fetched')
  assert.is(asked(it)[1]!.headers['if-none-match'], undefined)
  assert.equal(located(it), NEW)
})

test('304 to an unconditional request is no file', async () => {
  const it = yesterday(status(304))
  const { status: outcome, error } = await fetchFile(it, world.effects)
  assert.is(outcome, 'failed')
  assert.equal(error, { code: 'refused', message: 'the server answers 304' })
  assert.equal(located(it), OLD)
})

const WRONG: [string, Buffer, RegExp][] = [
  [
    'an error page',
    Buffer.from('<!DOCTYPE html><html><body>Down for maintenance</body></html>'),
    /^it is an HTML page$/,
  ],
  ['an empty body', Buffer.alloc(0), /^it is empty$/],
  ['half a JSON', NEW.subarray(0, 500), /^it is not JSON: /],
  ['another JSON', Buffer.from('{"message":"Not Found"}'), /^it does not look like kev\/catalog\.json: /],
  ['a gzip of it', Buffer.from([0x1f, 0x8b, 8, 0, 0]), /^it is not JSON: /],
]
for (const [what, bytes, message] of WRONG) {
  test(`${what} with status 200 never replaces yesterday's file`, async () => {
    const it = yesterday(plain(bytes))
    const { status: outcome, error, attempts } = await fetchFile(it, world.effects)
    assert.is(outcome, 'failed')
    assert.is(error!.code, 'wrong_body')
    assert.match(error!.message, message)
    assert.is(attempts, 3)
    assert.equal(located(it), OLD)
    assert.is(half(it), null)
  })
}

test('an error page that goes away is waited for', async () => {
  const it = yesterday(plain(Buffer.from('<html>busy</html>')), serve(NEW))
  const report = await fetchFile(it, world.effects)
  assert.is(report.status, 'fetched')
  assert.is(report.attempts, 2)
  assert.equal(located(it), NEW)
  assert.equal(world.log, ['kev/catalog.json: it is an HTML page; retrying in 2 s'])
})

test('a server that is down is asked six times, each time later', async () => {
  const it = yesterday(status(503))
  const { status: outcome, error, attempts } = await fetchFile(it, world.effects)
  assert.is(outcome, 'failed')
  assert.equal(error, { code: 'busy_server', message: 'the server answers 503' })
  assert.is(attempts, 6)
  assert.is(asked(it).length, 6)
  assert.equal(world.slept, [1000, 2000, 4000, 8000, 16_000])
  assert.equal(located(it), OLD)
})

test('Retry-After is waited for: in seconds, as a date, and up to five minutes', async () => {
  const inAMinute = new Date(NOW.getTime() + 60_000).toUTCString()
  const it = yesterday(
    status(429, { 'retry-after': '30' }),
    status(503, { 'retry-after': inAMinute }),
    status(500, { 'retry-after': '86400' }),
    serve(NEW),
  )
  assert.is((await fetchFile(it, world.effects)).status, 'fetched')
  assert.equal(world.slept, [30_000, 60_000, 300_000])
})

test('a used-up quota of GitHub is waited for until it is there again', async () => {
  const reset = String(NOW.getTime() / 1000 + 90)
  const it = yesterday(status(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }), serve(NEW))
  assert.is((await fetchFile(it, world.effects)).status, 'fetched')
  assert.equal(world.slept, [90_000])
})

for (const [code, name] of [
  [404, 'missing'],
  [410, 'missing'],
  [403, 'refused'],
  [401, 'refused'],
  [418, 'refused'],
] as const) {
  test(`${code} is final`, async () => {
    const it = yesterday(status(code))
    const { status: outcome, error, attempts } = await fetchFile(it, world.effects)
    assert.equal([outcome, error!.code, attempts], ['failed', name, 1])
    assert.equal(world.slept, [])
    assert.equal(located(it), OLD)
  })
}

test('a file that may not be published yet is no failure', async () => {
  const it = yesterday(status(404))
  const report = await fetchFile({ ...it, wanted: { ...it.wanted, mayBeMissing: true } }, world.effects)
  assert.is(report.status, 'missing')
})

test('a file that was there and is no longer published is a failure, also one that may be late; it stays', async () => {
  const it = yesterday(serve(NEW), status(404))
  const late = { ...it, wanted: { ...it.wanted, mayBeMissing: true } }
  await fetchFile(late, world.effects)
  const { status: outcome, error, stays } = await fetchFile(late, world.effects)
  assert.equal([outcome, error], ['failed', { code: 'missing', message: 'the server answers 404' }])
  assert.equal(stays, { date: NOW.toISOString(), ageDays: 0 })
  assert.equal(located(it), NEW)
})

const dated = (day: string) => Buffer.from(`{"dateReleased":"${day}T12:00:00Z","vulnerabilities":[]}`)
const OLDER: [what: string, before: Manner, now: Manner, isTaken: boolean][] = [
  [
    'an older Last-Modified',
    serve(NEW, { lastModified: 'Sun, 01 Nov 2026 12:00:00 GMT' }),
    serve(OLD, { lastModified: 'Thu, 01 Oct 2026 12:00:00 GMT' }),
    false,
  ],
  [
    'a newer Last-Modified',
    serve(OLD, { lastModified: 'Thu, 01 Oct 2026 12:00:00 GMT' }),
    serve(NEW, { lastModified: 'Sun, 01 Nov 2026 12:00:00 GMT' }),
    true,
  ],
  ['no Last-Modified', serve(NEW, { lastModified: 'Sun, 01 Nov 2026 12:00:00 GMT' }), serve(OLD), true],
  [
    'an older date inside, copied today',
    serve(dated('2026-11-02'), { etag: '"2"', lastModified: 'Mon, 02 Nov 2026 12:00:00 GMT' }),
    serve(dated('2026-11-01'), { etag: '"1"', lastModified: 'Wed, 18 May 2033 03:33:20 GMT' }),
    false,
  ],
  [
    'the same date inside, copied earlier',
    serve(dated('2026-11-02'), { etag: '"2"', lastModified: 'Tue, 03 Nov 2026 12:00:00 GMT' }),
    serve(Buffer.concat([dated('2026-11-02'), Buffer.from(' ')]), {
      etag: '"1"',
      lastModified: 'Mon, 02 Nov 2026 12:00:00 GMT',
    }),
    true,
  ],
]
for (const [what, before, now, isTaken] of OLDER) {
  test(`${what}: ${isTaken ? 'the file is taken' : 'the newer file stays, with a warning and no failure'}`, async () => {
    const it = yesterday(before, now)
    const statedIn = (head: string) => /"dateReleased":"([^"]*)"/.exec(head)?.[1] ?? null
    const wanted = { ...it, wanted: { ...it.wanted, dated: statedIn } }
    await fetchFile(wanted, world.effects)
    const bytes = located(it)
    const { status: outcome, error } = await fetchFile(wanted, world.effects)
    assert.is(outcome, isTaken ? 'fetched' : 'older')
    if (isTaken) return assert.not.equal(located(it), bytes)
    assert.match(
      error!.message,
      /^it is of 2026-1\d-01T12:00:00\.000Z, older than the file here, which is of 2026-11-0\dT/,
    )
    assert.equal(located(it), bytes)
    assert.is(half(it), null)
  })
}

const encoded = (bytes: Buffer, encoding: string, more: Record<string, string> = {}) =>
  plain(bytes, { 'content-encoding': encoding, ...more })

test('a publisher that compresses its answer although it was not asked to: the plain file is kept', async () => {
  const digest = `sha-256=:${'A'.repeat(43)}=:`
  const it = yesterday(encoded(gzipSync(NEW), 'gzip', { etag: '"1"', 'repr-digest': digest }), status(304))
  assert.is((await fetchFile(it, world.effects)).status, 'fetched')
  assert.equal(located(it), NEW)
  assert.is((await fetchFile(it, world.effects)).status, 'unchanged')
  assert.is(asked(it)[1]!.headers['if-none-match'], 'W/"1"')
})

test('a compressed answer that is cut is fetched again from the beginning', async () => {
  const bytes = gzipSync(NEW)
  const it = yesterday(encoded(bytes.subarray(0, -9), 'gzip', { etag: '"1"' }), encoded(bytes, 'gzip', { etag: '"1"' }))
  assert.is((await fetchFile(it, world.effects)).status, 'fetched')
  assert.equal(located(it), NEW)
  assert.is(asked(it)[1]!.headers.range, undefined)
})

test('a gzip file with Content-Encoding gzip, as servers derive it from the name, stays gzip', async () => {
  const bytes = gzipSync(NEW)
  const it = yesterday(encoded(bytes, 'gzip'))
  const named = { ...it, wanted: { ...it.wanted, path: 'kev/catalog.json.gz' } }
  assert.is((await fetchFile(named, world.effects)).status, 'fetched')
  assert.equal(located(named), bytes)
})

test('another Content-Encoding is named', async () => {
  const it = yesterday(encoded(NEW, 'br'))
  const { error } = await fetchFile(it, world.effects)
  assert.equal(error, { code: 'wrong_body', message: "its Content-Encoding is 'br', which was not requested" })
  assert.equal(located(it), OLD)
})

test('a body beyond the limit is not even begun where its length is announced', async () => {
  const it = yesterday(plain(NEW))
  const small = { ...it, wanted: { ...it.wanted, maxBytes: 999 } }
  const { error, attempts, received } = await fetchFile(small, world.effects)
  assert.equal(error, { code: 'too_large', message: 'the file has 1000 bytes; the limit is 999' })
  assert.equal([attempts, received], [1, 0])
  assert.equal(located(it), OLD)
})

test('a body without an end is broken off at the limit', async () => {
  const it = yesterday(async (_asked, res, send) => {
    res.writeHead(200)
    while (!res.destroyed) await send(Buffer.alloc(16 << 10, 'x'))
  })
  const small = { ...it, wanted: { ...it.wanted, maxBytes: 200_000 } }
  const { error, attempts, received } = await fetchFile(small, world.effects)
  assert.equal(error, { code: 'too_large', message: 'more than 200000 bytes' })
  assert.is(attempts, 1)
  assert.ok(received <= 200_000)
  assert.is(half(it), null)
  assert.equal(located(it), OLD)
})

test('a length that is wrong, either way, is no file', async () => {
  /** Sends a false length, bypassing Node's check. */
  const announcing =
    (length: number): Manner =>
    (_asked, res) =>
      void res.socket!.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${NEW.toString()}`)
  const short = yesterday(announcing(NEW.length - 1))
  assert.match((await fetchFile(short, world.effects)).error!.message, /^it is not JSON: /)
  const long = yesterday(announcing(NEW.length + 1))
  assert.is((await fetchFile(long, world.effects)).error!.code, 'network')
  for (const it of [short, long]) assert.equal(located(it), OLD)
})

test('a crawl is given up, six times', async () => {
  // Each read of the clock, one per piece, is ten seconds later.
  await reopen({ tickMs: 10_000 })
  const it = yesterday(async (_asked, res, send) => {
    res.writeHead(200, { 'content-length': '100000' })
    while (!res.destroyed) await send(Buffer.from('x'))
  })
  const { error, attempts } = await fetchFile(it, world.effects)
  assert.is(error!.code, 'stalled')
  assert.match(error!.message, /^only \d+ bytes in \d+ s$/)
  assert.is(attempts, 6)
  assert.equal(located(it), OLD)
})

test('silence is given up', async () => {
  await reopen({ timeouts: { connectMs: 1000, headersMs: 20, bodyMs: 20, discardMs: 20 } })
  const it = yesterday(
    () => undefined,
    (_asked, res) => void res.writeHead(200, { 'content-length': '10' }).write('{'),
    serve(NEW),
  )
  const report = await fetchFile(it, world.effects)
  assert.is(report.status, 'fetched')
  assert.is(report.attempts, 3)
  assert.match(world.log[0]!, /Headers Timeout/)
  assert.match(world.log[1]!, /no bytes for 0.02 s/)
})

test('a server that answers 103 for ever is given up', async () => {
  await reopen({ timeouts: { connectMs: 200, headersMs: 1000, bodyMs: 1000, discardMs: 1000 } })
  const it = yesterday(interim(), serve(NEW))
  const report = await fetchFile(it, world.effects)
  assert.equal([report.status, report.attempts], ['fetched', 2])
  assert.match(world.log[0]!, /no answer within 1.2 s/)
})

test('the end of a discarded body is not awaited', async () => {
  await reopen({ timeouts: { connectMs: 1000, headersMs: 1000, bodyMs: 1000, discardMs: 100 } })
  publisher.on('/there', serve(NEW))
  const it = yesterday(trickle(302, { location: '/there' }))
  const began = publisher.sent()
  assert.is((await fetchFile(it, world.effects)).status, 'fetched')
  assert.ok(publisher.sent() - began < NEW.length + 400, 'the body would have had 500 bytes')
})

test('a server that cannot be reached is retried, then reported', async () => {
  const it = position(join(folder.path, 'nobody'), 'http://127.0.0.1:1/')
  const { status: outcome, error, attempts } = await fetchFile(it, world.effects)
  assert.equal([outcome, error!.code, attempts], ['failed', 'network', 6])
  assert.match(error!.message, /ECONNREFUSED/)
})

test('redirects are followed, five of them', async () => {
  for (let hop = 1; hop < 6; hop++) publisher.on(`/hop-${hop}`, redirect(`/hop-${hop + 1}`, 301 + (hop % 2)))
  publisher.on('/hop-6', serve(NEW))
  const five = yesterday(redirect('/hop-2'))
  assert.is((await fetchFile(five, world.effects)).status, 'fetched')
  const six = yesterday(redirect('/hop-1'))
  const { error, attempts } = await fetchFile(six, world.effects)
  assert.equal([error, attempts], [{ code: 'redirect', message: 'more than 5 redirects' }, 1])
})

test('a loop of redirects ends; a redirect without a target is reported', async () => {
  const loop = yesterday(redirect('?'))
  publisher.on(`${loop.wanted.url.pathname}?`, redirect(loop.wanted.url.pathname))
  assert.is((await fetchFile(loop, world.effects)).error!.message, 'more than 5 redirects')
  const local = yesterday(redirect('file:///etc/passwd'))
  assert.is((await fetchFile(local, world.effects)).error!.message, "redirected to 'file:///etc/passwd'")
})

test('digests that a server or a list states are held against the file', async () => {
  const wrong = yesterday(plain(NEW, { 'x-goog-hash': 'crc32c=AAAAAA==,md5=AAAAAAAAAAAAAAAAAAAAAA==' }))
  const byServer = await fetchFile(wrong, world.effects)
  assert.is(byServer.error!.code, 'digest')
  assert.match(byServer.error!.message, /^its md5 is [0-9a-f]{32}, but its server states 0{32}$/)
  assert.is(byServer.attempts, 3)
  const it = yesterday(serve(NEW))
  const byList = await fetchFile({ ...it, wanted: { ...it.wanted, sha256: '0'.repeat(64) } }, world.effects)
  assert.match(byList.error!.message, /^its sha256 is [0-9a-f]{64}, but the list states 0{64}$/)
  const byLength = await fetchFile({ ...it, wanted: { ...it.wanted, bytes: 7 } }, world.effects)
  assert.is(byLength.error!.message, 'its server announces 1000 bytes, but the list states 7')
  assert.equal(located(it), OLD)
})

test('a folder without write permission is reported, not thrown', async () => {
  const it = position(join(folder.path, 'in-the-way'), `${publisher.url}/in-the-way`)
  publisher.on('/in-the-way', serve(NEW))
  mkdirSync(it.feeds)
  writeFileSync(join(it.feeds, 'kev'), 'a file')
  const { status: outcome, error } = await fetchFile(it, world.effects)
  assert.equal([outcome, error!.code], ['failed', 'unusable'])
})

test.run()
