/** Errors of object stores, listings of several pages, and time limits. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TransferError } from '../../../corpus/transfer/error.ts'
import { readWhole } from '../../../corpus/transfer/receive.ts'
import { type Bucket, openBucket } from '../../../corpus/transfer/s3.ts'
import { s3Error } from '../../../corpus/transfer/s3-error.ts'
import { listening } from '../../support/listening.ts'
import { refusal } from '../../support/refusal.ts'

const NOW = new Date('2026-11-21T06:30:00.000Z')

/** An error as the SDK throws it. */
const thrown = (name: string, more: object) => Object.assign(new Error('as S3 says it'), { name, ...more })
const answered = (status: number, name: string, headers: Record<string, string> = {}) =>
  thrown(name, { $metadata: { httpStatusCode: status }, $response: { headers } })

test('answers become errors that say whether to ask again, and what to do', () => {
  for (const [error, code, words] of [
    [answered(404, 'NoSuchKey'), 'missing', /^s3:\/\/b answers 404 NoSuchKey$/],
    [answered(404, 'NoSuchBucket'), 'missing', /; the bucket does not exist/],
    [answered(403, 'AccessDenied'), 'refused', /AWS_PROFILE needs permission/],
    [answered(403, 'RequestTimeTooSkewed'), 'refused', /; the clock of this machine is wrong$/],
    [answered(400, 'ExpiredToken'), 'refused', /have expired: renew AWS_ACCESS_KEY_ID/],
    [answered(400, 'AuthorizationHeaderMalformed'), 'refused', /; set AWS_REGION/],
    [answered(301, 'PermanentRedirect'), 'redirect', /; set AWS_REGION/],
    [answered(416, 'InvalidRange'), 'restart', /416/],
    [answered(400, 'BadDigest'), 'digest', /400 BadDigest$/],
    [answered(400, 'XAmzContentSHA256Mismatch'), 'digest', /400/],
    [answered(400, 'IncompleteBody'), 'cut', /400/],
    [answered(400, 'RequestTimeout'), 'stalled', /400/],
    [answered(400, 'InvalidRequest'), 'refused', /^s3:\/\/b answers 400 InvalidRequest$/],
    [answered(500, 'InternalError'), 'busy_server', /500/],
    [answered(429, 'TooManyRequests'), 'busy_server', /429/],
    [answered(200, 'Error'), 'wrong_body', /200/],
    [answered(502, 'with \u001b[2J in it'), 'busy_server', /^s3:\/\/b answers 502$/],
    [thrown('TimeoutError', {}), 'stalled', /does not answer/],
    [thrown('Error', { code: 'ECONNRESET' }), 'network', /as S3 says it/],
    [thrown('CredentialsProviderError', {}), 'refused', /^no credentials for s3:\/\/b: set AWS_ACCESS_KEY_ID/],
  ] as const) {
    const told = s3Error(error, 'b', NOW)
    assert.instance(told, TransferError, error.name)
    const { code: given, message, cause } = told as TransferError
    assert.equal([given, cause], [code, error])
    assert.match(message, words)
  }
  const busy = s3Error(answered(503, 'SlowDown', { 'retry-after': '7' }), 'b', NOW) as TransferError
  assert.equal([busy.code, busy.retryAfterMs, busy.mayPass], ['busy_server', 7000, true])
})

test('a slip of this program is not taken for trouble on the way', () => {
  for (const slip of [new TypeError('no function'), new Error('AbortError'), 'text'])
    assert.is(s3Error(slip, 'b', NOW), slip)
})

/** Runs `use` with a store that sends this answer. */
async function withStore(
  answer: RequestListener,
  timeouts: Parameters<typeof openBucket>[2],
  use: (bucket: Bucket) => Promise<void>,
): Promise<void> {
  const server = createServer(answer)
  const { origin, close } = await listening(server)
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: origin,
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  const bucket = await openBucket({ bucket: 'shelf', prefix: 'p/' }, { now: () => NOW }, timeouts)
  try {
    await use(bucket)
  } finally {
    bucket.close()
    await close()
  }
}

test('a listing is read to its last page', async () => {
  const asked: string[] = []
  const page = (keys: readonly string[], next: string) =>
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next && `<NextContinuationToken>${next}</NextContinuationToken>`}${keys
      .map((key) => `<Contents><Key>${key}</Key><Size>${key.length}</Size></Contents>`)
      .join('')}</ListBucketResult>`
  const pages: Record<string, string> = {
    '': page(['p/objects/a', 'p/objects/bb'], 'two'),
    two: page(['p/objects/ccc'], 'three'),
    three: page(['p/objects/d'], ''),
  }
  const store = (req: IncomingMessage, res: ServerResponse) => {
    const { searchParams } = new URL(req.url!, 'http://store')
    asked.push(searchParams.get('prefix')!)
    res.writeHead(200, { 'content-type': 'application/xml' }).end(pages[searchParams.get('continuation-token') ?? ''])
  }
  await withStore(store, {}, async (bucket) => {
    assert.equal(
      [...(await bucket.list('objects/'))],
      [
        ['objects/a', 11],
        ['objects/bb', 12],
        ['objects/ccc', 13],
        ['objects/d', 11],
      ],
    )
    assert.equal(asked, ['p/objects/', 'p/objects/', 'p/objects/'])
  })
})

const SHA256 = createHash('sha256').update('').digest('hex')
const uploadOf = (bytes: AsyncIterable<Uint8Array>, size: number) => ({
  bytes,
  size,
  sha256: SHA256,
  contentType: 'application/json',
  cacheControl: 'no-cache',
})

test('a store that answers 1xx for ever is given up, whatever it was asked', async () => {
  const early = async (_req: IncomingMessage, res: ServerResponse) => {
    // Ends after 10 s in a test that fails.
    for (let i = 0; i < 500 && !res.destroyed; i++) {
      res.writeProcessing()
      await sleep(20)
    }
    res.destroy()
  }
  await withStore(early, { answerMs: 300 }, async (bucket) => {
    const asked = [bucket.list(''), bucket.open('a'), bucket.put('a', uploadOf(pieces(1, 0), 1))]
    assert.equal(await Promise.all(asked.map(refusal)), Array(3).fill('stalled: no answer within 0.3 s'))
  })
})

test('a body that sends no bytes of its own is given up, though its connection is not silent', async () => {
  const extended = async (_req: IncomingMessage, res: ServerResponse) => {
    const socket = res.socket!
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n1;')
    for (let i = 0; i < 500 && !socket.destroyed; i++) {
      socket.write('x')
      await sleep(20)
    }
    socket.destroy()
  }
  await withStore(extended, { silentMs: 300 }, async (bucket) => {
    const { bytes } = await bucket.open('a')
    assert.is(await refusal(readWhole(bytes, 100, () => NOW)), 'stalled: no bytes for 0.3 s')
  })
})

test('an upload may take longer than an answer while its bytes are taken', async () => {
  let taken = 0
  const store = async (req: IncomingMessage, res: ServerResponse) => {
    taken = (await buffer(req)).length
    res.end()
  }
  await withStore(store, { answerMs: 1000 }, async (bucket) => {
    await bucket.put('a', uploadOf(pieces(8, 150), 8))
    assert.is(taken, 8)
  })
})

async function* pieces(count: number, everyMs: number): AsyncIterable<Uint8Array> {
  for (let i = 0; i < count; i++) {
    await sleep(everyMs)
    yield Buffer.from('x')
  }
}

test.run()
