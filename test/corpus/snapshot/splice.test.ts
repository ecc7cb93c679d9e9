/** Fused pieces: one segment that says what they say, and digests that no other pieces have. */
import { gunzipSync } from 'node:zlib'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inflateSegment } from '../../../corpus/snapshot/deflate.ts'
import { encodeMember, storedBytes } from '../../../corpus/snapshot/member.ts'
import { fuse, type Piece, spliceGzip, splicePlain, spliceTag } from '../../../corpus/snapshot/splice.ts'

const plain = Buffer.from('{"cve_id":"CVE-2024-0001","title":"größer"'.repeat(9))
const member = encodeMember('CVE-2024-0001', [{ kind: 1, count: 1, plain }, Buffer.from('}\n')])
const segment: Piece = { segment: member.segments[0]!, stored: storedBytes(member.bytes, member.segments[0]!) }

test('fused pieces inflate to what they say, wherever they stand', () => {
  for (const pieces of [[segment, ',"epss":null},'], ['ä', segment, segment, 'x'.repeat(70_000)], ['', segment], []]) {
    const fused = fuse(pieces)
    const said = splicePlain(pieces)
    assert.equal(inflateSegment(fused.stored, fused.segment.plainLength), said)
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
