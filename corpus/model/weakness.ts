/** Weaknesses: reading CWE ids, choosing the primary one, and the union of all mappings (rule 21). */
import type { CveClaim } from './claim.ts'

/** What the rules ask of the weakness catalogue; ids are `cwe-<n>`. */
export interface WeaknessCatalogue {
  weaknessName(id: string): string | null
  /** False for categories, views and unknown ids. */
  isWeakness(id: string): boolean
}

const ID = /^\s*cwe-0*([1-9]\d{0,5})\s*$/i
const IN_TEXT = /\bcwe[-\s:]{0,3}0*([1-9]\d{0,5})\b/gi

/** `cwe-<n>` of an id such as `CWE-79`, else null (`NVD-CWE-noinfo`, `CWE-Other`). */
export function weaknessId(text: string): string | null {
  const match = ID.exec(text)
  return match ? `cwe-${match[1]}` : null
}

/** Every CWE that a problem type names in its text, in order: `CWE-79 Cross-site…`, `CWE 79`. */
export function weaknessIdsInText(text: string): string[] {
  const ids: string[] = []
  for (const match of text.matchAll(IN_TEXT)) ids.push(`cwe-${match[1]}`)
  return ids
}

/** Sources whose first CWE may be the primary one, in this order; NVD's claims list its primary first. */
const PRIMARY_ORDER = ['cna', 'adp', 'nvd'] as const satisfies readonly CveClaim['source'][]

/** A CWE that may be the primary one, and whose claim names it. */
export interface WeaknessCandidate {
  id: string
  claim: CveClaim
}

/** In their order of precedence. */
export function* weaknessCandidates(claims: readonly CveClaim[]): Iterable<WeaknessCandidate> {
  for (const source of PRIMARY_ORDER) {
    for (const claim of claims) {
      if (claim.source === source) for (const id of claim.weaknesses) yield { id, claim }
    }
  }
}

/** The first CWE in source order that the catalogue knows as a weakness; if none is, the first of all. */
export function primaryWeakness(claims: readonly CveClaim[], catalogue: WeaknessCatalogue | null): string | null {
  let first: string | null = null
  for (const { id } of weaknessCandidates(claims)) {
    if (!catalogue || catalogue.isWeakness(id)) return id
    first ??= id
  }
  return first
}

/** Whether a claim's mappings are among those of `scope=any`. */
export const isMapping = ({ source }: Pick<CveClaim, 'source'>) => MAPPING_SOURCES.has(source)

const MAPPING_SOURCES: ReadonlySet<CveClaim['source']> = new Set(['cna', 'adp', 'nvd', 'advisory'])

/** The union of the mappings of CNA, ADP, NVD and advisories, by number. */
export function allWeaknesses(claims: readonly CveClaim[]): string[] {
  const ids = new Set<string>()
  for (const claim of claims) if (isMapping(claim)) for (const id of claim.weaknesses) ids.add(id)
  return [...ids].sort((a, b) => Number(a.slice(4)) - Number(b.slice(4)))
}
