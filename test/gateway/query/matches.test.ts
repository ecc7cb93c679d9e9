/** Packed matches: any ascending ordinals, as differences or bits. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packMatches, unpackMatches } from '../../../gateway/query/matches.ts'
import { seeded } from '../../corpus/snapshot/query/sample.ts'

const random = seeded(4)

const some = (size: number, share: number): Uint32Array =>
  Uint32Array.from({ length: size }, (_, ordinal) => ordinal).filter(() => random() < share)

test('unpacked ordinals are those that were packed', () => {
  for (const ordinals of [
    [],
    [0],
    [7],
    [8],
    [127],
    [128],
    [1, 2, 3],
    [0, 2 ** 24 - 1],
    [2 ** 31],
    ...[0.0001, 0.01, 0.1, 0.2, 0.5, 1].map((share) => some(20_000, share)),
  ]) {
    const given = Uint32Array.from(ordinals)
    const packed = packMatches(given)
    assert.is(packed.count, given.length)
    assert.equal(unpackMatches(packed), given)
  }
})

test('few ordinals take a byte or two each, many a bit for each ordinal', () => {
  const rare = packMatches(some(20_000, 0.01))
  assert.not(rare.isBits)
  assert.ok(rare.bytes.length < 2 * rare.count)
  const frequent = packMatches(some(20_000, 0.5))
  assert.ok(frequent.isBits)
  assert.ok(frequent.bytes.length <= 2500)
})

test.run()
