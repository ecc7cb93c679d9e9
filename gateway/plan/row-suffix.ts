/**
 * Writes the bytes after the core of a row: its EPSS and the closing brace. Strings or objects for each row took a
 * fifth of a page's time.
 */

import { perSnapshot } from '../../corpus/snapshot/filter/per-snapshot.ts'
import { epssMember, fromBillionths, NO_EPSS } from '../../corpus/snapshot/record/epss.ts'

export interface SuffixParts {
  beforeScore: Buffer
  beforePercentile: Buffer
  behind: Buffer
  none: Buffer
  /** With a comma, in bytes. */
  longest: number
}

/** Figures below 0.000001 use an exponent and are shorter. */
const DECIMALS = 9
const FIGURE_BYTES = '0.'.length + DECIMALS

/** Same output as `epssMember`. */
export const suffixParts = perSnapshot(({ epss: { date, modelVersion } }): SuffixParts => {
  const none = Buffer.from(`${epssMember(null)}}`)
  const beforeScore = Buffer.from(',"epss":{"score":')
  const beforePercentile = Buffer.from(',"percentile":')
  const behind = Buffer.from(`,"date":"${date}"}}`)
  const filled = beforeScore.length + beforePercentile.length + behind.length + 2 * FIGURE_BYTES
  const known = date !== null && modelVersion !== null
  return {
    beforeScore: known ? beforeScore : none,
    beforePercentile,
    behind,
    none,
    longest: Math.max(filled, none.length) + ','.length,
  }
})

/** Returns the position after the suffix. */
export function writeSuffix(
  out: Uint8Array,
  at: number,
  parts: SuffixParts,
  score: number,
  percentile: number,
): number {
  if (score === NO_EPSS || parts.beforeScore === parts.none) return copy(out, at, parts.none)
  at = writeFigure(out, copy(out, at, parts.beforeScore), score)
  at = writeFigure(out, copy(out, at, parts.beforePercentile), percentile)
  return copy(out, at, parts.behind)
}

/** A loop is faster than a call for a few bytes. */
function copy(out: Uint8Array, at: number, bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) out[at + i] = bytes[i]!
  return at + bytes.length
}

const ZERO = 0x30
const POINT = 0x2e
const ONE = 1e9
/** Below this number of billionths, JSON uses an exponent. */
const LEAST_PLAIN = 1e3

/** These decimals are all that a double of billionths needs. */
function writeFigure(out: Uint8Array, at: number, billionths: number): number {
  if (billionths < LEAST_PLAIN || billionths >= ONE) {
    const text = `${fromBillionths(billionths)}`
    for (let i = 0; i < text.length; i++) out[at++] = text.charCodeAt(i)
    return at
  }
  let digits = billionths
  let decimals = DECIMALS
  // Most figures have five decimals.
  if (digits % 10_000 === 0) {
    digits /= 10_000
    decimals -= 4
  }
  while (digits % 10 === 0) {
    digits /= 10
    decimals--
  }
  out[at] = ZERO
  out[at + 1] = POINT
  const end = at + 2 + decimals
  for (let i = end - 1; i > at + 1; i--) {
    const rest = (digits / 10) | 0
    out[i] = ZERO + digits - rest * 10
    digits = rest
  }
  return end
}
