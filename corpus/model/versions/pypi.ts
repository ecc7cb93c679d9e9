/** The version order of PyPI (PyPA, "Version specifiers"; formerly PEP 440). */
import {
  compareLists,
  compareNumbers,
  compareParts,
  comparePrefixes,
  compareTexts,
  isNumber,
  plainNumber,
  type VersionOrder,
} from './order.ts'

/** All spellings of the section "Normalization". The text is in lower case. */
const FORM = new RegExp(
  '^v?(?:(?<epoch>\\d+)!)?(?<release>\\d+(?:\\.\\d+)*)' +
    '(?:[-_.]?(?<pre>alpha|beta|preview|pre|rc|a|b|c)[-_.]?(?<preNumber>\\d+)?)?' +
    '(?<post>-(?<implicitPost>\\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>\\d+)?)?' +
    '(?<dev>[-_.]?dev[-_.]?(?<devNumber>\\d+)?)?' +
    '(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$',
)

/** Ranks of a pre-release. `1.0.dev1` precedes `1.0a1`; a release follows its pre-releases. */
const DEV_ONLY = '0'
const PHASES: Record<string, string> = {
  a: '1',
  alpha: '1',
  b: '2',
  beta: '2',
  c: '3',
  rc: '3',
  pre: '3',
  preview: '3',
}
const NO_PRERELEASE = '4'

interface Release {
  epoch: string
  release: string[]
  /** Rank and number of pre-release, post-release and development release. */
  suffixes: string[]
  local: string[]
}
type PypiKey = Release | { legacy: string[] }

/**
 * The section "Summary of permitted suffixes and relative ordering". A version outside the specification precedes all
 * others; such versions have the order of setuptools 8 (`packaging.version.LegacyVersion`), and decide no range.
 */
export const pypi: VersionOrder<PypiKey> = {
  parse(text) {
    const lower = text.trim().toLowerCase()
    if (lower === '') return null
    return parseRelease(lower) ?? { legacy: legacyParts(lower) }
  },
  parseStrict: (text) => parseRelease(text.trim().toLowerCase()),
  compare(a, b) {
    if ('legacy' in a) return 'legacy' in b ? comparePrefixes(a.legacy, b.legacy, compareTexts) : -1
    if ('legacy' in b) return 1
    return (
      compareNumbers(a.epoch, b.epoch) ||
      compareLists(a.release, b.release, compareNumbers, '0') ||
      comparePrefixes(a.suffixes, b.suffixes, compareNumbers) ||
      comparePrefixes(a.local, b.local, compareParts)
    )
  },
}

function parseRelease(lower: string): Release | null {
  const groups = FORM.exec(lower)?.groups
  if (!groups) return null
  const { epoch, release, pre, post, dev, local } = groups
  const phase = pre ? PHASES[pre]! : dev && !post ? DEV_ONLY : NO_PRERELEASE
  const suffixes = [
    ...[phase, groups.preNumber],
    ...[post ? '1' : '0', groups.implicitPost ?? groups.postNumber],
    ...[dev ? '0' : '1', groups.devNumber],
  ]
  return {
    epoch: plainNumber(epoch ?? '0'),
    release: release!.split('.').map(plainNumber),
    suffixes: suffixes.map((number) => plainNumber(number ?? '0')),
    local: local?.split(/[-_.]/).map((part) => (/^\d+$/.test(part) ? plainNumber(part) : `_${part}`)) ?? [],
  }
}

const LEGACY_NAMES: ReadonlyMap<string, string> = new Map([
  ...['pre', 'preview', 'rc'].map((name) => [name, 'c'] as const),
  ['-', 'final-'],
  ['dev', '@'],
])

/** Numbers have eight digits, and other parts begin with `*`, so that parts compare as text. */
function legacyParts(lower: string): string[] {
  const parts: string[] = []
  for (const part of lower.match(/\d+|[a-z]+|-|[^\da-z.-]+/g) ?? []) {
    if (isNumber(part)) parts.push(part.padStart(8, '0'))
    else addLegacyName(`*${LEGACY_NAMES.get(part) ?? part}`, parts)
  }
  addLegacyName('*final', parts)
  return parts
}

/** Zeros before a name do not count, nor do hyphens before a pre-release. */
function addLegacyName(name: string, parts: string[]): void {
  while (name < '*final' && parts.at(-1) === '*final-') parts.pop()
  while (parts.at(-1) === '00000000') parts.pop()
  parts.push(name)
}
