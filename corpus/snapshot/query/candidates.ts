/** Entries of a set that may contain a string: those with all of its trigrams. */
import { partitionPoint } from '../../model/values/partition-point.ts'
import { gramAt, MAX_GRAM } from './entry-grams.ts'
import { decodePostings, intersect, intersectBits, type Postings, postings } from './postings.ts'
import type { QueryTable, RowName, RowReader, SetHead } from './rows.ts'
import { setNumber, type TextSetName } from './sets.ts'
import type { Steps, Wanted } from './steps.ts'

/** A set of an open database. */
export interface SetRows {
  set: TextSetName
  head: SetHead
  reader: RowReader
}

export const rowOf = ({ set }: SetRows, table: QueryTable, number: number): RowName => ({
  table,
  set: setNumber(set),
  number,
})

export const readRow = ({ set, reader }: SetRows, table: QueryTable, number: number): Uint8Array =>
  reader.read(table, setNumber(set), number)

/** Returns the number of entries with a gram. */
export function countOf({ grams, gramCounts }: SetHead, gram: number): number {
  const at = partitionPoint(grams.length, (position) => grams[position]! >= gram)
  return grams[at] === gram ? gramCounts[at]! : 0
}

/** A gram is expected to exclude this share of the candidates, even if the one before it excluded fewer. */
const LEAST_EXCLUDED = 0.1

/** Postings that are requested at once: each can end the search for candidates. */
const REMOTE_GRAMS = 4

interface Gram {
  gram: number
  entries: number
  /** Its first position in the string. */
  at: number
}

/** Rarest first. Those that overlap a rarer one are last, because they exclude little more. */
function inOrder(grams: readonly Gram[]): [Gram, ...Gram[]] {
  const apart: Gram[] = []
  const overlapping: Gram[] = []
  for (const one of grams.toSorted((a, b) => a.entries - b.entries)) {
    const isApart = apart.every(({ at }) => Math.abs(at - one.at) >= MAX_GRAM)
    ;(isApart ? apart : overlapping).push(one)
  }
  return [...apart, ...overlapping] as [Gram, ...Gram[]]
}

/**
 * Returns entries that may contain `needle`. Stops intersecting when scanning is cheaper.
 * @param stepsPerText the steps of a postings merge that take as long as a text
 * @param some if not null, entries outside of these, which ascend, can be left out
 */
export function* candidates(
  rows: SetRows,
  needle: Uint8Array,
  stepsPerText: number,
  some: Uint32Array | null = null,
): Steps<Uint32Array> {
  const { count } = rows.head
  const rowsOf =
    (grams: readonly number[]): Wanted =>
    () =>
      grams.map((gram) => rowOf(rows, 'grams', gram))
  const postingsOf = (gram: number): Postings => postings(readRow(rows, 'grams', gram), countOf(rows.head, gram), count)

  const length = Math.min(MAX_GRAM, needle.length)
  const wanted = new Map<number, Gram>()
  for (let at = 0; at + length <= needle.length; at++) {
    const gram = gramAt(needle, at, length)
    if (!wanted.has(gram)) wanted.set(gram, { gram, entries: countOf(rows.head, gram), at })
  }
  const [rarest, ...others] = inOrder([...wanted.values()])
  if (rarest.entries === 0) return new Uint32Array(0)
  if (some && needle.length > MAX_GRAM && some.length * stepsPerText < rarest.entries) return some.slice()
  // A gram in every entry excludes nothing.
  const telling = others.filter(({ entries }) => entries < count)
  const grams = telling.map(({ gram }) => gram)
  yield rowsOf([rarest.gram, ...grams.slice(0, REMOTE_GRAMS)])
  const few = postingsOf(rarest.gram)
  if (few.isBits) {
    if (grams.length > REMOTE_GRAMS) yield rowsOf(grams)
    const all = [few, ...grams.map(postingsOf)]
    // The length of its differences decides the form of each: a more frequent gram may have the other one.
    if (all.every(({ isBits }) => isBits)) return intersectBits(all, count)
  }
  let found = decodePostings(few, count)
  /** The share of the candidates that the next gram is expected to exclude: that of the last one. */
  let excluded = 1
  for (const [i, { gram, entries }] of telling.entries()) {
    if (found.length * excluded * stepsPerText < entries) break
    const isNext = i > 0 && i % REMOTE_GRAMS === 0
    yield isNext ? rowsOf(grams.slice(i, i + REMOTE_GRAMS)) : undefined
    const before = found.length
    found = intersect(found, postingsOf(gram), count)
    excluded = Math.max(LEAST_EXCLUDED, 1 - found.length / before)
  }
  return found
}
