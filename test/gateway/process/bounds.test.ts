import { totalmem } from 'node:os'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { defaultMemory, holdBytes } from '../../../gateway/process/bounds.ts'

test('the default is at most a quarter of the machine, and at most 1 GB per worker', () => {
  for (const workers of [1, 2, 1000]) {
    assert.ok(defaultMemory(workers) > 0)
    assert.ok(defaultMemory(workers) <= Math.min(workers * 1e9, totalmem() / 4))
  }
  assert.is(defaultMemory(2), Math.min(2e9, defaultMemory(1000)))
})

test('each worker keeps what its share leaves', () => {
  assert.is(holdBytes(750e6, 1), 60e6)
  assert.is(holdBytes(1.5e9, 2), 60e6)
  assert.is(holdBytes(1.2e9, 2), 0)
})

test.run()
