/** The version order of Maven (POM reference, "Version Order Specification"; `ComparableVersion` of Maven 3.8.7). */
import { compareParts, compareTexts, isNumber, plainNumber, type VersionOrder } from './order.ts'

/** A number, a qualifier as `qualifier` returns it, or a list that a hyphen, a digit or a letter begins. */
type Item = string | Item[]

/** `LATEST` and `RELEASE` stand for the version that a repository names so. */
const TEXT = /^(?!(?:latest|release)$)[\w.+~-]+$/i

/** The known qualifiers in their order; the empty one is the release. */
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp']
const ALIASES: Record<string, string> = { ga: '', final: '', release: '', cr: 'rc' }
const BEFORE_DIGIT: ReadonlyMap<string, string> = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['m', 'milestone'],
])
const RELEASE = qualifier('')

/**
 * Orders versions as Maven does, which is not transitive if a qualifier stands between dots: `1.x.1` follows `1` and
 * precedes `1-alpha`.
 */
export const maven: VersionOrder<Item[]> = {
  parse: (text) => (TEXT.test(text) ? parseItems(text.toLowerCase()) : null),
  compare: compareItemLists,
}

function parseItems(text: string): Item[] {
  let list: Item[] = []
  const lists = [list]
  const nest = () => {
    const inner: Item[] = []
    list.push(inner)
    lists.push(inner)
    list = inner
  }
  let start = 0
  let inNumber = false
  const partTo = (end: number) => {
    const part = text.slice(start, end)
    return inNumber ? plainNumber(part) : qualifier(part)
  }
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '.' || char === '-') {
      list.push(i === start ? '0' : partTo(i))
      start = i + 1
      if (char === '-') nest()
      continue
    }
    const isDigit = isNumber(char)
    if (i > start && isDigit !== inNumber) {
      // `1.0.0.RC1` is the same as `1.0.0-RC1`.
      if (isDigit && list.length > 0) nest()
      list.push(isDigit ? qualifier(BEFORE_DIGIT.get(text.slice(start, i)) ?? text.slice(start, i)) : partTo(i))
      start = i
      nest()
    }
    inNumber = isDigit
  }
  if (start < text.length) {
    if (!inNumber && list.length > 0) nest()
    list.push(partTo(text.length))
  }
  for (const inner of lists.toReversed()) trim(inner)
  return lists[0]!
}

/** Returns a text that begins with a letter and sorts by the rank of the qualifier, then by its name. */
function qualifier(name: string): string {
  const known = QUALIFIERS.indexOf(ALIASES[name] ?? name)
  return known < 0 ? `q${QUALIFIERS.length}-${name}` : `q${known}`
}

/** Removes the items at the end, and before nested lists, that equal a missing one. */
function trim(list: Item[]): void {
  for (let i = list.length - 1; i >= 0; i--) {
    const item = list[i]!
    if (item.length === 0 || item === '0' || item === RELEASE) list.splice(i, 1)
    else if (typeof item === 'string') return
  }
}

function compareItemLists(a: readonly Item[], b: readonly Item[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]]
    const order =
      x === undefined ? -compareWithNothing(y!) : y === undefined ? compareWithNothing(x) : compareItems(x, y)
    if (order !== 0) return order
  }
  return 0
}

/** Qualifiers precede lists, and lists precede numbers. */
function compareItems(a: Item, b: Item): number {
  if (typeof a === 'string') {
    if (typeof b === 'string') return compareParts(a, b)
    return isNumber(a) ? 1 : -1
  }
  return typeof b === 'string' ? -compareItems(b, a) : compareItemLists(a, b)
}

function compareWithNothing(item: Item): number {
  if (typeof item === 'string') return isNumber(item) ? Number(item !== '0') : compareTexts(item, RELEASE)
  for (const inner of item) {
    const order = compareWithNothing(inner)
    if (order !== 0) return order
  }
  return 0
}
