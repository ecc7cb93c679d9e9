/**
 * By the bytes that an item is wrapped in, whether the corpus has it: a table that all threads share, so that one of them
 * can go through a whole file and bring back only what is new.
 */
import { CONTENT_BYTES } from '../model/item-digest.ts'

/** Of a wrapping's digest these bytes are kept (model/item-digest.ts). */
const WRAPPING_BYTES = 16

export interface WrappingTable {
  /** Places and 1, each at the first free slot from where its digest's first bytes say; 0 is a free slot. */
  slots: Int32Array
  /** The digests of the wrappings, by place. */
  wrappings: Uint8Array
}

/** Of so many digests, by place, those that are of wrapped items as this version of the adapter read them. */
export function tableOf(
  digests: { size: number; digestAt(place: number): Uint8Array },
  adapter: number,
): WrappingTable {
  const { size } = digests
  const table = {
    slots: new Int32Array(new SharedArrayBuffer(4 * 2 ** Math.ceil(Math.log2(2 * size + 2)))),
    wrappings: new Uint8Array(new SharedArrayBuffer(WRAPPING_BYTES * size)),
  }
  for (let place = 0; place < size; place++) {
    const digest = digests.digestAt(place)
    if (digest.length !== CONTENT_BYTES + WRAPPING_BYTES || digest[0] !== adapter) continue
    const wrapping = digest.subarray(CONTENT_BYTES)
    table.wrappings.set(wrapping, WRAPPING_BYTES * place)
    const { slot } = lookUp(table, wrapping)
    if (table.slots[slot] === 0) table.slots[slot] = place + 1
  }
  return table
}

/** The place of the item that lay in its file in these very bytes, by their digest; -1 where there is none. */
export function placeOf(table: WrappingTable, digest: Uint8Array): number {
  return lookUp(table, digest).place
}

function lookUp({ slots, wrappings }: WrappingTable, digest: Uint8Array): { slot: number; place: number } {
  const mask = slots.length - 1
  let slot = (digest[0]! | (digest[1]! << 8) | (digest[2]! << 16) | (digest[3]! << 24)) & mask
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const place = slots[slot]! - 1
    if (isAt(wrappings, WRAPPING_BYTES * place, digest)) return { slot, place }
  }
  return { slot, place: -1 }
}

function isAt(wrappings: Uint8Array, start: number, digest: Uint8Array): boolean {
  for (let i = 0; i < WRAPPING_BYTES; i++) if (wrappings[start + i] !== digest[i]) return false
  return true
}
