/** `/search` and `/search/suggest`: search by a part of an id or label (rule 28). */
import { DEFAULT_SEARCH_TYPES, type SearchType } from '../../snapshot/index.ts'
import { jsonAnswer } from '../answer.ts'
import type { Context } from '../context.ts'
import { described } from '../openapi/parameters.ts'
import { required, withDefault } from '../parameters/parameter.ts'
import { csvOf, integer, searchText } from '../parameters/parameter-types.ts'
import { defineRoute } from '../route.ts'
import { searchResults, suggestions } from '../schemas.ts'

/** The types of a request, in the order of API 26.2. */
const TYPES = ['cve', 'cwe', 'capec', 'vendor', 'product', 'cna', 'package'] as const satisfies readonly SearchType[]

const q = described(
  'Part of an id, key, name or title, in any case. Ids of advisories, such as `GHSA-jfh8-c2jp-5v3q`, find their CVEs',
  required(searchText({ min: 2 })),
)
const types = described('Types of results. Default: all except `package`', csvOf(TYPES))

const searchQuery = {
  q,
  types,
  limit: described('Maximum number of results per type', withDefault(integer({ min: 1, max: 25 }), 5)),
}

export const search = defineRoute<Context, Record<never, never>, typeof searchQuery>({
  name: 'search',
  path: '/search',
  summary: 'Search',
  description: `Searches CVEs, CWEs, CAPECs, vendors, products and CNAs, and packages if \`types\` names them. The id of an advisory, such as a GitHub advisory, finds the CVE that it names. Results of each type are in this order:

- the exact id or key
- matches at the start of the id, key, name or title
- matches at the start of a word
- other matches

Among equal matches, CVEs in the KEV catalog are first, then newer CVEs. CWEs, vendors, products and CNAs with more CVEs are first. Packages with more advisories are first. CAPECs are in order of their numbers.`,
  example: '/search?q=lantern&limit=1',
  params: { path: {}, query: searchQuery },
  answer: searchResults,
  *handle({ snapshots: { current } }, { q, types = DEFAULT_SEARCH_TYPES, limit }) {
    return jsonAnswer(yield* current.texts.search(types, q, limit), 'sqlite', current.id)
  },
})

const suggestQuery = {
  q,
  types,
  limit: described('Maximum number of suggestions', withDefault(integer({ min: 1, max: 15 }), 8)),
  include: described(
    'Fields to add: `subtitle`, as search results have it',
    csvOf(['subtitle'], { emptyAllowed: true }),
  ),
}

export const suggest = defineRoute<Context, Record<never, never>, typeof suggestQuery>({
  name: 'suggest',
  path: '/search/suggest',
  summary: 'Suggest completions',
  description:
    'Returns suggestions in one list, of packages only if `types` names them. They have the order of search results. Among equal matches, types alternate.',
  example: '/search/suggest?q=lantern&limit=3',
  params: { path: {}, query: suggestQuery },
  answer: suggestions,
  *handle({ snapshots: { current } }, { q, types = DEFAULT_SEARCH_TYPES, limit, include = [] }) {
    const found = yield* current.texts.suggest(types, q, limit)
    const suggestions = include.includes('subtitle') ? found : found.map(({ subtitle, ...suggestion }) => suggestion)
    return jsonAnswer({ suggestions }, 'sqlite', current.id)
  },
})
