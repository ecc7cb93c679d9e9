/** Bounded memory for the texts of one `query.db`. Those of others are read for each search, one block at a time. */
import { MAX_ROW_BYTES } from '../bounds.ts'
import { type SearchableMemory, searchableMemory } from './find-entries.ts'
import { decodeBlock, ENTRIES_PER_BLOCK, type Texts } from './texts.ts'

export interface TextMemory {
  /**
   * Returns a block of a database; calls `read` for its bytes if they are not in memory. The next call may overwrite it.
   * @throws SnapshotError `malformed` when there are not `count` entries
   */
  get(database: number, block: string, count: number, read: () => Uint8Array): SearchableTexts
  /** Keeps the texts of this database from now on. Without a call, those of the first one are kept. */
  keep(database: number): void
  drop(database: number): void
  /** Returns whether the next block may not fit. */
  isFull(): boolean
}

export interface SearchableTexts extends Texts {
  /** Entries to search, ascending, numbered from the start of the block. */
  entries: Uint32Array
  /** The first occurrence in each entry that was found. */
  positions: Uint32Array
  /**
   * Searches the first `count` of `entries`. Moves those that contain the string to the front, and returns their number.
   * Blocks share the two arrays.
   * @throws RangeError when the string is longer than 64 KiB
   */
  find(needle: Uint8Array, count: number): number
}

const WORD = 4
/** The memory begins with the string, then the entries of a search, then their positions. */
const NEEDLE_BYTES = 64 * 1024
const ENTRIES_AT = NEEDLE_BYTES
const POSITIONS_AT = ENTRIES_AT + ENTRIES_PER_BLOCK * WORD
const BLOCKS_AT = POSITIONS_AT + ENTRIES_PER_BLOCK * WORD
/** Room behind `maxBytes` for one block that is not kept. Memory that is never written takes no space. */
const LARGEST_BLOCK_BYTES = MAX_ROW_BYTES + 2 * (ENTRIES_PER_BLOCK + 1) * WORD
/** `find-entries.wat` reads behind the texts. */
const BEHIND_BYTES = 16

/** `maxBytes` is a multiple of four. */
export function textMemory(maxBytes: number): TextMemory {
  let memory: SearchableMemory | null = null
  let kept: number | null = null
  const blocks = new Map<string, SearchableTexts>()
  let used = 0
  let largest = 0

  function keep(database: number | null): void {
    if (kept === database) return
    kept = database
    blocks.clear()
    used = 0
  }

  return {
    get(database, name, count, read) {
      if (kept === null) keep(database)
      const known = kept === database ? blocks.get(name) : undefined
      if (known) return known
      memory ??= searchableMemory(BLOCKS_AT + maxBytes + LARGEST_BLOCK_BYTES + BEHIND_BYTES)
      const row = read()
      const size = sizeOf(row, count)
      largest = Math.max(largest, size)
      const isKept = kept === database && used + size <= maxBytes
      const block = place(memory, BLOCKS_AT + (isKept ? used : maxBytes), row, count)
      if (isKept) {
        blocks.set(name, block)
        used += size
      }
      return block
    },
    keep,
    drop(database) {
      if (kept === database) keep(null)
    },
    isFull: () => used + largest > maxBytes,
  }
}

/** Bytes of a block: the starts of keys and labels, then the texts. */
const sizeOf = (row: Uint8Array, count: number) => (2 * count + 1) * WORD + Math.ceil(row.length / WORD) * WORD

function place({ bytes, findEntries }: SearchableMemory, at: number, row: Uint8Array, count: number): SearchableTexts {
  const { buffer } = bytes
  const keyAt = new Uint32Array(buffer, at, count + 1)
  const labelAt = new Uint32Array(buffer, keyAt.byteOffset + keyAt.byteLength, count)
  const textsAt = labelAt.byteOffset + labelAt.byteLength
  bytes.set(row, textsAt)
  return {
    ...decodeBlock(bytes, count, { from: textsAt, to: textsAt + row.length, keyAt, labelAt }),
    entries: new Uint32Array(buffer, ENTRIES_AT, ENTRIES_PER_BLOCK),
    positions: new Uint32Array(buffer, POSITIONS_AT, ENTRIES_PER_BLOCK),
    find(needle, asked) {
      if (needle.length > NEEDLE_BYTES) throw new RangeError(`a search text has at most ${NEEDLE_BYTES} bytes`)
      bytes.set(needle)
      return findEntries(0, needle.length, at, ENTRIES_AT, asked, POSITIONS_AT)
    },
  }
}
