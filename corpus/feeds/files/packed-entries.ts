/** Packs archive entries for another thread. Transferring them as objects took longer than finding them. */
import type { EntryMeasures } from './zip.ts'

const MEASURES = 6

export function packEntries(entries: readonly EntryMeasures[]): Float64Array {
  const packed = new Float64Array(MEASURES * entries.length)
  for (const [index, entry] of entries.entries()) {
    const { offset, compressedSize, size, crc32, method, encrypted } = entry
    packed.set([offset, compressedSize, size, crc32, method, encrypted ? 1 : 0], MEASURES * index)
  }
  return packed
}

export function entryAt(packed: Float64Array, index: number): EntryMeasures {
  const [offset, compressedSize, size, crc32, method, encrypted] = packed.subarray(MEASURES * index)
  return {
    offset: offset!,
    compressedSize: compressedSize!,
    size: size!,
    crc32: crc32!,
    method: method!,
    encrypted: encrypted === 1,
  }
}
