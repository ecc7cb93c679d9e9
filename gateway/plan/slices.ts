/** Long work between other requests: one at a time, in slices of a few milliseconds. */
import { overloaded } from '../http/errors.ts'
import { WAITING_PRODUCTS } from '../process/bounds.ts'

/** Time of a slice. A step of the work takes less than a millisecond, except for hostile records. */
const SLICE_MS = 4
const RETRY_AFTER_SECONDS = 5

const waiting: (() => void)[] = []
let isBusy = false

/**
 * Runs one generator at a time, and lets requests be handled after each slice.
 * @throws ApiError `overloaded` if too many requests wait
 */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
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
        if (step.done) return step.value
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    const next = waiting.shift()
    if (next) next()
    else isBusy = false
  }
}
