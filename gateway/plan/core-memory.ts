/**
 * Core segments of rows that were asked for more than once, in one piece of memory without an object for each: a hit costs
 * a copy of some 500 bytes instead of a read. Each row has one slot that it may be in, shared with others. What is kept
 * gives way to a row that is asked for twice before another one of the same slot is, so that walks through everything do
 * not wash out what many ask for.
 */

export interface CoreMemory {
  /** Copies the core of a row to `at` of `out`, if it is known. */
  take(snapshot: number, row: number, length: number, out: Buffer, at: number): boolean
  /** Offers a core that was read to `at` of `out`: it is kept if it was offered before, lately. */
  offer(snapshot: number, row: number, length: number, out: Buffer, at: number): void
}

/** Nineteen of twenty cores are no longer; those that are will not be kept. */
const SLOT_BYTES = 768
/** Beside the bytes of a slot: which row it has, and which was offered last. */
const KEYS_BYTES = 16
const NOBODY = -1
/** More rows than any snapshot has. */
const ROWS = 2 ** 32

/** `bytes` is what it may take; the system gives them as slots are filled. `snapshot` numbers open snapshots. */
export function coreMemory(bytes: number): CoreMemory {
  const slots = Math.floor(bytes / (SLOT_BYTES + KEYS_BYTES))
  const memory = Buffer.alloc(slots * SLOT_BYTES)
  // Of each slot what it has and what was offered last, side by side: they are asked for together.
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
