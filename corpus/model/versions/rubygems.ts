/** The version order of RubyGems (`Gem::Version`, "How Sections are compared"). */
import { compareLists, compareParts, isNumber, plainNumber, type VersionOrder } from './order.ts'

/** `Gem::Version::VERSION_PATTERN`, and a letter after a digit (`1beta`), which old gems have. */
const FORM = /^\d[0-9A-Za-z]*(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/

/** Texts precede numbers. A hyphen means `.pre.`. Zeros before the first text do not count, nor do those at the end. */
export const rubygems: VersionOrder<string[]> = {
  parse(text) {
    const version = text.trim()
    if (!FORM.test(version)) return null
    const segments = version
      .replaceAll('-', '.pre.')
      .match(/\d+|[A-Za-z]+/g)!
      .map((part) => (isNumber(part) ? plainNumber(part) : part))
    const firstText = segments.findIndex((part) => !isNumber(part))
    const numbers = firstText < 0 ? segments : segments.slice(0, firstText)
    while (numbers.at(-1) === '0') numbers.pop()
    return firstText < 0 ? numbers : [...numbers, ...segments.slice(firstText)]
  },
  compare: (a, b) => compareLists(a, b, compareParts, '0'),
}
