/** A bounded memory of what was used lately, cheap enough to be asked many times in a request. */

export interface Recent<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
  delete(key: K): void
  /** The weight of all entries, never more than the bound. */
  weight(): number
}

interface Generation<K, V> {
  entries: Map<K, V>
  weight: number
}

/**
 * Two generations: when the young one has half of `maxWeight` it becomes the old one, and the old one is dropped. What is
 * used in between moves over. A hit costs one look-up, where a strict LRU would rewrite its order. `weigh` gives the
 * weight of an entry in whatever unit `maxWeight` is; one that weighs more than half of it is not kept.
 */
export function recent<K, V>(maxWeight: number, weigh: (value: V, key: K) => number): Recent<K, V> {
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
