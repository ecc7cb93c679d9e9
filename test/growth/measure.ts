/** Measures subjects by counted steps, in a thread of their own, and asserts the law of growth for each. */
import { Worker } from 'node:worker_threads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Growth, MOST_GROWTH } from './law.ts'

/** The data of the thread. */
export interface Measured {
  /** The module of the subjects, which exports `open`. */
  module: string
  /** What `open` gets: paths of feeds or snapshots. */
  given: readonly string[]
}

export interface SubjectGrowth {
  subject: string
  growths: Growth[]
}

/**
 * Returns how the cost of each input grows. V8 counts the blocks of those functions only that are compiled after it began to
 * count, so the thread begins before it loads the module.
 */
export function measured(module: string, ...given: string[]): Promise<SubjectGrowth[]> {
  const workerData: Measured = { module: new URL(module, import.meta.url).href, given }
  const worker = new Worker(new URL('./measure-thread.ts', import.meta.url), { workerData })
  return new Promise((resolve, reject) => {
    worker.once('message', resolve).once('error', reject)
    worker.once('exit', () => reject(new Error('the thread ended without a result')))
  })
}

/** @throws AssertionError for an input that breaks the law */
export function assertLaw({ subject, growths }: SubjectGrowth): void {
  assert.ok(growths.length > 0, `${subject} has no inputs`)
  for (const { name, costs, ratio } of growths) {
    // Work that does nothing would hold the law.
    assert.ok(costs[0] > 0, `${name} takes no step`)
    const steps = `${name} takes ${costs.join(', ')} steps for an input of one, two and four times the size`
    assert.ok(ratio < MOST_GROWTH, steps)
  }
}

/** Makes a test of each subject of a module. */
export async function testLaw(module: string, ...given: string[]): Promise<SubjectGrowth[]> {
  const all = await measured(module, ...given)
  for (const one of all) test(one.subject, () => assertLaw(one))
  return all
}
