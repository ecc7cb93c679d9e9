/** References: one item per URL, with all its sources and tags (rule 30). */
import type { CveClaim } from './claim.ts'
import type { Reference, ReferenceSource } from './record.ts'

/** Returns the references in the order first seen. The first name wins; tags and sources accumulate in claim order. */
export function mergedReferences(claims: readonly CveClaim[]): Reference[] {
  const byUrl = new Map<string, Reference & { all: Set<string> }>()
  for (const { source, references } of claims.filter(hasReferences)) {
    for (const { url, name, tags } of references) {
      let item = byUrl.get(url)
      if (!item) {
        item = { url, name: null, tags: [], sources: [], all: new Set() }
        byUrl.set(url, item)
      }
      item.name ??= name
      for (const tag of tags) item.all.add(tag)
      if (!item.sources.includes(source)) item.sources.push(source)
    }
  }
  return Array.from(byUrl.values(), ({ all, ...item }) => ({ ...item, tags: [...all] }))
}

/** Returns whether `tags` contains the tag in any case: NVD writes `Patch`, the CVE list `patch`. */
export function hasTag(tags: readonly string[], wanted: 'patch' | 'mitigation' | 'exploit'): boolean {
  return tags.some((tag) => tag.length === wanted.length && tag.toLowerCase() === wanted)
}

/** A claim of a source that states references. */
export type TaggingClaim = CveClaim & { source: ReferenceSource }

export const hasReferences = (claim: CveClaim): claim is TaggingClaim => claim.source !== 'svc'

/** Returns, for each URL with the tag, the first claim in order that gives it the tag. */
export function claimsTagging(claims: readonly CveClaim[], wanted: 'patch' | 'exploit'): Map<string, TaggingClaim> {
  const first = new Map<string, TaggingClaim>()
  for (const claim of claims.filter(hasReferences)) {
    for (const { url, tags } of claim.references) if (!first.has(url) && hasTag(tags, wanted)) first.set(url, claim)
  }
  return first
}
