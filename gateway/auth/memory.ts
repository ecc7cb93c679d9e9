/** A bounded memory of what was used lately, cheap enough to be asked on every request. */

export interface Memory<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
}

/** What an entry takes besides its key: map slot, value, subject. */
const ENTRY_BYTES = 512

/**
 * Two generations: when the young one has half of `entries` or `bytes`, it becomes the old one, and the old one is
 * dropped. What is used in between moves over. A hit costs one look-up, where a strict LRU would rewrite its order.
 */
export function createMemory<V>({ entries, bytes }: { entries: number; bytes: number }): Memory<V> {
  let young = new Map<string, V>()
  let old = new Map<string, V>()
  let youngBytes = 0

  const set = (key: string, value: V): void => {
    const size = key.length + ENTRY_BYTES
    if (young.size + 1 > entries / 2 || youngBytes + size > bytes / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
    if (size > bytes / 2) return
    if (!young.has(key)) youngBytes += size
    young.set(key, value)
  }

  return {
    get: (key) => {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    delete: (key) => {
      if (young.delete(key)) youngBytes -= key.length + ENTRY_BYTES
      old.delete(key)
    },
  }
}
