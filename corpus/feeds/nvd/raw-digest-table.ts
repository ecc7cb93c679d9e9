/**
 * A lookup table of stored items by raw bytes, shared by all threads. One thread can scan a whole file and return only
 * new items.
 */
import { CONTENT_BYTES } from '../../model/item-digest.ts'

/** Stored length of a raw digest (model/item-digest.ts). */
const WRAPPING_BYTES = 16

export interface WrappingTable {
  /** Hash slots with open addressing: index plus 1, or 0 when free. The first bytes of the digest choose the slot. */
  slots: Int32Array
  wrappings: Uint8Array
}

/** Returns the table of `size` digests. Includes only those with a raw digest and this adapter version. */
export function tableOf(
  digests: { size: number; digestAt(position: number): Uint8Array },
  adapter: number,
): WrappingTable {
  const { size } = digests
  const table = {
    slots: new Int32Array(new SharedArrayBuffer(4 * 2 ** Math.ceil(Math.log2(2 * size + 2)))),
    wrappings: new Uint8Array(new SharedArrayBuffer(WRAPPING_BYTES * size)),
  }
  for (let position = 0; position < size; position++) {
    const digest = digests.digestAt(position)
    if (digest.length !== CONTENT_BYTES + WRAPPING_BYTES || digest[0] !== adapter) continue
    const wrapping = digest.subarray(CONTENT_BYTES)
    table.wrappings.set(wrapping, WRAPPING_BYTES * position)
    const { slot } = lookUp(table, wrapping)
    if (table.slots[slot] === 0) table.slots[slot] = position + 1
  }
  return table
}

/** Returns the index of the stored item with these raw bytes, by their digest; -1 when there is none. */
export function positionOf(table: WrappingTable, digest: Uint8Array): number {
  return lookUp(table, digest).position
}

function lookUp({ slots, wrappings }: WrappingTable, digest: Uint8Array): { slot: number; position: number } {
  const mask = slots.length - 1
  let slot = (digest[0]! | (digest[1]! << 8) | (digest[2]! << 16) | (digest[3]! << 24)) & mask
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const position = slots[slot]! - 1
    if (isAt(wrappings, WRAPPING_BYTES * position, digest)) return { slot, position }
  }
  return { slot, position: -1 }
}

function isAt(wrappings: Uint8Array, start: number, digest: Uint8Array): boolean {
  for (let i = 0; i < WRAPPING_BYTES; i++) if (wrappings[start + i] !== digest[i]) return false
  return true
}
