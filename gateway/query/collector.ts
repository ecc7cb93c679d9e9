/** Collects garbage of SQLite's results. Rows have about 40 KB each, and V8 waits for 64 MB before it collects them. */
import { getHeapStatistics } from 'node:v8'
import { forceGc } from '../../corpus/runtime/force-gc.ts'

/** Rows are read once and dropped. */
const MOST_BYTES = 20 * 1024 * 1024

/**
 * Returns a function to call between two steps of work. It checks (7 µs) and collects above the limit. A full
 * collection is necessary, because data that a search keeps over several turns is in V8's old generation.
 */
export function collector(mostBytes = MOST_BYTES): () => void {
  const outside = () => getHeapStatistics().external_memory
  let least = outside()
  return () => {
    const now = outside()
    // Freed some time after the collection.
    least = Math.min(least, now)
    if (now - least < mostBytes) return
    forceGc()
    least = outside()
  }
}
