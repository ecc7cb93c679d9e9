/**
 * Writes the versions that an advisory affects as a constraint of `composer/semver`.
 *
 * Composer reads `<1.2` as `<1.2-dev`, and `>=1.2` as `>=1.2-dev`, unless the version ends with a stability after a dash.
 * The pre-releases of 1.2 would change sides. `1.2-stable` is 1.2 itself.
 */
import type { PackageRanges } from '../../corpus/model/packages/package-advisory.ts'
import { type evaluationKey, parseAffected } from '../../corpus/model/versions/affected.ts'
import { comparatorOf } from '../../corpus/model/versions/comparator.ts'
import { intervalsOf, type VersionInterval } from '../../corpus/model/versions/intervals.ts'

const PACKAGIST = comparatorOf('Packagist')!

/** Matches every version, also branches such as `dev-main`. */
export const EVERYTHING = '*'

/**
 * Returns the alternatives of the constraint of an entry: the part of each interval, and each enumerated version. Returns
 * none if nothing can be stated. `preferList` is that of `evaluate`; `keyOf` may remember keys between entries.
 */
export function composerAlternatives(
  { ecosystem, ranges, versions }: PackageRanges,
  { preferList, keyOf }: { preferList: boolean; keyOf?: typeof evaluationKey },
): string[] {
  // Only the presence of enumerated versions matters here, and only for `preferList`.
  const listed = preferList ? versions.slice(0, 1) : []
  const affected = parseAffected({ package: { ecosystem }, ranges, versions: listed }, keyOf)
  const intervals = intervalsOf(affected, { preferList })
  if (intervals === 'everything') return [EVERYTHING]
  return [...intervals.flatMap(intervalParts), ...versions.flatMap((version) => exactly(version) ?? [])]
}

/** Returns no part if Composer cannot read one of the versions. */
function intervalParts({ introduced, fixed, last_affected, limit }: VersionInterval): string[] {
  if (introduced === last_affected) return limited([boundExactly(introduced)], limit)
  const end = fixed !== null ? before(fixed) : last_affected !== null ? upTo(last_affected) : ''
  const starts = introduced === '0' ? [''] : from(introduced)
  return limited(
    starts.map((start) => both(start, end)),
    limit,
  )
}

const limited = (parts: readonly (string | null)[], limit: string | null): string[] =>
  parts.flatMap((part) => (limit === null ? part : both(part, before(limit))) ?? [])

const both = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? null : [a, b].filter((one) => one !== '').join(',')

const boundExactly = (text: string) => bound(text, (version) => `=${version}`)

const upTo = (text: string) => bound(text, (version) => `<=${version}`)

const before = (text: string) =>
  bound(text, (version) => {
    const exact = withStability(version)
    return exact === null ? `<=${version},!=${version}` : `<${exact}`
  })

function from(text: string): (string | null)[] {
  const version = readable(text)
  if (version === null) return [null]
  const exact = withStability(version)
  return exact === null ? [`>${version}`, `=${version}`] : [`>=${exact}`]
}

/** `0` precedes every version, so that none is before it or equal to it. */
function bound(text: string, write: (version: string) => string): string | null {
  const version = text === '0' ? null : readable(text)
  return version === null ? null : write(version)
}

const BRANCH = /^dev-[\w./-]+$/

function exactly(text: string): string | null {
  const version = BRANCH.test(text) ? text : readable(text)
  return version === null ? null : `=${version}`
}

const NUMBERS = String.raw`\d{1,5}(?:\.\d+){0,3}`
const DATE = String.raw`\d{4}(?:[.:-]?\d{2}){1,6}(?:[.:-]?\d{1,3})?`
const READABLE = new RegExp(`^v?(?:${NUMBERS}|${DATE})(?=[._-]{0,2}(?:$|[a-z*]))`, 'i')

/**
 * Returns the version without build metadata or a separator at its end, which Composer ignores too. Null if Composer 2.5
 * cannot parse it: one such constraint would end the whole audit. Later releases parse more dates.
 */
function readable(text: string): string | null {
  const version = text.trim().replace(/^([^,\s+]+)\+\S+$/, '$1')
  return READABLE.test(version) && PACKAGIST.parseStrict!(version) !== null ? version.replace(/[._-]$/, '') : null
}

const ONLY_NUMBERS = new RegExp(`^v?${NUMBERS}$`, 'i')

/** Composer tests the text in lower case with a pattern that contains `RC`, which therefore never matches. */
const STABILITY = /-(?:stable|beta|b|alpha|a|patch|pl|p)\d*(?:[.-]\d+)*(?:[.-]?dev)?$|-dev$/i

/** Returns a form to which Composer adds no `-dev`; null if the version has none. */
function withStability(version: string): string | null {
  if (ONLY_NUMBERS.test(version)) return `${version}-stable`
  return STABILITY.test(version) ? version : null
}
