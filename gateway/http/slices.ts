/** Long work between other requests: one at a time, in slices of a few milliseconds. */
import { overloaded } from '../../corpus/answers/errors.ts'
import type { Step, Steps } from '../../corpus/runtime/steps.ts'
import { WAITING_PRODUCTS } from '../process/bounds.ts'

/** Time of a slice. A step of the work takes less than a millisecond, except for hostile records. */
const SLICE_MS = 4
const RETRY_AFTER_SECONDS = 5

const waiting: (() => void)[] = []
let isBusy = false

/**
 * Takes steps until the work ends or waits for something, one work at a time. Lets requests be handled after each slice.
 * @throws ApiError `overloaded` if too many requests wait
 */
export async function inSlices<T>(work: Steps<T>): Promise<Step<T>> {
  if (isBusy) {
    if (waiting.length >= WAITING_PRODUCTS)
      throw overloaded('too many requests for products and large packages are queued', RETRY_AFTER_SECONDS)
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  isBusy = true
  try {
    for (;;) {
      for (const end = performance.now() + SLICE_MS; performance.now() < end; ) {
        const step = work.next()
        if (step.done || step.value instanceof Promise) return step
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    const next = waiting.shift()
    if (next) next()
    else isBusy = false
  }
}
