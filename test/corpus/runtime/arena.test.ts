/** Memory with the lifetime of an answer: allocated, released, allocated again. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate, arenaPosition, takeBackSince } from '../../../corpus/runtime/arena.ts'

const positionOf = ({ buffer, byteOffset }: Buffer) => ({ buffer, byteOffset })
const SLAB_BYTES = allocate(1).buffer.byteLength

test('what is cut does not overlap', () => {
  const cuts = Array.from({ length: 100 }, (_, i) => allocate(1000 + i).fill(i))
  cuts.forEach((cut, i) => {
    assert.ok(cut.every((byte) => byte === i))
    assert.is(cut.length, 1000 + i)
  })
})

test('what was taken back is cut again, what was cut before it is not', () => {
  const kept = allocate(100).fill(1)
  const position = arenaPosition()
  const first = allocate(500)
  allocate(700)
  takeBackSince(position)
  assert.is(arenaPosition(), position)
  const again = allocate(500).fill(2)
  if (first.buffer === kept.buffer) assert.equal(positionOf(again), positionOf(first))
  assert.ok(kept.every((byte) => byte === 1))
})

test('where a new slab was begun in between, all of it is taken back and nothing of the one before', () => {
  const kept = allocate(100).fill(1)
  const position = arenaPosition()
  for (let cut = 0; cut < SLAB_BYTES; cut += 10_000) allocate(10_000)
  takeBackSince(position)
  const next = allocate(100).fill(2)
  assert.is.not(next.buffer, kept.buffer)
  assert.is(next.byteOffset, 0)
  assert.ok(kept.every((byte) => byte === 1))
})

test('long ones have memory of their own', () => {
  const position = arenaPosition()
  assert.is(allocate(SLAB_BYTES).buffer.byteLength, SLAB_BYTES)
  assert.is(arenaPosition(), position)
})

test.run()
