/** Runs work on many items concurrently. */

/**
 * Calls `work` for each item, at most `parallel` at once. After a failure it starts no further item, aborts `signal`,
 * waits for running work, and throws the first failure.
 */
export async function runParallel<Item>(
  items: Iterable<Item>,
  parallel: number,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const left = items[Symbol.iterator]()
  const failures: unknown[] = []
  const worker = async () => {
    for (let next = left.next(); !next.done && !stop.signal.aborted; next = left.next()) {
      try {
        await work(next.value, stop.signal)
      } catch (error) {
        failures.push(error)
        stop.abort(new Error('another transfer has failed'))
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  if (failures.length > 0) throw failures[0]
}
