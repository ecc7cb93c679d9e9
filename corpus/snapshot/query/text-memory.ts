/**
 * Bounded memory for the texts of all open `query.db`. A search visits all blocks of a database in turn. A block
 * therefore evicts only those of other databases, the least recently used database first: among its own, it would evict
 * the one that is needed next.
 */
import { MAX_ROW_BYTES } from '../bounds.ts'
import { type FindEntries, searchableMemory } from './find-entries.ts'
import { decodeBlock, ENTRIES_PER_BLOCK, type Texts } from './texts.ts'

export interface TextMemory {
  /**
   * Returns a block of a database; calls `read` for its bytes if they are not in memory. The next call for the database
   * may overwrite it.
   * @throws SnapshotError `malformed` when there are not `count` entries
   */
  get(database: number, block: string, count: number, read: () => Uint8Array): SearchableTexts
  drop(database: number): void
  /** Returns whether the next block of the database may not fit, even without those of other databases. */
  isFull(database: number): boolean
}

export interface SearchableTexts extends Texts {
  /**
   * Returns those of some entries, numbered from the begin of the block, that contain a string.
   * @throws RangeError when it is longer than 64 KiB
   */
  find(needle: Uint8Array, entries: Uint32Array): FoundEntries
}

/** The next search in the database overwrites the arrays. */
export interface FoundEntries {
  count: number
  entries: Uint32Array
  /** The first occurrence in each entry. */
  positions: Uint32Array
}

const WORD = 4
/** An area begins with the string, then the entries of a search, then their positions. */
const NEEDLE_BYTES = 64 * 1024
const ENTRIES_AT = NEEDLE_BYTES
const POSITIONS_AT = ENTRIES_AT + ENTRIES_PER_BLOCK * WORD
const BLOCKS_AT = POSITIONS_AT + ENTRIES_PER_BLOCK * WORD
/** Room for one block more, which the next one overwrites. Memory that is never written takes no space. */
const LARGEST_BLOCK_BYTES = MAX_ROW_BYTES + 2 * (ENTRIES_PER_BLOCK + 1) * WORD
/** `find-entries.wat` reads behind the texts. */
const BEHIND_BYTES = 16

/** The memory of a database. */
interface Area {
  bytes: Uint8Array
  findEntries: FindEntries
  blocks: Map<string, SearchableTexts>
  /** Bytes of all blocks. */
  used: number
  /** The number of the last call for it. */
  lastCall: number
}

function openArea(maxBytes: number): Area {
  const size = BLOCKS_AT + maxBytes + LARGEST_BLOCK_BYTES + BEHIND_BYTES
  return { ...searchableMemory(size), blocks: new Map(), used: 0, lastCall: 0 }
}

/** `maxBytes` is a multiple of four. */
export function textMemory(maxBytes: number): TextMemory {
  const areas = new Map<number, Area>()
  let calls = 0
  let largest = 0

  function areaOf(database: number): Area {
    const area = areas.get(database) ?? openArea(maxBytes)
    areas.set(database, area)
    area.lastCall = ++calls
    return area
  }

  /** Makes room in the memory for a block of the area that was just called. */
  function makeRoom(size: number): boolean {
    const [newest, ...others] = [...areas].sort(([, a], [, b]) => b.lastCall - a.lastCall)
    let used = others.reduce((sum, [, area]) => sum + area.used, newest![1].used + size)
    while (used > maxBytes && others.length > 0) {
      const [database, area] = others.pop()!
      areas.delete(database)
      used -= area.used
    }
    return used <= maxBytes
  }

  return {
    get(database, name, count, read) {
      const area = areaOf(database)
      const known = area.blocks.get(name)
      if (known) return known
      const row = read()
      const size = sizeOf(row, count)
      largest = Math.max(largest, size)
      const block = place(area, BLOCKS_AT + area.used, row, count)
      if (makeRoom(size)) {
        area.blocks.set(name, block)
        area.used += size
      }
      return block
    },
    drop: (database) => void areas.delete(database),
    isFull: (database) => (areas.get(database)?.used ?? 0) + largest > maxBytes,
  }
}

/** Bytes of a block: the starts of keys and labels, then the texts. */
const sizeOf = (row: Uint8Array, count: number) => (2 * count + 1) * WORD + Math.ceil(row.length / WORD) * WORD

function place({ bytes, findEntries }: Area, at: number, row: Uint8Array, count: number): SearchableTexts {
  const { buffer } = bytes
  const keyAt = new Uint32Array(buffer, at, count + 1)
  const labelAt = new Uint32Array(buffer, keyAt.byteOffset + keyAt.byteLength, count)
  const textsAt = labelAt.byteOffset + labelAt.byteLength
  bytes.set(row, textsAt)
  const entries = new Uint32Array(buffer, ENTRIES_AT, ENTRIES_PER_BLOCK)
  const positions = new Uint32Array(buffer, POSITIONS_AT, ENTRIES_PER_BLOCK)
  return {
    ...decodeBlock(bytes, count, { from: textsAt, to: textsAt + row.length, keyAt, labelAt }),
    find(needle, asked) {
      if (needle.length > NEEDLE_BYTES) throw new RangeError(`a search text has at most ${NEEDLE_BYTES} bytes`)
      bytes.set(needle)
      entries.set(asked)
      const found = findEntries(0, needle.length, at, ENTRIES_AT, asked.length, POSITIONS_AT)
      return { count: found, entries, positions }
    },
  }
}
