/** Work in steps of well under a millisecond, so that other work can run in between. */

export type Steps<T> = Generator<void, T>

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
