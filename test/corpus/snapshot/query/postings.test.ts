/** Postings of `query.db` and of messages between threads decode to the same values; the shorter encoding is used. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Random } from '../../../../corpus/sample/random.ts'
import { decodePostings, encodePostings, writeOrdinals } from '../../../../corpus/snapshot/query/postings.ts'

/** Returns about `share` of the ordinals below `size`. */
function some(size: number, share: number): Uint32Array {
  const random = new Random(`${size} ${share}`)
  return Uint32Array.from(Array.from({ length: size }, (_, ordinal) => ordinal).filter(() => random.chance(share)))
}

test('SPEC, "Query": what was encoded decodes to the same ordinals', () => {
  const sets = [
    new Uint32Array(0),
    Uint32Array.of(0),
    Uint32Array.of(7, 8),
    Uint32Array.of(2 ** 31),
    Uint32Array.of(0, 127, 128, 2 ** 14, 2 ** 21 + 2 ** 14, 2 ** 28 + 2 ** 21),
    ...[0.001, 0.01, 0.1, 0.125, 0.2, 0.5, 0.9, 1].map((share) => some(20_000, share)),
  ]
  for (const ordinals of sets) {
    const size = (ordinals.at(-1) ?? -1) + 1
    const encoded = encodePostings(ordinals)
    assert.is(encoded.count, ordinals.length)
    assert.equal([...decodePostings(encoded, size)], [...ordinals])
    const room = new Uint32Array(ordinals.length + 3)
    assert.is(writeOrdinals(encoded, room), ordinals.length)
  }
})

test('SPEC, "Query": a bit for each ordinal where differences would take as much', () => {
  const rare = encodePostings(some(20_000, 0.01))
  assert.not.ok(rare.isBits)
  assert.ok(rare.bytes.length < rare.count * 2)
  const frequent = encodePostings(some(20_000, 0.5))
  assert.ok(frequent.isBits)
  assert.is(frequent.bytes.length, 2500)
})

test.run()
