/** Addresses of repositories. An invalid one is never repeated, because it may contain a password. */
import { resolve } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAddress } from '../../../corpus/transfer/address.ts'

test('paths, file URLs and other URLs', () => {
  assert.equal(parseAddress('dist'), { kind: 'path', path: resolve('dist') })
  assert.equal(parseAddress('file:///a/b%20c'), { kind: 'path', path: '/a/b c' })
  assert.equal(parseAddress('ftp://host/x'), { kind: 'url', url: new URL('ftp://host/x') })
})

test('buckets and prefixes of object stores', () => {
  for (const [text, bucket, prefix] of [
    ['s3://bucket', 'bucket', ''],
    ['s3://bucket/', 'bucket', ''],
    ['s3://my.bucket-1/a', 'my.bucket-1', 'a/'],
    ['S3://Old_Bucket/a/b c/', 'Old_Bucket', 'a/b c/'],
    ['s3://bucket/50%25?x=1', 'bucket', '50%25?x=1/'],
  ] as const) {
    assert.equal(parseAddress(text), { kind: 's3', location: { bucket, prefix } }, text)
  }
  assert.is(parseAddress('s3:bucket').kind, 'path')
})

test('invalid addresses', () => {
  const stores = ['', '/a', 'a', '-bucket', 'b@d/a', 'KEY:se+cret@bucket/x', 'bucket//', 'bucket/a//b', 'x/y']
  for (const [addresses, message] of [
    [
      [...stores, 'bucket/..', 'bucket/a/./b', 'b'.repeat(64)].map((path) => `s3://${path}`),
      'the address has no bucket; use s3://bucket/prefix',
    ],
    [
      ['https://user:se#cret@host/x', 'http://'],
      'invalid address: in names and passwords, write # / ? @ as %23 %2F %3F %40',
    ],
    [['file://elsewhere/dist'], 'file://elsewhere/dist is not a path on this machine; use a path, or file:///path'],
  ] as const) {
    for (const address of addresses) {
      assert.throws(
        () => parseAddress(address),
        (error: Error & { code?: string }) => error.code === 'usage' && error.message === message,
      )
    }
  }
})

test.run()
