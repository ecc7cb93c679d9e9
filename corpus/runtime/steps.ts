/**
 * Work in steps: one implementation for data in memory and for data that has to be fetched. Work that waits for nothing
 * ends at once, without a turn of the event loop.
 */

/** Yields a promise that it waits for, or nothing where other work may run. The next step gets the promise's value. */
export type Steps<T> = Generator<Promise<unknown> | undefined, T, unknown>

export type Step<T> = IteratorResult<Promise<unknown> | undefined, T>

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

function* nextOf<T>(work: Steps<T>, waiting: Promise<unknown>): Steps<Step<T>> {
  let value: unknown
  try {
    value = yield waiting
  } catch (error) {
    return work.throw(error)
  }
  return work.next(value)
}

/**
 * Runs works at the same time, and returns their results in the same order. Each work runs to its end, also if another one
 * fails. @throws the first error
 */
export function* together<T>(works: readonly Steps<T>[]): Steps<T[]> {
  const results = works.map((work) => {
    const step = work.next()
    if (step.done) return step.value
    const result = completed(work, step)
    // If a later work fails at once, nothing else waits for this one.
    result.catch(() => {})
    return result
  })
  if (!results.some((result) => result instanceof Promise)) return results as T[]
  return (yield Promise.all(results)) as T[]
}

/** Runs work to its end. `first` is a step that was taken already. */
export async function completed<T>(work: Steps<T>, first = work.next()): Promise<T> {
  let step = first
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
