/** Work in steps of well under a millisecond, so that other work can run in between. */
import type { RowName } from './rows.ts'

/** Returns the rows that are read before the next such list. Only a source that cannot read at once needs to know them. */
export type Wanted = () => readonly RowName[]

/** A step may yield the rows that the following ones read. */
export type Steps<T> = Generator<Wanted | undefined, T>

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Runs several at once, so that the rows that they want are read together. Returns their results, in the same order. */
export function* together<T>(several: readonly Steps<T>[]): Steps<T[]> {
  const results: T[] = []
  for (let open = [...several.entries()]; open.length > 0; ) {
    const waiting: typeof open = []
    const wanted: Wanted[] = []
    for (const one of open) {
      const [i, steps] = one
      for (;;) {
        const step = steps.next()
        if (step.done) results[i] = step.value
        else if (!step.value) {
          yield
          continue
        } else {
          wanted.push(step.value)
          waiting.push(one)
        }
        break
      }
    }
    if (waiting.length > 0) yield () => wanted.flatMap((rows) => rows())
    open = waiting
  }
  return results
}
