/** Memory that lives no longer than an answer. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../../../corpus/runtime/arena.ts'

const SLAB_BYTES = allocate(1).buffer.byteLength

test('what is cut does not overlap', () => {
  const cuts = Array.from({ length: 100 }, (_, i) => allocate(1000 + i).fill(i))
  cuts.forEach((cut, i) => {
    assert.ok(cut.every((byte) => byte === i))
    assert.is(cut.length, 1000 + i)
  })
})

test('long ones have memory of their own', () => {
  assert.is(allocate(SLAB_BYTES).buffer.byteLength, SLAB_BYTES)
})

test.run()
