/** Memory that lives no longer than an answer: cut, taken back, cut again. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { shortLived, slabPosition, takeBackSince } from '../../../corpus/runtime/arena.ts'

const placeOf = ({ buffer, byteOffset }: Buffer) => ({ buffer, byteOffset })
const SLAB_BYTES = shortLived(1).buffer.byteLength

test('what is cut does not overlap', () => {
  const cuts = Array.from({ length: 100 }, (_, i) => shortLived(1000 + i).fill(i))
  cuts.forEach((cut, i) => {
    assert.ok(cut.every((byte) => byte === i))
    assert.is(cut.length, 1000 + i)
  })
})

test('what was taken back is cut again, what was cut before it is not', () => {
  const kept = shortLived(100).fill(1)
  const position = slabPosition()
  const first = shortLived(500)
  shortLived(700)
  takeBackSince(position)
  assert.is(slabPosition(), position)
  const again = shortLived(500).fill(2)
  if (first.buffer === kept.buffer) assert.equal(placeOf(again), placeOf(first))
  assert.ok(kept.every((byte) => byte === 1))
})

test('where a new slab was begun in between, all of it is taken back and nothing of the one before', () => {
  const kept = shortLived(100).fill(1)
  const position = slabPosition()
  for (let cut = 0; cut < SLAB_BYTES; cut += 10_000) shortLived(10_000)
  takeBackSince(position)
  const next = shortLived(100).fill(2)
  assert.is.not(next.buffer, kept.buffer)
  assert.is(next.byteOffset, 0)
  assert.ok(kept.every((byte) => byte === 1))
})

test('long ones have memory of their own', () => {
  const position = slabPosition()
  assert.is(shortLived(SLAB_BYTES).buffer.byteLength, SLAB_BYTES)
  assert.is(slabPosition(), position)
})

test.run()
