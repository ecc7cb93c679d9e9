/**
 * Finds rows by id by interpolation. Numbers of a year are evenly distributed, so one or two steps come close. A binary
 * search would read eighteen scattered positions.
 */
import type { CveId } from '../../model/ids/cve-id.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { findRow, type IdColumns } from '../derive/index-table.ts'
import { perSnapshot } from './per-snapshot.ts'

export type RowFinder = (id: CveId) => number

/** Rows of a year with 32-bit numbers. Larger numbers are at the end of a year; no year has had any so far. */
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

function yearsOf(index: IdColumns): Map<number, Year> {
  const years = new Map<number, Year>()
  for (let from = 0; from < index.count; ) {
    const year = index.year[from]!
    const end = partitionPoint(index.count, (row) => index.year[row]! > year)
    const to = partitionPoint(end, (row) => row >= from && index.numberHigh[row]! > 0)
    years.set(year, { from, to })
    from = end
  }
  return years
}

const ZERO = 0x30
/** Offsets of the year and the number in an id. */
const [YEAR_AT, NUMBER_AT] = ['CVE-'.length, 'CVE-2024-'.length]
/** Numbers are zero-padded to four digits. Nine digits fit into 32 bits. */
const [FILLED_DIGITS, SHORT_DIGITS] = [4, 9]

function yearOf(id: string): number {
  let year = 0
  for (let at = YEAR_AT; at < NUMBER_AT - 1; at++) year = year * 10 + id.charCodeAt(at) - ZERO
  return year
}

/** Returns the number of an id; -1 when it has more than nine digits or a non-canonical leading zero. */
function shortNumber(id: string): number {
  const digits = id.length - NUMBER_AT
  if (digits > SHORT_DIGITS || (digits > FILLED_DIGITS && id.charCodeAt(NUMBER_AT) === ZERO)) return -1
  let number = 0
  for (let at = NUMBER_AT; at < id.length; at++) number = number * 10 + id.charCodeAt(at) - ZERO
  return number
}

/** Interpolation steps before binary search takes over. Interpolation is slow for uneven numbers. */
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
