/** The order of CVE ids as a text, so that SQLite keeps rows in the order of `compareCveIds`. */
import type { CveId } from '../model/cve-id.ts'

/** Code point before `A`: a number of one digit has the length letter `A`, one of 19 digits `S`. */
const BEFORE_A = 64

/**
 * A text whose byte order is that of `compareCveIds`: year, a letter for the length of the number, the number without
 * leading zeros. Ids of one number are told apart by how they write it: the tail is the digits where they begin with
 * a zero, else `:`, which sorts behind every digit.
 */
export function sortKey(id: CveId): string {
  const digits = id.slice(9)
  if (digits[0] !== '0') return `${id.slice(4, 8)}${String.fromCharCode(BEFORE_A + digits.length)}${digits}:`
  const number = digits.replace(/^0+/, '')
  return `${id.slice(4, 8)}${String.fromCharCode(BEFORE_A + number.length)}${number}${digits}`
}

/** The id that a key was made of. */
export function idOfSortKey(key: string): CveId {
  const length = key.charCodeAt(4) - BEFORE_A
  const tail = key.slice(5 + length)
  return `CVE-${key.slice(0, 4)}-${tail === ':' ? key.slice(5, 5 + length) : tail}`
}
