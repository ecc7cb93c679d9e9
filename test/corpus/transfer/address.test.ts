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

test('tags and digests in OCI registries', () => {
  const digest = `sha256:${'0a'.repeat(32)}`
  for (const [text, name, origin, repository, tag, pinned] of [
    ['oci://example.com/x', 'oci://example.com/x:latest', 'https://example.com', 'x', 'latest', null],
    [
      'oci://Example.com:5000/a/b-c__d.e:V1.2',
      'oci://example.com:5000/a/b-c__d.e:V1.2',
      'https://example.com:5000',
      'a/b-c__d.e',
      'V1.2',
      null,
    ],
    ['OCI+http://[::1]:5000/x:1', 'oci+http://[::1]:5000/x:1', 'http://[::1]:5000', 'x', '1', null],
    [`oci://example.com/x@${digest}`, `oci://example.com/x@${digest}`, 'https://example.com', 'x', 'latest', digest],
    [`oci://example.com/x:1@${digest}`, `oci://example.com/x@${digest}`, 'https://example.com', 'x', '1', digest],
  ] as const) {
    assert.equal(parseAddress(text), { kind: 'oci', location: { name, origin, repository, tag, digest: pinned } }, text)
  }
})

test('invalid addresses', () => {
  const registries = [
    '',
    'example.com',
    'example.com/',
    '/x',
    'example.com/X',
    'example.com/a//b',
    'example.com/../b',
    'example.com/x/',
  ]
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
    [
      [
        ...registries,
        'example.com/x:',
        'example.com/x:-a',
        'example.com/x:1:2',
        'example.com/x@sha256:0a',
        'example.com/x?y=1',
        'example.com?/x',
        'exam ple.com/x',
        `example.com/${'x/'.repeat(128)}x`,
      ].map((path) => `oci://${path}`),
      'invalid address of a registry; use oci://registry.example.com/security/vulnshelf:latest, or @sha256: and 64 hex digits instead of the tag',
    ],
    [
      ['oci://user:se+cret@example.com/x:1', 'oci+http://user@example.com/x'],
      'the address of a registry cannot have a name and a password; log in with skopeo login, and leave them out',
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
