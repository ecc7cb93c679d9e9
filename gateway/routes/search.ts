/** `/search` and `/search/suggest`: everything that can be found by a part of its id or label (rule 28). */
import { SEARCH_TYPES, type SearchType } from '../../corpus/snapshot/query/sets.ts'
import { jsonAnswer } from '../answer.ts'
import { meaning } from '../openapi/parameters.ts'
import { required, withDefault } from '../params/kind.ts'
import { csvOf, integer, text } from '../params/kinds.ts'
import { searchItem, suggestion } from '../query/search-item.ts'
import { defineRoute } from '../route.ts'
import type { Shelved } from '../shelf/shelf.ts'
import { searchResults, suggestions } from './answers.ts'
import type { Context } from './context.ts'

/** What a client may ask for, in the order of API 26.2. */
const TYPES = ['cve', 'cwe', 'capec', 'vendor', 'product', 'cna'] as const satisfies readonly SearchType[]

const q = meaning('Text to look for in ids and labels, in any case', required(text({ min: 2 })))
const types = meaning('What to look for; without it, everything', csvOf(TYPES))

const searchQuery = {
  q,
  types,
  limit: meaning('The most results of each type', withDefault(integer({ min: 1, max: 25 }), 5)),
}

export const search = defineRoute<Context, Record<never, never>, typeof searchQuery>({
  name: 'search',
  path: '/search',
  summary: 'Search through CVEs, CWEs, CAPECs, vendors, products and CNAs',
  description:
    'Looks for the text in ids and labels. An exact id comes first, then what begins with the text, then where it begins a word, then the rest; within that KEV-listed CVEs, then what is newer or has more CVEs.',
  params: { path: {}, query: searchQuery },
  answer: searchResults,
  handle: ({ shelf, queries }, { q, types = [...SEARCH_TYPES], limit }) =>
    held(shelf.current, async ({ id, query: { path } }) => {
      const { counts, hits } = await queries.search(path, types, q, limit)
      const results = Object.fromEntries(SEARCH_TYPES.map((type) => [type, hits[type].map(searchItem)]))
      return jsonAnswer({ results, counts }, 'sqlite', id)
    }),
})

const suggestQuery = {
  q: meaning('The beginning of a query', required(text({ min: 2 }))),
  types,
  limit: meaning('The most suggestions', withDefault(integer({ min: 1, max: 15 }), 8)),
}

export const suggest = defineRoute<Context, Record<never, never>, typeof suggestQuery>({
  name: 'suggest',
  path: '/search/suggest',
  summary: 'What a partial query may mean, the best across all types',
  description:
    'Ranked as in search; among equals the best of each type comes first, then the second of each, and so on.',
  params: { path: {}, query: suggestQuery },
  answer: suggestions,
  handle: ({ shelf, queries }, { q, types = [...SEARCH_TYPES], limit }) =>
    held(shelf.current, async ({ id, query: { path } }) => {
      const hits = await queries.suggest(path, types, q, limit)
      return jsonAnswer({ suggestions: hits.map(suggestion) }, 'sqlite', id)
    }),
})

/** Keeps a snapshot open while its query thread is asked. */
async function held<T>(snapshot: Shelved, work: (snapshot: Shelved) => Promise<T>): Promise<T> {
  const release = snapshot.hold()
  try {
    return await work(snapshot)
  } finally {
    release()
  }
}
