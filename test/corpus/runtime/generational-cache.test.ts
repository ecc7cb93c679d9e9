/** The bounded cache: it keeps recently used entries, evicts others, and stays within its bound for any input. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { generationalCache } from '../../../corpus/runtime/generational-cache.ts'

const byLength = (value: string) => value.length

test('a stored value is returned, and a new one replaces it', () => {
  const memory = generationalCache<number, string>(100, byLength)
  memory.set(1, 'one')
  assert.is(memory.get(1), 'one')
  assert.is(memory.get(2), undefined)
  memory.set(1, 'other')
  assert.is(memory.get(1), 'other')
  assert.is(memory.weight(), 5)
})

test('what is used stays, what is not used goes', () => {
  const memory = generationalCache<number, string>(100, byLength)
  memory.set(-1, '0123456789')
  for (let key = 0; key < 1000; key++) {
    memory.set(key, '0123456789')
    assert.is(memory.get(-1), '0123456789', `after ${key}`)
  }
  assert.is(memory.get(0), undefined)
  assert.is(memory.get(999), '0123456789')
})

test('the bound is kept after every step, for entries of any weight', () => {
  const memory = generationalCache<number, string>(1000, byLength)
  for (let step = 0; step < 5000; step++) {
    memory.set((step * 7919) % 97, 'x'.repeat((step * 104_729) % 600))
    memory.get((step * 31) % 97)
    assert.ok(memory.weight() <= 1000, `${memory.weight()} at step ${step}`)
  }
})

test('an entry that is too heavy is not kept, nor the one it replaces', () => {
  const memory = generationalCache<number, string>(100, byLength)
  memory.set(1, 'light')
  memory.set(1, 'x'.repeat(51))
  assert.is(memory.get(1), undefined)
  assert.is(memory.weight(), 0)
  // The same when the light entry is already in the old generation.
  memory.set(1, 'light')
  memory.set(2, 'x'.repeat(48))
  memory.set(1, 'x'.repeat(51))
  assert.is(memory.get(1), undefined)
  assert.is(memory.weight(), 48)
})

test('what is deleted is gone from both generations', () => {
  const memory = generationalCache<number, string>(100, byLength)
  memory.set(1, 'x'.repeat(30))
  memory.set(2, 'x'.repeat(30))
  memory.delete(1)
  memory.delete(2)
  memory.delete(3)
  assert.is(memory.get(1), undefined)
  assert.is(memory.get(2), undefined)
  assert.is(memory.weight(), 0)
})

test.run()
