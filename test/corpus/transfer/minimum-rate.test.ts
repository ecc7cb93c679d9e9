/** The transfer of a small file that arrives byte by byte ends early. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { watchMinimumRate } from '../../../corpus/transfer/minimum-rate.ts'
import { readWhole } from '../../../corpus/transfer/receive.ts'
import { refusal } from '../../support/refusal.ts'

/** Returns a clock that advances by `stepMs` per read. */
function clock(stepMs: number) {
  let time = 0
  return () => {
    time += stepMs
    return new Date(time)
  }
}

async function* pieces(count: number, length: number): AsyncIterable<Uint8Array> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(length, 'x')
}

test('a byte every ten seconds is no transfer after a minute', async () => {
  assert.is(await refusal(readWhole(pieces(1000, 1), 2000, clock(10_000))), 'stalled: only 6 bytes in 60 s')
})

test('slow is not stalled, and short is not slow', async () => {
  assert.is((await readWhole(pieces(100, 3000), 1e6, clock(10_000))).length, 300_000)
  assert.is((await readWhole(pieces(5, 1), 1e6, clock(10_000))).length, 5)
})

test('each minute counts by itself: what came fast at first does not pay for what crawls later', () => {
  const arrived = watchMinimumRate(clock(20_000))
  arrived(1_000_000)
  arrived(1)
  arrived(1)
  arrived(1)
  arrived(1)
  assert.throws(() => arrived(1), /only 3 bytes in 60 s/)
})

test.run()
