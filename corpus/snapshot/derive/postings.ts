/** Posting lists: for each key, its ordinals, ascending. SPEC.md, "Postings". */

import { column, type Table } from '../codec/table.ts'
import { compareKeys } from '../cursor/order.ts'
import { SnapshotError } from '../error.ts'

export interface Postings<K> {
  /** The index of each key. */
  keys: Map<K, number>
  starts: Uint32Array
  ordinals: Uint32Array
}

/** Posting lists without their keys. */
export type PostingLists = Omit<Postings<never>, 'keys'>

/** Posting lists that may be in a file. */
export interface NamedPostings {
  /** Returns the ordinals of a key, ascending; empty for an unknown key. */
  of(key: string): Uint32Array
}

export const NO_ORDINALS = new Uint32Array(0)

/** Returns the ordinals of a key, ascending; empty for an unknown key. */
export function postingsOf<K>(
  postings: PostingLists & { keys: Pick<Postings<K>['keys'], 'get'> },
  key: K,
): Uint32Array {
  const at = postings.keys.get(key)
  if (at === undefined) return NO_ORDINALS
  return postings.ordinals.subarray(postings.starts[at], postings.starts[at + 1])
}

/** Returns the postings of all keys, sorted. `row` has the row of each ordinal. */
export function encodePostings<K extends string | number>(row: Uint32Array, keysOf: (row: number) => Iterable<K>) {
  const lists = new Map<K, number[]>()
  row.forEach((one, ordinal) => {
    for (const key of keysOf(one)) {
      const list = lists.get(key)
      if (list) list.push(ordinal)
      else lists.set(key, [ordinal])
    }
  })
  const keys = [...lists.keys()].sort((a, b) => compareKeys(a, b, false))
  return { keys, ...postingLists(keys.map((key) => lists.get(key)!)) }
}

/** Concatenates lists, in their order. */
export function postingLists(lists: readonly ArrayLike<number>[]): PostingLists {
  const starts = new Uint32Array(lists.length + 1)
  lists.forEach(({ length }, at) => {
    starts[at + 1] = starts[at]! + length
  })
  const ordinals = new Uint32Array(starts[lists.length]!)
  lists.forEach((list, at) => {
    ordinals.set(list, starts[at])
  })
  return { starts, ordinals }
}

/**
 * Returns the postings in the columns `<prefix>starts` and `<prefix>ordinals` of `table`.
 * @throws SnapshotError `malformed` when a list does not ascend, or reaches beyond `count`
 */
export function decodePostings<K>(table: Table, keys: K[] | undefined, prefix: string, count: number): Postings<K> {
  const lists = decodePostingLists(table, Array.isArray(keys) ? keys.length : -1, prefix, count)
  return { keys: new Map(keys!.map((key, at) => [key, at])), ...lists }
}

/**
 * Decodes posting lists without their `keyCount` keys; null for any number.
 * @throws SnapshotError `malformed`
 */
export function decodePostingLists(table: Table, keyCount: number | null, prefix: string, count: number): PostingLists {
  const starts = column(table, `${prefix}starts`, 'u32')
  const ordinals = column(table, `${prefix}ordinals`, 'u32')
  const proper = starts.length === (keyCount ?? starts.length - 1) + 1 && areLists(starts, ordinals, count)
  if (!proper) throw new SnapshotError('malformed', `the postings ${prefix} are damaged`)
  return { starts, ordinals }
}

/** Whether `starts` splits `ordinals` into ascending lists. Intersections rely on that. */
function areLists(starts: Uint32Array, ordinals: Uint32Array, count: number): boolean {
  if (starts[0] !== 0 || starts.at(-1) !== ordinals.length) return false
  for (let list = 1; list < starts.length; list++) {
    let last = -1
    const end = starts[list]!
    for (let at = starts[list - 1]!; at < end; at++) {
      if (ordinals[at]! <= last || ordinals[at]! >= count) return false
      last = ordinals[at]!
    }
    if (end < starts[list - 1]!) return false
  }
  return true
}
