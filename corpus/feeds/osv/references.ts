/** The references of an OSV entry, each URL once, tagged by what their type says. */
import type { ReferenceClaim } from '../../model/claim.ts'
import { type JsonObject, objects, text } from '../json.ts'

export interface TypedReference extends ReferenceClaim {
  /** Types of the OSV schema: `ADVISORY`, `FIX`, `PACKAGE`, `WEB`, … */
  types: string[]
}

/** `FIX` is what others call a patch; `WEB` is the type of what has none. Others are their own lower-case tag. */
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

/** GitHub's advisories link a few packages as `github.com/owner/name`, or `owner/name`. */
function withScheme(url: string): string {
  if (/^[\w-]+(?:\.[\w-]+)+\//.test(url)) return `https://${url}`
  return /^[\w-]+\/[\w.-]+$/.test(url) ? `https://github.com/${url}` : url
}
