/** Work that is done in steps of well under a millisecond, so that other work can come in between. */

/** Yields after each step, and returns what comes of it. */
export type Steps<T> = Generator<void, T>

/** Takes all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
