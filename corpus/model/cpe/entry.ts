/** What an entry of `affected[]` states about a product, and how a CPE name compares with it. */
import type { Cpe, CpeAttribute } from '../affected/cpe.ts'
import type { AffectedRange } from '../record.ts'
import { overlap } from './compare.ts'

/** The sources of affected entries that name vendor and product, in the order in which a match names one. */
export const CPE_SOURCES = ['nvd', 'cna', 'adp'] as const
export type CpeSource = (typeof CPE_SOURCES)[number]

/** The statement that the version matches. All bounds are null for an enumerated version. */
export interface CpeMatch {
  introduced: string | null
  fixed: string | null
  last_affected: string | null
  source: CpeSource
}

/** An entry that names the product, without the fields that matching does not read. */
export interface ProductEntry {
  source: CpeSource
  default_status: string | null
  affected_versions: string[] | null
  affected_ranges: AffectedRange[] | null
  patched_versions: string[] | null
  /** Those that name the product. */
  cpes: Cpe[]
}

/**
 * `other`: the entry restricts an attribute to another value. `silent`: it has no statement that can be evaluated.
 */
export type EntryVerdict = Omit<CpeMatch, 'source'> | 'unaffected' | 'undecided' | 'silent' | 'other'

export const ENUMERATED = { introduced: null, fixed: null, last_affected: null }

/** Attributes of a product that its names in the CVE list do not have. */
export const QUALIFIERS = ['part', 'edition', 'language', 'swEdition', 'targetSw', 'targetHw', 'other'] as const

/** Returns whether the attributes have common values. Null if that is undecided. */
export function fits(cpe: Cpe, asked: Cpe, attributes: readonly CpeAttribute[]): boolean | null {
  let result: boolean | null = true
  for (const attribute of attributes) {
    const one = overlap(cpe[attribute], asked[attribute])
    if (one === false) return false
    if (one === null) result = null
  }
  return result
}

/** Commits have no order. */
export const isCommit = (text: string) => /^[0-9a-f]{12,64}$/i.test(text) && /[a-f]/i.test(text)
export const isEvaluated = ({ introduced, fixed, last_affected, version_type }: AffectedRange) =>
  version_type?.toLowerCase() !== 'git' && ![introduced, fixed, last_affected].some((bound) => bound && isCommit(bound))
