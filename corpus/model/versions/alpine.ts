/** The version order of apk (apk-package(5), "Package info metadata"; `version.c` of apk-tools). */
import { compareLists, compareNumbers, compareTexts, plainNumber, type VersionOrder } from './order.ts'

/** The kinds of parts in their order. A pre-release suffix precedes the end of a version. */
const KINDS = [
  ...['preSuffix', 'invalid', 'end', 'revision', 'suffixNumber', 'postSuffix', 'empty', 'letter'],
  ...['fraction', 'number'],
] as const
type Part = [kind: (typeof KINDS)[number], value: string]

/** Suffixes in their order. */
const PRE_SUFFIXES = ['alpha', 'beta', 'pre', 'rc']
const POST_SUFFIXES = ['cvs', 'svn', 'git', 'hg', 'p']

const FORM =
  /^(\d*)((?:\.\d*|[a-z]\d+)*[a-z]?)((?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)\d*)*)(?:~[0-9a-f]+)?(?:-r(\d+|(?=-|$)))?(.*)$/s
const TEXT = /^[!-~]+$/

/**
 * Numbers, letters, suffixes, revision. Commit hashes have no order. apk compares a version up to its first invalid
 * character; such versions decide no range.
 */
export const alpine: VersionOrder<Part[]> = {
  parse: parseParts,
  parseStrict(text) {
    const parts = parseParts(text)
    return /^\d/.test(text) && parts?.every(([kind]) => kind !== 'invalid' && kind !== 'empty') ? parts : null
  },
  compare: (a, b) => compareLists(a, b, compareAlpineParts, ['end', '0']),
}

function parseParts(text: string): Part[] | null {
  const match = TEXT.test(text) ? FORM.exec(text) : null
  if (!match) return null
  const [, first, main, suffixes, revision, rest] = match
  const parts: Part[] = [['number', plainNumber(first || '0')]]
  for (const [part] of main!.matchAll(/\.?\d+|[.a-z]/g)) parts.push(mainPart(part))
  for (const [, name, digits] of suffixes!.matchAll(/_([a-z]+)(\d*)/g)) {
    const rank = PRE_SUFFIXES.indexOf(name!)
    parts.push(rank < 0 ? ['postSuffix', `${POST_SUFFIXES.indexOf(name!)}`] : ['preSuffix', `${rank}`])
    if (digits) parts.push(['suffixNumber', plainNumber(digits)])
  }
  if (revision !== undefined) parts.push(['revision', plainNumber(revision || '0')])
  if (rest) parts.push(['invalid', '0'])
  return parts
}

/** After a dot, a number that begins with 0 is a fraction: `1.01` precedes `1.1`. */
function mainPart(part: string): Part {
  if (part === '.') return ['empty', '0']
  if (part.startsWith('.0')) return ['fraction', part.slice(1)]
  const digits = part.replace('.', '')
  return /\d/.test(digits) ? ['number', plainNumber(digits)] : ['letter', `${digits.charCodeAt(0)}`]
}

function compareAlpineParts(a: Part, b: Part): number {
  const order = KINDS.indexOf(a[0]) - KINDS.indexOf(b[0])
  return order || (a[0] === 'fraction' ? compareTexts(a[1], b[1]) : compareNumbers(a[1], b[1]))
}
