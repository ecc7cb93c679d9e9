/** The order of versions that a tool cannot parse, such as `2.1.4-custom`, by the numbers at their start. */
import { compareNumbers, MAX_VERSION_LENGTH, plainNumber } from './order.ts'

export interface LeadingNumbers {
  numbers: readonly string[]
  /** Whether nothing follows the numbers. Then further ones are 0. */
  isWhole: boolean
}

/** An epoch (`1!2.0`, `1:2.0`) is no first number. */
const NUMBERS = /^v?(\d+(?:\.\d+)*)(?![\d.!:])/i

/** Returns the numbers at the start of a version. That before an `x` or `*` is left out: `1.4x` can mean 1.40. */
function leadingNumbers(version: string): LeadingNumbers | null {
  const match = version.length > MAX_VERSION_LENGTH ? null : NUMBERS.exec(version)
  if (!match) return null
  const numbers = match[1]!.split('.').map(plainNumber)
  const next = version.charAt(match[0].length)
  return { numbers: /[x*]/i.test(next) ? numbers.slice(0, -1) : numbers, isWhole: next === '' }
}

/** Returns the numbers of a version that cannot be parsed. Null with fewer than two: it can be a date, or a commit. */
export function numbersOfUnparsed(version: string): LeadingNumbers | null {
  const found = leadingNumbers(version)
  return found && found.numbers.length > 1 ? found : null
}

/** Returns a negative number if `asked` precedes the version, a positive one if it follows. Null if the numbers do not differ. */
export function compareLeading(asked: LeadingNumbers, version: string): number | null {
  const other = leadingNumbers(version)
  if (!other) return null
  for (let i = 0; i < Math.max(asked.numbers.length, other.numbers.length); i++) {
    const [x, y] = [numberAt(asked, i), numberAt(other, i)]
    if (x === null || y === null) return null
    const order = compareNumbers(x, y)
    if (order !== 0) return order
  }
  return null
}

const numberAt = ({ numbers, isWhole }: LeadingNumbers, i: number): string | null =>
  numbers[i] ?? (isWhole ? '0' : null)
