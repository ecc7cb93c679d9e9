/** Spans of affected versions, and whether the version of a CPE name is inside. */
import { type Cpe, cpeText } from '../affected/cpe.ts'
import type { AffectedRange } from '../record.ts'
import { MAX_VERSION_LENGTH } from '../versions/order.ts'
import { ANY, hasWildcard, NOT_APPLICABLE } from './name.ts'
import { compareToBound, type ProductVersion } from './versions.ts'

/** The version attribute of a request: one version, none (`-`), or many (`*`, a pattern, or a text that is too long). */
export type Asked = ({ kind: 'one' } & ProductVersion) | { kind: 'none' } | { kind: 'many' }

export function askedVersion({ version, update }: Cpe): Asked {
  if (version === NOT_APPLICABLE) return { kind: 'none' }
  if (version === ANY || version.length > MAX_VERSION_LENGTH || hasWildcard(version)) return { kind: 'many' }
  return { kind: 'one', version: cpeText(version)!, update: hasWildcard(update) ? update : cpeText(update) }
}

export interface Span {
  introduced: string | null
  /** Whether `introduced` itself is not affected. */
  isExclusive: boolean
  fixed: string | null
  last_affected: string | null
}

export const spanOfRange = ({ introduced, fixed, last_affected = undefined }: AffectedRange): Span => ({
  introduced,
  isExclusive: false,
  fixed,
  last_affected: last_affected ?? null,
})

/** `introduced` of an answer is inclusive, so an exclusive bound is null there. */
export const matchOf = ({ introduced, isExclusive, fixed, last_affected }: Span) => ({
  introduced: isExclusive ? null : introduced,
  fixed,
  last_affected,
})

/** A lower bound that `introduced` cannot express: `> 1.0, <= 2.0` (rule 24). */
const EXCLUSIVE = /^>\s*([^\s,<>=]+)(?:,\s*<(=?)\s*([^\s,<>=]+))?$/

export function spanOfText(text: string): Span[] {
  const match = EXCLUSIVE.exec(text)
  if (!match) return []
  const [, after = null, inclusive, end = null] = match
  const [fixed, last_affected] = inclusive === '=' ? [null, end] : [end, null]
  return [{ introduced: after, isExclusive: true, fixed, last_affected }]
}

const isEverything = ({ introduced, fixed, last_affected }: Span) =>
  introduced === '0' && fixed === null && last_affected === null

/** Returns whether a span contains the version. Null if that is undecided. */
export function isInside(span: Span, asked: Asked): boolean | null {
  if (asked.kind === 'many') return null
  if (isEverything(span)) return true
  if (asked.kind === 'none') return false
  const { introduced, isExclusive, fixed, last_affected } = span
  const tests: (boolean | null)[] = []
  const compare = (bound: string, passes: (order: number) => boolean) => {
    const order = compareToBound(asked, bound)
    tests.push(order === null ? null : passes(order))
  }
  if (introduced !== null && introduced !== '0') compare(introduced, (order) => (isExclusive ? order > 0 : order >= 0))
  if (fixed !== null) compare(fixed, (order) => order < 0)
  if (last_affected !== null) compare(last_affected, (order) => order <= 0)
  if (tests.includes(false)) return false
  return tests.includes(null) ? null : true
}
