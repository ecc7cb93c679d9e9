/** The version order of RPM distributions (rpm-version(7); `rpmvercmp` and `rpmverCmp` of rpm). */
import { compareLists, compareNumbers, compareTexts, isNumber, plainNumber, type VersionOrder } from './order.ts'

interface RpmKey {
  epoch: string
  version: string[]
  /** Null if the text has no release; it precedes every release. */
  release: string[] | null
}

/** The order of parts by their first character: tilde, end, caret, letters, digits. */
const END = ''

/**
 * `[epoch:]version[-release]`. A missing epoch is 0. Other characters only separate parts. A text without digits
 * decides no range.
 */
export const rpm: VersionOrder<RpmKey> = {
  parse: parseRpm,
  parseStrict: (text) => (/\d/.test(text) ? parseRpm(text) : null),
  compare(a, b) {
    const order = compareNumbers(a.epoch, b.epoch) || compareLists(a.version, b.version, compareRpmParts, END)
    if (order !== 0) return order
    if (!a.release || !b.release) return Number(a.release !== null) - Number(b.release !== null)
    return compareLists(a.release, b.release, compareRpmParts, END)
  },
}

function parseRpm(text: string): RpmKey | null {
  if (text === '' || /\s/.test(text)) return null
  const [, epoch, rest] = /^(?:(\d*):)?(.*)$/.exec(text)!
  const hyphen = rest!.lastIndexOf('-')
  return {
    epoch: plainNumber(epoch || '0'),
    version: partsOf(hyphen < 0 ? rest! : rest!.slice(0, hyphen)),
    release: hyphen < 0 ? null : partsOf(rest!.slice(hyphen + 1)),
  }
}

function partsOf(text: string): string[] {
  return (text.match(/\d+|[A-Za-z]+|[~^]/g) ?? []).map((part) => (isNumber(part) ? plainNumber(part) : part))
}

function rankOf(part: string): number {
  if (part === '~') return 0
  if (part === END) return 1
  if (part === '^') return 2
  return isNumber(part) ? 4 : 3
}

function compareRpmParts(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || (isNumber(a) ? compareNumbers(a, b) : compareTexts(a, b))
}
