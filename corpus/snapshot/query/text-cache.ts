/** A bounded cache for the texts of one `query.db`. A search of another database reads its blocks again. */
import { MAX_ROW_BYTES } from '../bounds.ts'
import { type SearchableMemory, searchableMemory } from './find-entries.ts'
import { decodeBlock, ENTRIES_PER_BLOCK, type Texts } from './texts.ts'

export interface TextCache {
  /**
   * Returns a block of a database; calls `read` for its bytes on a cache miss. The next call may overwrite it.
   * @throws SnapshotError `malformed` when there are not `count` entries
   */
  get(database: number, block: string, count: number, read: () => Uint8Array): SearchableTexts
  /**
   * Caches the texts of this database from now on, and drops those of the previous one. Before the first call, nothing is
   * cached.
   */
  select(database: number): void
  drop(database: number): void
  /** Returns whether a block of the largest size so far no longer fits. */
  isFull(): boolean
}

export interface SearchableTexts extends Texts {
  /** Entries to search, ascending, numbered from the start of the block. */
  entries: Uint32Array
  /** After `find`: the first occurrence in each found entry, as an index into `bytes`. */
  positions: Uint32Array
  /**
   * Returns how many of the first `count` of `entries` contain `needle`, and moves these to the front. All blocks share
   * `entries` and `positions`, so the next search overwrites them.
   * @throws RangeError when the string is longer than 32 KiB
   */
  find(needle: Uint8Array, count: number): number
}

const WORD = 4
/** Layout of the memory: the needle, the entries of a search, their positions, then the blocks. */
const NEEDLE_BYTES = 32 * 1024
const ENTRIES_AT = NEEDLE_BYTES
const POSITIONS_AT = ENTRIES_AT + ENTRIES_PER_BLOCK * WORD
const BLOCKS_AT = POSITIONS_AT + ENTRIES_PER_BLOCK * WORD
/** Space after the first `maxBytes`, for one block that is not cached. The system allocates it when it is written. */
const LARGEST_BLOCK_BYTES = MAX_ROW_BYTES + 2 * (ENTRIES_PER_BLOCK + 1) * WORD
/** `find-entries.wat` reads up to 67 bytes past the end of the texts. */
const PADDING_BYTES = 68

/** Caches up to `maxBytes` of blocks. `maxBytes` must be a multiple of 4. */
export function textCache(maxBytes: number): TextCache {
  let memory: SearchableMemory | null = null
  let selected: number | null = null
  const blocks = new Map<string, SearchableTexts>()
  let used = 0
  let largest = 0

  function select(database: number | null): void {
    if (selected === database) return
    selected = database
    blocks.clear()
    used = 0
  }

  return {
    get(database, name, count, read) {
      const known = selected === database ? blocks.get(name) : undefined
      if (known) return known
      memory ??= searchableMemory(BLOCKS_AT + maxBytes + LARGEST_BLOCK_BYTES + PADDING_BYTES)
      const row = read()
      const size = sizeOf(row, count)
      largest = Math.max(largest, size)
      const isCached = selected === database && used + size <= maxBytes
      const block = storeBlock(memory, BLOCKS_AT + (isCached ? used : maxBytes), row, count)
      if (isCached) {
        blocks.set(name, block)
        used += size
      }
      return block
    },
    select,
    drop(database) {
      if (selected === database) select(null)
    },
    isFull: () => used + largest > maxBytes,
  }
}

/** Bytes of a block: the starts of keys and labels, then the texts. */
const sizeOf = (row: Uint8Array, count: number) => (2 * count + 1) * WORD + Math.ceil(row.length / WORD) * WORD

function storeBlock(
  { bytes, findEntries }: SearchableMemory,
  at: number,
  row: Uint8Array,
  count: number,
): SearchableTexts {
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
      if (needle.length > NEEDLE_BYTES) {
        throw new RangeError(`cannot search for ${needle.length} bytes: the limit is ${NEEDLE_BYTES}`)
      }
      bytes.set(needle)
      return findEntries(0, needle.length, at, ENTRIES_AT, asked, POSITIONS_AT)
    },
  }
}
