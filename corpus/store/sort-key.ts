/** Sort keys for CVE ids, so that SQLite orders rows as `compareCveIds` does. */
import type { CveId } from '../model/ids/cve-id.ts'

/** The code point before `A`. The length letter of a number with 1 digit is `A`, with 19 digits `S`. */
const BEFORE_A = 64

/**
 * Returns a text with the byte order of `compareCveIds`: the year, a letter for the number's length, the number without
 * leading zeros, and a tail. The tail separates spellings of one number. It is the digits if they begin with a zero,
 * else `:`, which sorts after every digit.
 */
export function sortKey(id: CveId): string {
  const digits = id.slice(9)
  if (digits[0] !== '0') return `${id.slice(4, 8)}${String.fromCharCode(BEFORE_A + digits.length)}${digits}:`
  const number = digits.replace(/^0+/, '')
  return `${id.slice(4, 8)}${String.fromCharCode(BEFORE_A + number.length)}${number}${digits}`
}

/** Returns the id of a sort key. */
export function idOfSortKey(key: string): CveId {
  const length = key.charCodeAt(4) - BEFORE_A
  const tail = key.slice(5 + length)
  return `CVE-${key.slice(0, 4)}-${tail === ':' ? key.slice(5, 5 + length) : tail}`
}
