/**
 * What an item of a feed states, as bits. If many items of a feed stop stating something, its publisher may have renamed
 * a field, and ingest stops.
 */
import type { CveClaim, ExploitClaim } from '../model/claim.ts'

/** Their order is that of the bits in the corpus. */
export const FACETS = [
  'SSVC',
  'CVSS',
  'affected',
  'references',
  'CWE',
  'description',
  'name',
  'CVE ids',
  'date',
  'links',
  'ransomware use',
  'relations',
] as const
export type Facet = (typeof FACETS)[number]

/** Returns the bits of the facets that are true. */
export function facetBits(stated: Partial<Record<Facet, boolean>>): number {
  return FACETS.reduce((bits, facet, i) => (stated[facet] ? bits | (1 << i) : bits), 0)
}

/** Returns what the claims of a record state together. */
export function claimFacets(claims: readonly CveClaim[]): number {
  return facetBits({
    SSVC: claims.some(({ ssvc }) => ssvc !== null),
    CVSS: claims.some(({ metrics }) => metrics.length > 0),
    affected: claims.some(({ affected }) => affected.length > 0),
    references: claims.some(({ references }) => references.length > 0),
    CWE: claims.some(({ weaknesses }) => weaknesses.length > 0),
    description: claims.some(({ description }) => description !== null),
  })
}

export const exploitFacets = ({ module, cveIds }: ExploitClaim): number =>
  facetBits({
    name: module.name !== null,
    'CVE ids': cveIds.length > 0,
    date: module.date_published !== null,
    links: module.source_url !== null,
    affected: module.platform !== null,
  })
