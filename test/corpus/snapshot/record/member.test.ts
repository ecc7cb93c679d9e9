/** Members, splicing and CRCs: encoded data decodes with our reader and any gzip, and damaged data is rejected. */
import { constants, deflateRawSync, gunzipSync } from 'node:zlib'
import { gunzipSync as fflateGunzip } from 'fflate'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { crc32, crc32Combine } from '../../../../corpus/runtime/crc32.ts'
import { deflateSegment } from '../../../../corpus/snapshot/codec/deflate.ts'
import { inflateSegment } from '../../../../corpus/snapshot/codec/inflate.ts'
import { plainBytes, storedBytes } from '../../../../corpus/snapshot/codec/segment-bytes.ts'
import { type Piece, spliceGzip, splicePlain, spliceTag } from '../../../../corpus/snapshot/codec/splice.ts'
import { SnapshotError } from '../../../../corpus/snapshot/error.ts'
import { decodeMemberHead, encodeMember } from '../../../../corpus/snapshot/record/member.ts'
import { contentDigest, membersOf } from '../../../../corpus/snapshot/record/shard.ts'

/** Returns a text of a length, neither constant nor random, the same each time. */
function text(length: number, seed: number): Buffer {
  let state = seed
  const words = ['buffer', 'overflow', 'in', 'the', 'parser', 'lets', 'a', 'guest', 'read', 'memory', 'größe', '%', '"']
  let out = ''
  while (out.length < length) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    out += `${words[state % words.length]} `
  }
  return Buffer.from(out).subarray(0, length)
}

const LENGTHS = [1, 2, 149, 150, 151, 900, 4096, 4097, 65_535, 65_536, 200_000]

function sample() {
  const parts = [
    Buffer.from('{"a":"'),
    { kind: 1, count: 1, plain: text(700, 1) },
    Buffer.from('","b":"'),
    { kind: 2, count: 300, plain: text(40, 2) },
    Buffer.from('","c":"'),
    { kind: 200, count: 0xffffff, plain: text(70_000, 3) },
    Buffer.from('"}\n'),
  ]
  return encodeMember(
    'CVE-2024-0001',
    parts,
    Uint8Array.from({ length: 16 }, (_, i) => i),
  )
}

const refused = (code?: string) => (error: unknown) =>
  error instanceof SnapshotError && (code === undefined || error.code === code)

test('the CRC of two runs of bytes is combined from theirs', () => {
  for (const length of [0, 1, 31, 1000, 65_535, 65_536, 131_073]) {
    const a = text(777, 5)
    const b = text(length, 9)
    assert.is(crc32Combine(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])), `length ${length}`)
  }
})

test('a segment inflates to what it was made from, at every length', () => {
  for (const length of LENGTHS) {
    const plain = text(length, length)
    assert.equal(inflateSegment(deflateSegment(plain), plain.length), plain)
  }
})

test('a segment has the bytes that a fresh stream gives, whatever was compressed before it', () => {
  const small = { level: 6, windowBits: 12, memLevel: 5, finishFlush: constants.Z_FULL_FLUSH }
  for (const length of [4096, 151, 4000, 900, 901, 152, 4096, 150, 2000, 333]) {
    const plain = text(length, length)
    assert.equal(deflateSegment(plain), deflateRawSync(plain, small), `length ${length}`)
  }
})

test('a segment with more bytes than it states is rejected before it is inflated', () => {
  const segment = deflateSegment(Buffer.alloc(1_000_000))
  assert.throws(() => inflateSegment(segment, 1000), refused('malformed'))
  assert.throws(() => inflateSegment(segment, 1_000_001), refused('malformed'))
})

test('a member is an ordinary gzip member for zlib and for fflate', () => {
  const { bytes } = sample()
  const plain = gunzipSync(bytes).toString()
  assert.is(Buffer.from(fflateGunzip(bytes)).toString(), plain)
  assert.is(plain, `{"a":"${text(700, 1)}","b":"${text(40, 2)}","c":"${text(70_000, 3)}"}\n`)
})

test('the head of a member reads back as it was written', () => {
  const { bytes, ...head } = sample()
  const decoded = decodeMemberHead(bytes)
  const plain = ({ source, segments, ...rest }: typeof head) => ({
    ...rest,
    source: Buffer.from(source),
    segments: segments.map(({ kind, count, offset, length, plainLength, plainCrc, storedCrc, hash }) => {
      return { kind, count, offset, length, plainLength, plainCrc, storedCrc, hash: Buffer.from(hash) }
    }),
  })
  assert.equal(plain(decoded), plain(head))
  assert.equal(plainBytes(bytes, decoded.segments[1]!), text(40, 2))
})

test('the head of a member can be read without the rest', () => {
  const { bytes, headLength } = sample()
  assert.is(decodeMemberHead(bytes.subarray(0, headLength)).key, 'CVE-2024-0001')
  for (let length = 0; length < headLength; length++) {
    assert.throws(() => decodeMemberHead(bytes.subarray(0, length)), refused(), `cut at ${length}`)
  }
})

test('a flipped bit in a member is detected when its part is read', () => {
  const { bytes } = sample()
  const intact = decodeMemberHead(bytes)
  const glue: number[] = []
  for (let at = 0; at < bytes.length - 8; at += at < 400 ? 1 : 97) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 1 << (at % 8)
    let noticed = false
    try {
      const head = decodeMemberHead(damaged)
      noticed = head.key !== intact.key
      for (const segment of head.segments) storedBytes(damaged, segment)
    } catch (error) {
      assert.instance(error, SnapshotError)
      noticed = true
    }
    const inSegment = intact.segments.some(({ offset, length }) => at >= offset && at < offset + length)
    if (!noticed && (inSegment || at < intact.headLength)) throw new Error(`a flipped bit at ${at} went unnoticed`)
    if (!noticed) glue.push(at)
  }
  // The rest is glue, which no answer uses. A reader of the whole member has the CRC of the trailer.
  for (const at of glue) {
    const damaged = Buffer.from(bytes)
    damaged[at]! ^= 1 << (at % 8)
    assert.throws(() => gunzipSync(damaged))
  }
})

test('a spliced answer is one gzip member of the pieces, with no bytes behind it', () => {
  const { bytes, segments } = sample()
  const piece = (i: number): Piece => ({ segment: segments[i]!, stored: storedBytes(bytes, segments[i]!) })
  const long = text(70_000, 77).toString()
  const pieces: Piece[] = ['{"x":"', piece(1), long, piece(2), piece(0), piece(2), 'ü"}']
  const expected = Buffer.from(`{"x":"${text(40, 2)}${long}${text(70_000, 3)}${text(700, 1)}${text(70_000, 3)}ü"}`)
  const gzip = spliceGzip(pieces)
  assert.equal(gunzipSync(gzip), expected)
  assert.equal(Buffer.from(fflateGunzip(gzip)), expected)
  assert.equal(splicePlain(pieces), expected)
  assert.throws(() => gunzipSync(gzip.subarray(0, -1)))
})

test('the tag of pieces changes with every literal and every segment, and not otherwise', () => {
  const { bytes, segments } = sample()
  const piece = (i: number): Piece => ({ segment: segments[i]!, stored: storedBytes(bytes, segments[i]!) })
  const tags = [
    ['a', piece(0)],
    ['b', piece(0)],
    ['a', piece(1)],
    [piece(0), 'a'],
    ['a', piece(0), piece(0)],
  ].map(spliceTag)
  assert.is(new Set(tags).size, tags.length)
  assert.is(spliceTag(['a', piece(0)]), tags[0])
})

test('a shard is read member by member, and a cut one is refused', () => {
  const shard = Buffer.concat([sample().bytes, encodeMember('next', [Buffer.from('{}\n')]).bytes])
  assert.equal(
    [...membersOf(shard)].map(({ key, at }) => [key, at]),
    [
      ['CVE-2024-0001', 0],
      ['next', sample().length],
    ],
  )
  assert.is(gunzipSync(shard).toString().split('\n').length, 3)
  assert.throws(() => [...membersOf(shard.subarray(0, -1))], refused())
})

test('the content digest of a shard depends on content and key, not on compression', () => {
  const digest = (key: string, plain: Buffer) => {
    const sum = contentDigest()
    sum.add(encodeMember(key, [{ kind: 1, count: 1, plain }, Buffer.from('\n')]))
    return sum.hex()
  }
  assert.is(digest('a', text(500, 1)), digest('a', text(500, 1)))
  assert.is.not(digest('a', text(500, 1)), digest('b', text(500, 1)))
  assert.is.not(digest('a', text(500, 1)), digest('a', text(500, 2)))
})

test.run()
