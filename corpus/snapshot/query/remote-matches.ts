/**
 * Matches of a set whose rows are downloads: as few bytes as possible, and many rows at once. Few candidates in a block
 * are read as items, which are shorter than the block.
 */
import { SnapshotError } from '../error.ts'
import { readRow, rowOf, type SetRows } from './candidates.ts'
import { ITEMS_PER_ROW, storedItems } from './items.ts'
import { isWordStart } from './rank.ts'
import type { RowName } from './rows.ts'
import { isSearchType, type TextSetName } from './sets.ts'
import type { Steps } from './steps.ts'
import { decodeBlock, ENTRIES_PER_BLOCK, type Find, foldTexts, type Texts } from './texts.ts'

/** Gets the entry `i` of `texts`, and the position of its first match. */
export type EachMatch = (ordinal: number, texts: Texts, i: number, found: number) => void

export interface Until {
  /** Rows to request at first, from a remote file. */
  rows: number
  /** Whether the matches so far are enough. */
  isEnough(): boolean
}

/** Rows with texts that are requested at once: 13 MB of blocks of titles. */
export const REMOTE_ROWS = 64
/** Up to this number of candidates in a block, their items take less time than the block of some 200 KB. */
const REMOTE_ITEMS = 12
/** Sets whose items lack texts: the further spellings. */
const SPELLED: readonly TextSetName[] = ['vendor', 'product']
/** Longer than the texts of a row of items, nearly always. */
const ITEMS_BYTES = 8192

/** The candidates from `start` to `end`, and the row with their texts. */
interface Part {
  start: number
  end: number
  row: RowName
}

/**
 * Calls `each` for each of the ordinals whose texts match. Requests `rows` rows at first, then more at each step. Ends
 * when `isEnough` after a match.
 */
export function* eachRemoteMatch(
  set: SetRows,
  find: Find,
  ordinals: Uint32Array,
  each: EachMatch,
  { rows, isEnough }: Until = { rows: REMOTE_ROWS, isEnough: () => false },
): Steps<void> {
  for (let from = 0; from < ordinals.length; rows = Math.min(2 * rows, REMOTE_ROWS)) {
    const { parts, next } = partsFrom(set, ordinals, from, rows)
    yield () => parts.map(({ row }) => row)
    if (SPELLED.includes(set.set)) {
      const unsure = parts.filter((part) => !areSure(set, part, ordinals, find))
      for (const part of unsure) part.row = blockOf(set, ordinals[part.start]!)
      if (unsure.length > 0) yield () => parts.map(({ row }) => row)
    }
    let known: { row: RowName; texts: Texts; first: number } | null = null
    for (const { start, end, row } of parts) {
      if (known?.row.table !== row.table || known.row.number !== row.number) known = { row, ...textsOf(set, row) }
      const { texts, first } = known
      for (const ordinal of ordinals.subarray(start, end)) {
        const i = ordinal - first
        const found = find(texts.bytes, texts.keyAt[i]!, texts.keyAt[i + 1]!)
        if (found < 0) continue
        each(ordinal, texts, i, found)
        if (isEnough()) return
      }
      yield
    }
    from = next
  }
}

const blockOf = (set: SetRows, ordinal: number): RowName => rowOf(set, 'texts', Math.floor(ordinal / ENTRIES_PER_BLOCK))

/** Returns at least `rows` parts of the candidates from `start` on, whole blocks, and the end of the last part. */
function partsFrom(set: SetRows, ordinals: Uint32Array, start: number, rows: number): { parts: Part[]; next: number } {
  const parts: Part[] = []
  const runEnd = (from: number, size: number): number => {
    const of = Math.floor(ordinals[from]! / size)
    let end = from + 1
    while (end < ordinals.length && Math.floor(ordinals[end]! / size) === of) end++
    return end
  }
  let next = start
  while (next < ordinals.length && parts.length < rows) {
    const end = runEnd(next, ENTRIES_PER_BLOCK)
    if (end - next > REMOTE_ITEMS || !isSearchType(set.set)) {
      parts.push({ start: next, end, row: blockOf(set, ordinals[next]!) })
    } else {
      for (let at = next; at < end; ) {
        const start = at
        at = runEnd(start, ITEMS_PER_ROW)
        parts.push({ start, end: at, row: rowOf(set, 'items', Math.floor(ordinals[start]! / ITEMS_PER_ROW)) })
      }
    }
    next = end
  }
  return { parts, next }
}

/** Returns whether the items show that each candidate of a part matches at a word start: no spelling ranks better. */
function areSure(set: SetRows, { start, end, row }: Part, ordinals: Uint32Array, find: Find): boolean {
  if (row.table === 'texts') return true
  const { texts, first } = textsOf(set, row)
  return ordinals.subarray(start, end).every((ordinal) => {
    const to = texts.keyAt[ordinal - first + 1]!
    let at = find(texts.bytes, texts.keyAt[ordinal - first]!, to)
    while (at >= 0 && !isWordStart(texts.bytes, at)) at = find(texts.bytes, at + 1, to)
    return at >= 0
  })
}

/** Returns the texts of a row, and the ordinal of its first entry. */
function textsOf(set: SetRows, { table, number }: RowName): { texts: Texts; first: number } {
  const { count } = set.head
  if (table === 'texts') {
    const first = number * ENTRIES_PER_BLOCK
    return { texts: decodeBlock(readRow(set, table, number), Math.min(ENTRIES_PER_BLOCK, count - first)), first }
  }
  const first = number * ITEMS_PER_ROW
  const items = storedItems(readRow(set, table, number))
  if (items.length !== Math.min(ITEMS_PER_ROW, count - first)) {
    throw new SnapshotError('malformed', `items of the set ${set.set} of query.db cannot be decoded`)
  }
  const keys = items.map(({ key }) => key)
  return { texts: foldTexts({ keys, labels: items.map(({ label }) => label) }, ITEMS_BYTES), first }
}
