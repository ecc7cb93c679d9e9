/** Fused pieces: one segment with their content, and digests that no other pieces have. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { storedBytes } from '../../../../corpus/snapshot/codec/segment-bytes.ts'
import {
  type FusedPieces,
  type Piece,
  spliceGzip,
  splicePlain,
  spliceSeed,
  spliceTag,
} from '../../../../corpus/snapshot/codec/splice.ts'
import { encodeMember } from '../../../../corpus/snapshot/record/member.ts'

const plain = Buffer.from('{"cve_id":"CVE-2024-0001","title":"größer"'.repeat(9))
const member = encodeMember('CVE-2024-0001', [{ kind: 1, count: 1, plain }, Buffer.from('}\n')])
const segment: Piece = { segment: member.segments[0]!, stored: storedBytes(member.bytes, member.segments[0]!) }

const GZIP_HEAD = 10
/** The empty final block, CRC and length. */
const GZIP_END = 5 + 8

/** Fuses pieces as a writer of rows into one buffer does: the content of their gzip member, with its CRC and length. */
function fuse(pieces: readonly Piece[]): FusedPieces {
  const gzip = spliceGzip(pieces)
  const stored = gzip.subarray(GZIP_HEAD, -GZIP_END)
  return {
    segment: { plainLength: gzip.readUInt32LE(gzip.length - 4), plainCrc: gzip.readUInt32LE(gzip.length - 8) },
    length: stored.length,
    write: (out, at) => void stored.copy(out, at),
    seed: spliceSeed(pieces),
  }
}

test('fused pieces inflate to their content at any position', () => {
  for (const pieces of [[segment, ',"epss":null},'], ['ä', segment, segment, 'x'.repeat(70_000)], ['', segment], []]) {
    const fused = fuse(pieces)
    const said = splicePlain(pieces)
    assert.equal(splicePlain([fused]), said)
    assert.equal(splicePlain(['[', fused, fused, ']']), Buffer.concat([Buffer.from('['), said, said, Buffer.from(']')]))
    assert.equal(gunzipSync(spliceGzip(['[', fused, ']'])), splicePlain(['[', fused, ']']))
  }
})

test('pieces that are alike only when run together have different tags', () => {
  const rows: Piece[][] = [
    ['ab', segment],
    ['a', 'b', segment],
    ['', 'ab', segment],
    [segment, 'ab'],
    ['ab', segment, segment],
    ['ä', segment],
    ['\u00c3\u00a4', segment],
  ]
  assert.is(new Set(rows.map(spliceTag)).size, rows.length)
})

test('fusing pieces changes neither the tag nor the bytes of an answer', () => {
  const pieces: Piece[] = ['{', segment, ',"ä":', segment, '}']
  const [first, second, ...others] = pieces as [Piece, Piece, ...Piece[]]
  for (const some of [
    [fuse(pieces)],
    [fuse([first, second]), ...others],
    [fuse([fuse([first]), second]), fuse(others)],
  ]) {
    assert.is(spliceTag(some), spliceTag(pieces))
    assert.equal(spliceGzip(some), spliceGzip(pieces))
  }
})

test.run()
