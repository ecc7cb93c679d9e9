/** The version order of Packagist (`composer/semver`, `VersionParser::normalize`; PHP, `version_compare`). */
import { compareLists, compareNumbers, isNumber, plainNumber, type VersionOrder } from './order.ts'

const MODIFIER = '[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)(\\d*(?:[.-]\\d+)*))?([.-]?dev)?$'
const CLASSICAL = new RegExp(`^v?(\\d{1,5}(?:\\.\\d+){0,3})${MODIFIER}`)
const DATE = new RegExp(`^v?(\\d{4}(?:[.:-]?\\d{2}){1,6}(?:[.:-]?\\d{1,3}){0,2})${MODIFIER}`)
const NUMERIC_BRANCH = /^v?(\d+(?:\.(?:\d+|[x*])){0,3})[.-]?dev$/

/** Composer's number for `x` in the name of a branch. */
const ANY = '9999999'

/** A classical version has four numbers. Missing ones are 0. */
const NUMBERS = 4

const TEXT = /^[\w.+#~/-]+$/

/**
 * The order of `version_compare` on the text itself, as `Composer\Semver\Comparator` applies it: `1.0` precedes
 * `1.0.0`. Ranges are evaluated on normalized versions, as Composer does: `1.0` is `1.0.0.0`, and `1.x-dev` follows
 * every `1.2.3`. Text that Composer rejects, and branches such as `dev-main`, decide no range.
 */
export const packagist: VersionOrder<string[]> = {
  parse: (text) => (TEXT.test(text) ? partsOf(text.replace(/^v/i, '')) : null),
  parseStrict: (text) =>
    normalParts(
      text
        .trim()
        .toLowerCase()
        .replace(/^([^,\s+]+)\+\S+$/, '$1'),
    ),
  compare: (a, b) => compareLists(a, b, comparePackagistParts, ''),
}

function normalParts(lower: string): string[] | null {
  const classical = CLASSICAL.exec(lower)
  const match = classical ?? DATE.exec(lower)
  if (match) {
    const numbers = partsOf(match[1]!)
    if (classical) fill(numbers, '0')
    if (match[2] === 'stable') return numbers
    return [...numbers, ...(match[2] ? [match[2], ...partsOf(match[3]!)] : []), ...(match[4] ? ['dev'] : [])]
  }
  const branch = NUMERIC_BRANCH.exec(lower)?.[1]
  if (branch === undefined) return null
  const numbers = branch.split('.').map((part) => (isNumber(part) ? plainNumber(part) : ANY))
  fill(numbers, ANY)
  return [...numbers, 'dev']
}

function fill(numbers: string[], number: string): void {
  while (numbers.length < NUMBERS) numbers.push(number)
}

function partsOf(text: string): string[] {
  return (text.match(/\d+|[A-Za-z]+/g) ?? []).map((part) => (isNumber(part) ? plainNumber(part) : part))
}

/** Names count by their beginning and case; unknown ones precede all. The empty text is the end of a version. */
function rankOf(part: string): number {
  if (part === '') return 4
  if (isNumber(part)) return 5
  if (part.startsWith('dev')) return 0
  if (/^(?:rc|RC)/.test(part)) return 3
  return { a: 1, b: 2, p: 6 }[part[0]!] ?? -1
}

function comparePackagistParts(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (isNumber(a) ? compareNumbers(a, b) : 0)
}
