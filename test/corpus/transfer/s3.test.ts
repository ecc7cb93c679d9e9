/** Addresses of object stores, what their errors become, and listings of more than one page. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { TransferError } from '../../../corpus/transfer/error.ts'
import { openBucket } from '../../../corpus/transfer/s3.ts'
import { s3Error } from '../../../corpus/transfer/s3-error.ts'
import { s3Location } from '../../../corpus/transfer/s3-location.ts'

const NOW = new Date('2026-11-21T06:30:00.000Z')

test('addresses', () => {
  for (const [text, bucket, prefix] of [
    ['s3://bucket', 'bucket', ''],
    ['s3://bucket/', 'bucket', ''],
    ['s3://my.bucket-1/a', 'my.bucket-1', 'a/'],
    ['S3://Old_Bucket/a/b c/', 'Old_Bucket', 'a/b c/'],
    ['s3://bucket/50%25?x=1', 'bucket', '50%25?x=1/'],
  ] as const) {
    assert.equal(s3Location(text), { bucket, prefix }, text)
  }
  for (const text of [
    's3://',
    's3:///a',
    's3://a',
    's3://-bucket',
    's3://b@d/a',
    's3://bucket//',
    's3://bucket/a//b',
  ]) {
    assert.is(s3Location(text), null, text)
  }
  for (const text of [
    's3://bucket/..',
    's3://bucket/a/./b',
    's3:bucket',
    'https://bucket/a',
    `s3://${'b'.repeat(64)}`,
  ]) {
    assert.is(s3Location(text), null, text)
  }
})

/** An error as the SDK throws it. */
const thrown = (name: string, more: object) => Object.assign(new Error('as S3 says it'), { name, ...more })
const answered = (status: number, name: string, headers: Record<string, string> = {}) =>
  thrown(name, { $metadata: { httpStatusCode: status }, $response: { headers } })

test('answers become errors that say whether to ask again, and what to do', () => {
  for (const [error, code, words] of [
    [answered(404, 'NoSuchKey'), 'missing', /^s3:\/\/b answers 404 NoSuchKey$/],
    [answered(404, 'NoSuchBucket'), 'missing', /; there is no such bucket/],
    [answered(403, 'AccessDenied'), 'refused', /AWS_PROFILE stand for must be allowed/],
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
  const server = createServer((req, res) => {
    const { searchParams } = new URL(req.url!, 'http://store')
    asked.push(searchParams.get('prefix')!)
    res.writeHead(200, { 'content-type': 'application/xml' }).end(pages[searchParams.get('continuation-token') ?? ''])
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'somebody',
    AWS_SECRET_ACCESS_KEY: 'secret',
  })
  const bucket = await openBucket({ bucket: 'shelf', prefix: 'p/' }, { now: () => NOW })
  try {
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
  } finally {
    bucket.close()
    server.close()
    server.closeAllConnections()
  }
})

test.run()
