/** A map that forgets what was not used for longest once its entries weigh too much. */

export interface Lru<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  /** The weight of all entries. */
  weight(): number
}

/** `weigh` gives the weight of an entry in whatever unit `maxWeight` is; one that alone is too heavy is not kept. */
export function lru<V>(maxWeight: number, weigh: (value: V, key: string) => number): Lru<V> {
  // A Map iterates in the order of insertion: the first key is the one that was not used for longest.
  const entries = new Map<string, V>()
  let total = 0

  const remove = (key: string) => {
    const value = entries.get(key)
    if (value === undefined) return
    entries.delete(key)
    total -= weigh(value, key)
  }
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      remove(key)
      const weight = weigh(value, key)
      if (weight > maxWeight) return
      entries.set(key, value)
      total += weight
      for (const oldest of entries.keys()) {
        if (total <= maxWeight) break
        remove(oldest)
      }
    },
    delete: remove,
    weight: () => total,
  }
}
