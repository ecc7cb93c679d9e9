/** Texts in memory: blocks of whatever `query.db` they belong to, within one bound, the least used going first. */
import type { Texts } from './texts.ts'

export interface Blocks {
  /** A block by what names it, made by `make` where it is not remembered. */
  get(name: string, make: () => Texts): Texts
}

/** What is remembered takes at most `maxBytes`. */
export function blockMemory(maxBytes: number): Blocks {
  /** A `Map` keeps the order of insertion, and a block that is used is inserted anew. */
  const blocks = new Map<string, Texts>()
  let bytes = 0
  return {
    get(name, make) {
      let block = blocks.get(name)
      if (block) blocks.delete(name)
      else {
        block = make()
        bytes += sizeOf(block)
      }
      blocks.set(name, block)
      for (const [other, least] of blocks) {
        if (bytes <= maxBytes || other === name) break
        blocks.delete(other)
        bytes -= sizeOf(least)
      }
      return block
    },
  }
}

const sizeOf = ({ bytes, keyAt, labelAt }: Texts) => bytes.byteLength + keyAt.byteLength + labelAt.byteLength
