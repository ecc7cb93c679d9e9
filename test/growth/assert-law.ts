/** Asserts the law of growth for a subject, by counted steps. */
import * as assert from 'uvu/assert'
import { growthOf, inputsOf, MOST_GROWTH } from './law.ts'
import { stepCounter } from './steps.ts'
import type { Subject } from './subject.ts'

/** @param count number of generated inputs, if it is not the usual one */
export async function assertLaw(subject: Subject, count?: number): Promise<void> {
  const counter = stepCounter()
  try {
    for (const input of inputsOf(subject, count)) {
      const { name, costs, ratio } = await growthOf(input, subject.size, counter.steps)
      // Work that does nothing would pass.
      assert.ok(costs[0] > 0, `${name} takes no step`)
      assert.ok(
        ratio < MOST_GROWTH,
        `${name} takes ${costs.join(', ')} steps for an input of one, two and four times the size`,
      )
    }
  } finally {
    counter.stop()
  }
}
