/**
 * Rows by ids, for those who ask for many: the numbers of a year lie so evenly that a guess or two comes near, where a
 * search by halves through all rows looks at eighteen, each in another place of the memory.
 */
import type { CveId } from '../../model/cve-id.ts'
import { findRow, type Index } from '../derive/index-table.ts'
import { perSnapshot } from './per-snapshot.ts'
import { firstWhere } from './places.ts'

/** The row of an id, which is canonical, or -1. */
export type RowFinder = (id: CveId) => number

/** Rows of a year whose numbers have 32 bits: all but those at its end, which no year has had so far. */
interface Year {
  from: number
  to: number
}

export const rowFinder = perSnapshot(({ index }): RowFinder => {
  const years = yearsOf(index)
  return (id) => {
    const number = shortNumber(id)
    if (number < 0) return findRow(index, id)
    const year = years.get(yearOf(id))
    return year ? findNumber(index.numberLow, year, number) : -1
  }
})

function yearsOf(index: Index): Map<number, Year> {
  const years = new Map<number, Year>()
  for (let from = 0; from < index.count; ) {
    const year = index.year[from]!
    const end = firstWhere(index.count, (row) => index.year[row]! > year)
    const to = firstWhere(end, (row) => row >= from && index.numberHigh[row]! > 0)
    years.set(year, { from, to })
    from = end
  }
  return years
}

const ZERO = 0x30
/** Where the year begins in an id, and where the number does. */
const [YEAR_AT, NUMBER_AT] = ['CVE-'.length, 'CVE-2024-'.length]
/** Of four digits a number is filled up to with zeros; of nine it has 32 bits at most. */
const [FILLED_DIGITS, SHORT_DIGITS] = [4, 9]

function yearOf(id: string): number {
  let year = 0
  for (let at = YEAR_AT; at < NUMBER_AT - 1; at++) year = year * 10 + id.charCodeAt(at) - ZERO
  return year
}

/** The number of an id; -1 where it is long, or spelled as no record's is. */
function shortNumber(id: string): number {
  const digits = id.length - NUMBER_AT
  if (digits > SHORT_DIGITS || (digits > FILLED_DIGITS && id.charCodeAt(NUMBER_AT) === ZERO)) return -1
  let number = 0
  for (let at = NUMBER_AT; at < id.length; at++) number = number * 10 + id.charCodeAt(at) - ZERO
  return number
}

/** Guesses before the search goes on by halves: where numbers lie unevenly, guesses hardly come nearer. */
const GUESSES = 4

function findNumber(numbers: Uint32Array, { from, to }: Year, number: number): number {
  let guesses = GUESSES
  while (from < to) {
    const [first, last] = [numbers[from]!, numbers[to - 1]!]
    if (number < first || number > last) return -1
    const part = guesses-- > 0 ? (number - first) / (last - first || 1) : 0.5
    const at = from + Math.floor((to - 1 - from) * part)
    const found = numbers[at]!
    if (found === number) return at
    if (found < number) from = at + 1
    else to = at
  }
  return -1
}
