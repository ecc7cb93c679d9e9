/** Work on many things, several at once. */

/**
 * Does `work` on each item, so many at once. The first failure is thrown, when what was under way has ended: no other
 * item is begun then, and `signal` tells those under way.
 */
export async function severalAtOnce<Item>(
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
