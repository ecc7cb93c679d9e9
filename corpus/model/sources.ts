/** The order of sources: the CNA first, then by closeness to the record (rules 18, 21, 24). */
import type { CveClaim } from './claim.ts'

export type ClaimSource = CveClaim['source']

const RANK: Record<ClaimSource, number> = { cna: 0, adp: 1, nvd: 2, advisory: 3, osv: 4, svc: 5 }

/**
 * Returns all claims on a CVE in the order of every derived list. The record's claims keep the order of its containers.
 * Claims of other feeds are sorted by source, name and newest date. Suppliers come last: they assess their own products.
 */
export function orderedClaims(record: readonly CveClaim[], others: readonly CveClaim[]): CveClaim[] {
  if (others.length === 0) return record.slice().sort(bySource)
  return [...record, ...others.slice().sort(byName)].sort(bySource)
}

/** Returns `cna mitre`, or only the name if it equals the source (`nvd`). */
export function claimant({ source, sourceName }: Pick<CveClaim, 'source' | 'sourceName'>): string {
  return source === sourceName ? source : `${source} ${sourceName}`
}

/** Returns the claims without those of suppliers, unless only suppliers have any (rule 18). */
export function independentFirst(claims: readonly CveClaim[]): readonly CveClaim[] {
  const independent = claims.filter(({ isSupplier }) => !isSupplier)
  return independent.length > 0 ? independent : claims
}

function bySource(a: CveClaim, b: CveClaim): number {
  return Number(a.isSupplier ?? false) - Number(b.isSupplier ?? false) || RANK[a.source] - RANK[b.source]
}

function byName(a: CveClaim, b: CveClaim): number {
  return compareText(a.sourceName, b.sourceName) || compareText(b.updatedAt, a.updatedAt)
}

/** Compares by code points, which is the byte order of UTF-8. `<` on strings would sort U+E000 after U+10000. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return surrogatesLast(x) - surrogatesLast(y)
  }
  return a.length - b.length
}

/** Returns a sort key that puts surrogates (code points above U+FFFF) after all other code units. */
function surrogatesLast(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
