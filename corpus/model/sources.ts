/** The one order of sources: the CNA first, then by how close a source is to the record (rules 18, 21, 24). */
import type { CveClaim } from './claim.ts'

export type ClaimSource = CveClaim['source']

const RANK: Record<ClaimSource, number> = { cna: 0, adp: 1, nvd: 2, advisory: 3, osv: 4, svc: 5 }

/**
 * All claims on a CVE in the order that every derived list follows. Claims of the record keep the order of its
 * containers; those of other feeds come in any order and are sorted by source, name, date.
 */
export function orderedClaims(record: readonly CveClaim[], others: readonly CveClaim[]): CveClaim[] {
  if (others.length === 0) return record.slice().sort(bySource)
  return [...record, ...others.slice().sort(byName)].sort(bySource)
}

/** `cna mitre`; of sources that are named after themselves (`nvd`) the name alone. */
export function claimant({ source, sourceName }: Pick<CveClaim, 'source' | 'sourceName'>): string {
  return source === sourceName ? source : `${source} ${sourceName}`
}

function bySource(a: CveClaim, b: CveClaim): number {
  return RANK[a.source] - RANK[b.source]
}

function byName(a: CveClaim, b: CveClaim): number {
  return compareText(a.sourceName, b.sourceName) || compareText(b.updatedAt, a.updatedAt)
}

/** By code points, which is the order of the bytes in UTF-8; `<` on strings would put U+E000 behind U+10000. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y)
  }
  return a.length - b.length
}

/** A code unit's place when surrogates, halves of what lies beyond the basic plane, come behind all of the plane. */
function surrogatesLast(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
