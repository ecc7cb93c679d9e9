/** Runs work that yields between its steps, and returns its result. */
export function finished<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
