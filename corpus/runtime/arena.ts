/**
 * Arena for buffers that live no longer than an answer. A separate buffer costs 1 µs and a finalizer, a view less than
 * 0.1 µs. Node's pool works only below 4 KB.
 */

/**
 * A pending answer keeps at most this many bytes from being freed. A page of 100 rows reads and writes 20 KB each.
 * Separate buffers would cost a tenth of its time, mostly page faults.
 */
const SLAB_BYTES = 262_144
/** Longer buffers would waste the remainder of arenas. */
const LONGEST = SLAB_BYTES / 4
const ALIGN = 8

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
let used = 0

/** Returns `length` uninitialized bytes. They retain their whole arena, so never use them for long-lived data. */
export function allocate(length: number): Buffer {
  if (length > LONGEST) return Buffer.allocUnsafeSlow(length)
  if (used + length > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  const cut = slab.subarray(used, used + length)
  used += Math.ceil(length / ALIGN) * ALIGN
  return cut
}
