/**
 * Memory for what lives no longer than an answer. A buffer of its own costs 1 µs to make and a finaliser to collect, a
 * view of a slab less than 0.1 µs; node's own pool does the same, but only below 4 KB.
 */

/**
 * What one answer that is still under way can keep from being freed. A page of 100 rows takes 20 KB to read and 20 more to
 * answer: buffers of their own cost it a tenth of its time, most of it in page faults of the heap.
 */
const SLAB_BYTES = 262_144
/** Longer ones would use up slabs with their remainders. */
const LONGEST = SLAB_BYTES / 4
/** Views begin at multiples of this. */
const ALIGN = 8

let slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
let slabs = 0
let used = 0

/** `length` bytes with anything in them. Whoever keeps them keeps the whole slab: long-lived bytes belong elsewhere. */
export function shortLived(length: number): Buffer {
  if (length > LONGEST) return Buffer.allocUnsafeSlow(length)
  if (used + length > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    slabs++
    used = 0
  }
  const cut = slab.subarray(used, used + length)
  used += Math.ceil(length / ALIGN) * ALIGN
  return cut
}

/** How far slabs have been cut up. */
export const slabPosition = (): number => slabs * SLAB_BYTES + used

/**
 * Takes back all that was cut since `position`: the next answers get the same memory, which is in the processor's caches
 * and need not be had from the system anew. Only for who has done nothing but one answer since then, and is done with it.
 */
export function takeBackSince(position: number): void {
  used = Math.max(0, position - slabs * SLAB_BYTES)
}
