/** Texts in memory: blocks of whatever `query.db` they belong to, within one bound, the least used going first. */
import type { Texts } from './texts.ts'

export interface Blocks {
  /** A block of a database, made by `make` where it is not remembered. */
  get(database: number, block: string, make: () => Texts): Texts
  /** Forgets the blocks of a database. */
  drop(database: number): void
  /** Whether another block would push one out. */
  isFull(): boolean
}

/** What is remembered takes at most `maxBytes`. */
export function blockMemory(maxBytes: number): Blocks {
  /** A `Map` keeps the order of insertion, and a block that is used is inserted anew. */
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
