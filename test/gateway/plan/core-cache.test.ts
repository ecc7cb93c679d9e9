/** The memory of core segments: what is taken is what was offered, by whoever asks, and nobody gets another's. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { coreCache } from '../../../gateway/plan/gathered-rows.ts'

const SLOT = 768 + 16
const SLOTS = 8
const LONGEST = 768

const filled = (byte: number, length: number) => Buffer.alloc(length, byte)

/** What is known of a row: its bytes, or null. They are put behind others, which stay. */
function taken(memory: ReturnType<typeof coreCache>, snapshot: number, row: number, length: number): Buffer | null {
  const out = filled(0xee, length + 6)
  const known = memory.take(snapshot, row, length, out, 3)
  assert.equal(out.subarray(0, 3), filled(0xee, 3))
  assert.equal(out.subarray(-3), filled(0xee, 3))
  return known ? out.subarray(3, -3) : null
}

test('a core is kept from the second time on that it is offered', () => {
  const memory = coreCache(SLOTS * SLOT)
  const out = filled(7, 20)
  memory.offer(0, 5, 10, out, 4)
  assert.is(taken(memory, 0, 5, 10), null)
  memory.offer(0, 5, 10, out, 4)
  out.fill(0)
  assert.equal(taken(memory, 0, 5, 10), filled(7, 10))
})

test('rows that share a slot, and snapshots that share rows, do not get each other’s cores', () => {
  const memory = coreCache(SLOTS * SLOT)
  const rows = [1, 1 + SLOTS, 1 + 2 * SLOTS]
  for (const twice of [1, 2]) memory.offer(0, 1, 9, filled(twice, 9), 0)
  for (const row of rows) assert.equal(taken(memory, 0, row, 9), row === 1 ? filled(2, 9) : null)
  assert.is(taken(memory, 1, 1, 9), null)
})

test('one that is asked for in passing does not take the place of one that is kept; one asked for twice does', () => {
  const memory = coreCache(SLOTS * SLOT)
  const offer = (row: number) => memory.offer(0, row, 4, filled(row, 4), 0)
  for (const row of [2, 2, 2 + SLOTS, 2 + 2 * SLOTS, 2 + SLOTS]) offer(row)
  assert.equal(taken(memory, 0, 2, 4), filled(2, 4))
  offer(2 + SLOTS)
  assert.is(taken(memory, 0, 2, 4), null)
  assert.equal(taken(memory, 0, 2 + SLOTS, 4), filled(2 + SLOTS, 4))
})

test('a core as long as a slot is kept whole, a longer one never', () => {
  const memory = coreCache(SLOTS * SLOT)
  for (const row of [6, 7, 6, 7]) memory.offer(0, row, LONGEST, filled(row, LONGEST), 0)
  for (const row of [6, 7]) assert.equal(taken(memory, 0, row, LONGEST), filled(row, LONGEST))
  for (let time = 0; time < 2; time++) memory.offer(0, 3, LONGEST + 1, filled(3, LONGEST + 1), 0)
  assert.is(taken(memory, 0, 3, LONGEST + 1), null)
})

test.run()
