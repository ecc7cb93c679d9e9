/** Reads the references of an OSV entry: unique URLs, with tags from their types. */
import type { ReferenceClaim } from '../../model/claim.ts'
import { type JsonObject, objects, text } from '../json.ts'

export interface TypedReference extends ReferenceClaim {
  /** Types of the OSV schema: `ADVISORY`, `FIX`, `PACKAGE`, `WEB`, … */
  types: string[]
}

/** Returns the tag of a type: `patch` for `FIX`, none for the default type `WEB`, otherwise the type in lower case. */
function tagOf(type: string): string | null {
  if (type === 'WEB') return null
  return type === 'FIX' ? 'patch' : type.toLowerCase()
}

export function readReferences(entry: JsonObject): TypedReference[] {
  const typesOf = new Map<string, Set<string>>()
  for (const reference of objects(entry.references)) {
    const stated = text(reference.url)
    if (stated === null) continue
    const url = withScheme(stated)
    const type = text(reference.type)?.toUpperCase() ?? 'WEB'
    const types = typesOf.get(url) ?? new Set()
    typesOf.set(url, types)
    types.add(type)
  }
  return Array.from(typesOf, ([url, set]) => {
    const types = [...set]
    return { url, name: null, tags: types.map(tagOf).filter((tag) => tag !== null), types }
  })
}

/** GitHub's advisories link some packages as `github.com/owner/name` or `owner/name`. */
function withScheme(url: string): string {
  if (/^[\w-]+(?:\.[\w-]+)+\//.test(url)) return `https://${url}`
  return /^[\w-]+\/[\w.-]+$/.test(url) ? `https://github.com/${url}` : url
}
