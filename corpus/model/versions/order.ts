/** The interface of all version orders, and the comparisons that they share. */

/**
 * The version order of an ecosystem. A key contains plain values only: strings, numbers, lists and objects. Keys of
 * different orders cannot be compared.
 */
export interface VersionOrder<Key = unknown> {
  /** Returns the key of a version, or null if the text is no version of the ecosystem. */
  parse(text: string): Key | null
  /** Returns a negative number if `a` precedes `b`, 0 if they are the same version. */
  compare(a: Key, b: Key): number
  /**
   * Returns the key by which ranges and enumerated versions are evaluated, where it differs from `parse`: null for a
   * text that the ecosystem's tools sort only by convention, such as a version that precedes the specification.
   */
  parseStrict?(text: string): Key | null
}

/**
 * Maximum characters of a version. A longer text is no version in any order, so that it is undecided. The bound limits
 * recursion and the cost of a comparison. Publishers state versions of up to 100 characters.
 */
export const MAX_VERSION_LENGTH = 1000

/** Returns the order with the bound of length. All orders are used through it. */
export function bounded<Key>({ parse, parseStrict, compare }: VersionOrder<Key>): VersionOrder<Key> {
  const within = (read: (text: string) => Key | null) => (text: string) =>
    text.length > MAX_VERSION_LENGTH ? null : read(text)
  return { parse: within(parse), compare, ...(parseStrict && { parseStrict: within(parseStrict) }) }
}

/** Returns digits without leading zeros. Numbers have any length and stay text. */
export function plainNumber(digits: string): string {
  return digits[0] === '0' ? digits.replace(/^0+(?=\d)/, '') : digits
}

/** Compares plain numbers: by length, then by digits. */
export function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b)
}

/** Compares by UTF-16 code units. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function isNumber(part: string): boolean {
  const code = part.charCodeAt(0)
  return code >= 48 && code <= 57
}

/** Compares two parts. Numbers compare as numbers and follow texts. */
export function compareParts(a: string, b: string): number {
  const [x, y] = [isNumber(a), isNumber(b)]
  if (x !== y) return x ? 1 : -1
  return x ? compareNumbers(a, b) : compareTexts(a, b)
}

/** Compares item by item. `missing` takes the place of the items that the shorter list lacks. */
export function compareLists<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compareItems: (a: Item, b: Item) => number,
  missing: Item,
): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = compareItems(a[i] ?? missing, b[i] ?? missing)
    if (order !== 0) return order
  }
  return 0
}

/** Compares item by item. A list precedes its continuations. */
export function comparePrefixes<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compareItems: (a: Item, b: Item) => number,
): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareItems(a[i]!, b[i]!)
    if (order !== 0) return order
  }
  return a.length - b.length
}
