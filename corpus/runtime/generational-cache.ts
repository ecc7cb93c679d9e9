/** A bounded cache of recently used values, cheap enough for many lookups per request. */

export interface GenerationalCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  weight(): number
}

interface Generation<K, V> {
  entries: Map<K, V>
  weight: number
}

/**
 * Returns a cache with two generations. At half of `maxWeight` the young one becomes the old one, and the previous old
 * one is dropped. Hits move to the young one. A hit costs one lookup; a strict LRU would also update its order.
 * `weigh` returns an entry's weight. Entries above half of `maxWeight` are not kept.
 */
export function generationalCache<K, V>(
  maxWeight: number,
  weigh: (value: V, key: K) => number,
): GenerationalCache<K, V> {
  const empty = (): Generation<K, V> => ({ entries: new Map(), weight: 0 })
  let young = empty()
  let old = empty()

  const remove = (from: Generation<K, V>, key: K) => {
    const value = from.entries.get(key)
    if (value === undefined) return
    from.entries.delete(key)
    from.weight -= weigh(value, key)
  }
  const set = (key: K, value: V) => {
    remove(young, key)
    remove(old, key)
    const weight = weigh(value, key)
    if (weight > maxWeight / 2) return
    if (young.weight + weight > maxWeight / 2) {
      old = young
      young = empty()
    }
    young.entries.set(key, value)
    young.weight += weight
  }

  return {
    get(key) {
      const value = young.entries.get(key)
      if (value !== undefined) return value
      const older = old.entries.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete(key) {
      remove(young, key)
      remove(old, key)
    },
    weight: () => young.weight + old.weight,
  }
}
