/** Collecting what SQLite handed over: rows of some 40 KB each, of which V8 lets 64 MB lie before it does that by itself. */
import { getHeapStatistics } from 'node:v8'
import { collect } from '../../corpus/snapshot/collect.ts'

/** Rows are read and forgotten: so much of them may lie about. */
const MOST_BYTES = 20 * 1024 * 1024

/**
 * Gives what a thread calls between two pieces of work: it looks (7 µs) and collects. What a search holds from turn to turn
 * is old by V8's standards, so collecting the young would not do.
 */
export function collector(mostBytes = MOST_BYTES): () => void {
  const outside = () => getHeapStatistics().external_memory
  let least = outside()
  return () => {
    const now = outside()
    // What was collected is freed a little later.
    least = Math.min(least, now)
    if (now - least < mostBytes) return
    collect()
    least = outside()
  }
}
