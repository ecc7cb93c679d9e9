/**
 * Work in steps: one implementation for data in memory and for data that has to be fetched. Work that waits for nothing
 * ends at once, without a turn of the event loop.
 */

/** Yields a promise that it waits for, or nothing where other work may run. The next step gets the promise's value. */
export type Steps<T> = Generator<Promise<unknown> | void, T, unknown>

/** Waits for a value that may be a promise. */
export function* awaited<T>(value: T | Promise<T>): Steps<T> {
  return value instanceof Promise ? ((yield value) as T) : value
}

/** Runs short work without pauses. Promises are still awaited. */
export function* withoutPauses<T>(work: Steps<T>): Steps<T> {
  let step = work.next()
  for (;;) {
    if (step.done) return step.value
    step = step.value instanceof Promise ? yield* nextOf(work, step.value) : work.next()
  }
}

function* nextOf<T>(work: Steps<T>, waiting: Promise<unknown>): Steps<IteratorResult<Promise<unknown> | void, T>> {
  let value: unknown
  try {
    value = yield waiting
  } catch (error) {
    return work.throw(error)
  }
  return work.next(value)
}

/** Runs works at the same time: what they wait for is awaited together. */
export function* together<T>(works: readonly Steps<T>[]): Steps<T[]> {
  const results: T[] = []
  let running = works.map((work, i) => ({ work, i, step: work.next() }))
  for (;;) {
    for (const { i, step } of running) if (step.done) results[i] = step.value as T
    running = running.filter(({ step }) => !step.done)
    if (running.length === 0) return results
    const values = (yield Promise.all(running.map(({ step }) => step.value))) as unknown[]
    running = running.map(({ work, i }, at) => ({ work, i, step: work.next(values[at]) }))
  }
}

/** Runs work to its end. */
export async function completed<T>(work: Steps<T>): Promise<T> {
  let step = work.next()
  while (!step.done) {
    let value: unknown
    try {
      value = await step.value
    } catch (error) {
      step = work.throw(error)
      continue
    }
    step = work.next(value)
  }
  return step.value
}

/** Returns the result of work that waits for nothing. @throws TypeError if it waits */
export function finished<T>(work: Steps<T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (step.value instanceof Promise) throw new TypeError('the work waits for something')
  }
}
