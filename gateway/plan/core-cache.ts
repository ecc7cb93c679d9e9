/**
 * Cache of core segments that were requested more than once, in one buffer without an object for each. A hit copies
 * some 500 bytes instead of a read. Each row maps to one slot, shared with others. Evicts a row only when another row
 * in its slot is requested twice, so that scans do not flush hot rows.
 */

export interface CoreCache {
  /** Copies a cached core to `at` in `out`; returns whether it was cached. */
  take(snapshot: number, row: number, length: number, out: Buffer, at: number): boolean
  /** Caches the core if its row was also the slot's last offer. */
  offer(snapshot: number, row: number, length: number, out: Buffer, at: number): void
}

/** 95 % of the cores fit; longer ones are not cached. */
const SLOT_BYTES = 768
/** The cached row, and the row offered last. */
const KEYS_BYTES = 16
const NOBODY = -1
/** More rows than any snapshot has. */
const ROWS = 2 ** 32

/** Uses at most `bytes`; the system allocates pages on first use. */
export function coreCache(bytes: number): CoreCache {
  const slots = Math.floor(bytes / (SLOT_BYTES + KEYS_BYTES))
  const memory = Buffer.alloc(slots * SLOT_BYTES)
  // Adjacent, because they are read together.
  const keys = new Float64Array(2 * slots).fill(NOBODY)
  return {
    take(snapshot, row, length, out, at) {
      const slot = row % slots
      if (keys[2 * slot] !== snapshot * ROWS + row) return false
      const from = slot * SLOT_BYTES
      memory.copy(out, at, from, from + length)
      return true
    },
    offer(snapshot, row, length, out, at) {
      if (length > SLOT_BYTES) return
      const slot = row % slots
      const key = snapshot * ROWS + row
      if (keys[2 * slot + 1] === key) {
        keys[2 * slot] = key
        out.copy(memory, slot * SLOT_BYTES, at, at + length)
      }
      keys[2 * slot + 1] = key
    },
  }
}
