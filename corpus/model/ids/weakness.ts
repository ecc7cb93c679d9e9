/** Weaknesses: parsing CWE ids, selecting the primary one, and the union of all mappings (rule 21). */
import type { CveClaim } from '../claim.ts'
import { independentFirst } from '../sources.ts'

/** The queries of the rules to the weakness catalog. Ids are `cwe-<n>`. */
export interface WeaknessCatalog {
  weaknessName(id: string): string | null
  /** False for categories, views and unknown ids. */
  isWeakness(id: string): boolean
}

const ID = /^\s*cwe-0*([1-9]\d{0,5})\s*$/i
const IN_TEXT = /\bcwe[-\s:]{0,3}0*([1-9]\d{0,5})\b/gi

/** Returns `cwe-<n>` of an id such as `CWE-79`. Null for other text (`NVD-CWE-noinfo`, `CWE-Other`). */
export function weaknessId(text: string): string | null {
  const match = ID.exec(text)
  return match ? `cwe-${match[1]}` : null
}

/** Returns every CWE in the text of a problem type, in order: `CWE-79 Cross-site…`, `CWE 79`. */
export function weaknessIdsInText(text: string): string[] {
  const ids: string[] = []
  for (const match of text.matchAll(IN_TEXT)) ids.push(`cwe-${match[1]}`)
  return ids
}

/** Sources of the primary CWE in order of precedence. NVD's claims list its primary CWE first. */
const PRIMARY_ORDER = ['cna', 'adp', 'nvd'] as const satisfies readonly CveClaim['source'][]

/** A candidate for the primary CWE, with the claim that names it. */
export interface WeaknessCandidate {
  id: string
  claim: CveClaim
}

/** Yields the candidates in order of precedence; those of suppliers only if no other source maps the CVE. */
export function* weaknessCandidates(claims: readonly CveClaim[]): Iterable<WeaknessCandidate> {
  const mapping = independentFirst(claims.filter((claim) => isMapping(claim) && claim.weaknesses.length > 0))
  for (const source of PRIMARY_ORDER) {
    for (const claim of mapping) {
      if (claim.source === source) for (const id of claim.weaknesses) yield { id, claim }
    }
  }
}

/** Returns the first CWE in source order that is a weakness in the catalog. If none is, returns the first CWE. */
export function primaryWeakness(claims: readonly CveClaim[], catalog: WeaknessCatalog | null): string | null {
  let first: string | null = null
  for (const { id } of weaknessCandidates(claims)) {
    if (!catalog || catalog.isWeakness(id)) return id
    first ??= id
  }
  return first
}

/** Returns whether a claim's mappings belong to `scope=any`. */
export const isMapping = ({ source }: Pick<CveClaim, 'source'>) => MAPPING_SOURCES.has(source)

const MAPPING_SOURCES: ReadonlySet<CveClaim['source']> = new Set(['cna', 'adp', 'nvd', 'advisory'])

/** Returns the union of the mappings of CNA, ADP, NVD and advisories, sorted by number. */
export function allWeaknesses(claims: readonly CveClaim[]): string[] {
  const ids = new Set<string>()
  for (const claim of claims) if (isMapping(claim)) for (const id of claim.weaknesses) ids.add(id)
  return [...ids].sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
}
