/** Rows are made once for all requests that ask for them at the same time. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sharedRows } from '../../../../corpus/answers/plan/shared-rows.ts'
import type { AffectedRow } from '../../../../corpus/model/packages/affected-row.ts'
import { generationalCache } from '../../../../corpus/runtime/generational-cache.ts'
import { completed, finished, type Steps } from '../../../../corpus/runtime/steps.ts'
import { failed } from '../../../support/refusal.ts'

type Rows = readonly AffectedRow[]

/** Shared rows, and how often they were made. `wait` is what the work waits for. */
function setUp(wait: () => Promise<unknown> | null) {
  const counts = { made: 0 }
  const rows = sharedRows(generationalCache<string, Rows>(1000, () => 1))
  function* make(): Steps<Rows> {
    counts.made++
    const waiting = wait()
    if (waiting) yield waiting
    return []
  }
  return { counts, of: (key: string) => rows.of(key, make) }
}

const later = () => new Promise<void>((resolve) => setImmediate(resolve))

test('rows of one key are made once, and kept', async () => {
  const { counts, of } = setUp(later)
  const [first, second, other] = await Promise.all([completed(of('a')), completed(of('a')), completed(of('b'))])
  assert.is(second, first)
  assert.is.not(other, first)
  assert.is(counts.made, 2)
  assert.is(finished(of('a')), first)
  assert.is(counts.made, 2)
})

test('rows that need no waiting are there at once', () => {
  const { counts, of } = setUp(() => null)
  assert.is(finished(of('a')), finished(of('a')))
  assert.is(counts.made, 1)
})

test('an error reaches all that wait, is not kept, and is never unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', note)
  let fails = true
  const { counts, of } = setUp(() => later().then(() => (fails ? Promise.reject(new Error('damaged')) : null)))
  try {
    const both = [failed(completed(of('a'))), failed(completed(of('a')))]
    for (const error of await Promise.all(both)) assert.is(error?.message, 'damaged')
    assert.is((await failed(completed(of('alone'))))?.message, 'damaged')
    for (let turn = 0; turn < 5; turn++) await later()
  } finally {
    process.off('unhandledRejection', note)
  }
  assert.equal(unhandled, [])
  assert.is(counts.made, 2)
  fails = false
  assert.equal(await completed(of('a')), [])
  assert.is(counts.made, 3)
})

test('an error that ends the work from outside reaches the others too', async () => {
  const { of } = setUp(later)
  const work = of('a')
  work.next()
  const other = failed(completed(of('a')))
  assert.throws(() => work.throw(new Error('overloaded')), /overloaded/)
  assert.is((await other)?.message, 'overloaded')
})

test.run()
