/**
 * A bounded cache of text blocks, shared by all open `query.db`. A search visits all blocks of a database in turn. A block
 * therefore evicts only those of other databases, the least recently used first: among its own, it would evict the one
 * that is needed next.
 */
import type { Texts } from './texts.ts'

export interface Blocks {
  /** Returns a block of a database; calls `make` on a cache miss. A block that does not fit is not cached. */
  get(database: number, block: string, make: () => Texts): Texts
  drop(database: number): void
  /** Returns whether the next block of the database may not fit, even without those of other databases. */
  isFull(database: number): boolean
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
  const put = (name: string, block: Texts) => {
    blocks.set(name, block)
    bytes += sizeOf(block)
  }
  return {
    get(database, of, make) {
      const name = nameOf(database, of)
      const known = blocks.get(name)
      if (known) remove(name, known)
      const block = known ?? make()
      const size = sizeOf(block)
      largest = Math.max(largest, size)
      for (const [other, least] of blocks) {
        if (bytes + size <= maxBytes) break
        if (!other.startsWith(nameOf(database, ''))) remove(other, least)
      }
      if (bytes + size <= maxBytes) put(name, block)
      return block
    },
    drop(database) {
      for (const [name, block] of blocks) if (name.startsWith(nameOf(database, ''))) remove(name, block)
    },
    isFull(database) {
      let own = 0
      for (const [name, block] of blocks) if (name.startsWith(nameOf(database, ''))) own += sizeOf(block)
      return own + largest > maxBytes
    },
  }
}

const nameOf = (database: number, of: string) => `${database} ${of}`

const sizeOf = ({ bytes, keyAt, labelAt }: Texts) => bytes.byteLength + keyAt.byteLength + labelAt.byteLength
