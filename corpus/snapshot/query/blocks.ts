/** A bounded LRU cache of text blocks, shared by all open `query.db`. */
import type { Texts } from './texts.ts'

export interface Blocks {
  /** Returns a block of a database; calls `make` on a cache miss. */
  get(database: number, block: string, make: () => Texts): Texts
  drop(database: number): void
  /** Whether another block would evict one. */
  isFull(): boolean
}

export function blockCache(maxBytes: number): Blocks {
  /** A `Map` keeps insertion order. A hit re-inserts its block, so the first one is the least recently used. */
  const blocks = new Map<string, Texts>()
  let bytes = 0
  let largest = 0
  const remove = (name: string, block: Texts) => {
    blocks.delete(name)
    bytes -= sizeOf(block)
  }
  return {
    get(database, of, make) {
      const name = `${database} ${of}`
      const known = blocks.get(name)
      const block = known ?? make()
      if (known) blocks.delete(name)
      else bytes += sizeOf(block)
      largest = Math.max(largest, sizeOf(block))
      blocks.set(name, block)
      for (const [other, least] of blocks) {
        if (bytes <= maxBytes || other === name) break
        remove(other, least)
      }
      return block
    },
    drop(database) {
      for (const [name, block] of blocks) if (name.startsWith(`${database} `)) remove(name, block)
    },
    isFull: () => bytes + largest > maxBytes,
  }
}

const sizeOf = ({ bytes, keyAt, labelAt }: Texts) => bytes.byteLength + keyAt.byteLength + labelAt.byteLength
