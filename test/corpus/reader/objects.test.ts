/** Adjacent spans are read together: one run covers every span, and the distance of runs exceeds the gap. */
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { runsOf } from '../../../corpus/reader/objects.ts'
import type { Span } from '../../../corpus/repository/read.ts'
import { property } from '../model/properties/property.ts'

const span = fc.record({ at: fc.nat({ max: 500 }), length: fc.integer({ min: 1, max: 60 }) }) as fc.Arbitrary<Span>

property(
  'every span lies in exactly one run, and no run reaches further than its spans',
  [fc.array(span), fc.nat({ max: 80 })],
  (spans, gap) => {
    const runs = runsOf(spans, gap)
    assert.equal(
      runs.flatMap((run) => run.spans).sort((a, b) => a - b),
      [...spans.keys()],
    )
    for (const run of runs) {
      const covered = run.spans.map((i) => spans[i]!)
      assert.is(run.at, Math.min(...covered.map(({ at }) => at)))
      assert.is(run.at + run.length, Math.max(...covered.map(({ at, length }) => at + length)))
    }
  },
)

property(
  'between runs lies more than the gap, and within a run no more',
  [fc.array(span), fc.nat({ max: 80 })],
  (spans, gap) => {
    const runs = runsOf(spans, gap)
    runs.forEach(({ at, length, spans: covered }, i) => {
      const next = runs[i + 1]
      if (next) assert.ok(next.at > at + length + gap)
      let end = at
      for (const one of covered.map((position) => spans[position]!)) {
        assert.ok(one.at <= end + gap)
        end = Math.max(end, one.at + one.length)
      }
    })
  },
)

test('nothing to read is no run', () => {
  assert.equal(runsOf([], 100), [])
})

test.run()
