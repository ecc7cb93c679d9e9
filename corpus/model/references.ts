/** References: one item per URL, with all its sources and tags (rule 30). */
import type { CveClaim } from './claim.ts'
import type { Reference, ReferenceSource } from './record.ts'

/** Returns the references in the order first seen. The first name wins; tags and sources accumulate in claim order. */
export function mergedReferences(claims: readonly CveClaim[]): Reference[] {
  const byUrl = new Map<string, Reference & { all: Set<string> }>()
  for (const { source, references } of claims) {
    if (source === 'svc') continue
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

/** Returns, for each URL with the tag, the first source in claim order that gives it the tag. */
export function sourcesTagging(claims: readonly CveClaim[], wanted: 'patch' | 'exploit'): Map<string, ReferenceSource> {
  const first = new Map<string, ReferenceSource>()
  for (const { source, references } of claims) {
    if (source === 'svc') continue
    for (const { url, tags } of references) if (!first.has(url) && hasTag(tags, wanted)) first.set(url, source)
  }
  return first
}
