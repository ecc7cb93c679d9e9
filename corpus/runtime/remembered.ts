/** Results of work that are kept, also while the work runs. */

/** Returns the result of `work` that is stored under `key`. A failure is not stored, so the next caller retries. */
export function remembered<T>(results: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = results.get(key)
  if (known) return known
  const result = work()
  results.set(key, result)
  result.catch(() => results.delete(key))
  return result
}
