/** Converts hits to search results (API 26.10, rule 28). */
import type { Hit, SearchResult } from './search.ts'
import { DEFAULT_SEARCH_TYPES, SEARCH_TYPES, type SearchType } from './sets.ts'

export interface Suggestion {
  type: SearchType
  id: string
  label: string
  /** Facts in a few words. */
  subtitle: string
  href: string
}

export interface SearchItem extends Suggestion {
  /** By the rank of the match alone: 1, 0.75, 0.5, 0.25. */
  score: number
}

export const suggestion = ({ type, id, key, label, subtitle }: Hit): Suggestion => ({
  type,
  id,
  label,
  subtitle,
  href: HREFS[type](id, key),
})

const searchItem = (hit: Hit): SearchItem => ({ ...suggestion(hit), score: 1 - hit.rank / 4 })

/** The answer of a search: each default type, and `package` only if it was asked for. */
export interface SearchAnswer {
  /** Best first; empty for types not requested. */
  results: Record<Exclude<SearchType, 'package'>, SearchItem[]> & { package?: SearchItem[] }
  /** Matches per type; 0 for types not requested. */
  counts: Record<Exclude<SearchType, 'package'>, number> & { package?: number }
}

export function searchAnswer(types: readonly SearchType[], { counts, hits }: SearchResult): SearchAnswer {
  const shown = types.includes('package') ? SEARCH_TYPES : DEFAULT_SEARCH_TYPES
  const each = <Value>(value: (type: SearchType) => Value) =>
    Object.fromEntries(shown.map((type) => [type, value(type)])) as Record<SearchType, Value>
  return { results: each((type) => hits[type].map(searchItem)), counts: each((type) => counts[type]) }
}

const HREFS: Record<SearchType, (id: string, key: string) => string> = {
  vendor: (id) => `/vendors/${segment(id)}`,
  // A slash in the vendor is `%2F`. Keys are lower case and contain no `%2F`.
  product: (id, slug) => `/vendors/${segment(before(id, slug).replaceAll('%2F', '/'))}/products/${segment(slug)}`,
  cwe: (id) => `/cwes/${segment(id.toLowerCase())}`,
  capec: (id) => `/capecs/${segment(id.toLowerCase())}`,
  cna: (id) => `/cnas/${segment(id)}`,
  cve: (id) => `/cves/${segment(id)}`,
  // A slash may be in the name in `<ecosystem>/<name>`.
  package: (id, name) => `/packages/${segment(before(id, name))}/${segment(name)}`,
}

/** Returns what precedes the slash before `end`. */
const before = (id: string, end: string): string => id.slice(0, -end.length - 1)

const segment = (text: string): string => encodeURIComponent(text.toWellFormed())
