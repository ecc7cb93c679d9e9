/** Searches the texts of a snapshot in its search database, of which it reads the pages that SQLite asks for. */
import { remembered } from '../../runtime/remembered.ts'
import {
  countCves,
  fileOf,
  type ListName,
  type Manifest,
  type MatchRange,
  openSearches,
  type Search,
  type SearchAnswer,
  type SearchedText,
  type SearchType,
  type Suggestion,
  searchAnswer,
  suggestion,
  type TextCounts,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import { openRangeDatabase, type RangeDatabase } from './range-database.ts'

/** The answer of `/search`. */
export type SearchResults = SearchAnswer

interface SearchQuery {
  q: string
  types: readonly SearchType[]
  limit: number
}

/** Each method throws SnapshotError or TransferError. */
export interface TextSearch {
  /**
   * Returns the ordinals of all entries of `set` with `q` in key or label, ascending; for `words` those of CVEs with all
   * words of `q`. An entry of a list has the ordinal of its row in the default order; a CVE that of its publication.
   */
  matches(set: SearchedText, q: string): Promise<Uint32Array>
  /** Returns the ordinals of the first matches in a range, for which it reads less. */
  firstMatches(set: SearchedText, q: string, range: MatchRange): Promise<Uint32Array>
  countMatches(set: SearchedText, q: string): Promise<number>
  search(query: SearchQuery): Promise<SearchResults>
  suggest(query: SearchQuery): Promise<Suggestion[]>
  close(): Promise<void>
}

/**
 * Entries elsewhere are far apart: each takes a request, and several requests at once take no longer. The texts of a
 * window must fit into the memory of a database, because a statement runs again for each part that it lacks.
 */
const COSTS = { readFirst: 0, rankAll: 0, rowsAtOnce: 1, window: 2 ** 14, isPrefixCostly: false }

/** The manifest has them, and reading them would take a request for each. */
function countsOf(manifest: Manifest): TextCounts {
  const of = (list: ListName) => fileOf(manifest, 'list', list).count
  const [cve, capec] = [countCves(manifest), of('capecs')]
  return {
    ...{ cve, words: cve, capec, capec_text: capec },
    ...{ cwe: of('cwes'), cna: of('cnas'), vendor: of('vendors'), product: of('products'), package: of('packages') },
  }
}

export function openTextSearch(
  manifest: Manifest,
  files: FileParts,
  counts: TextCounts = countsOf(manifest),
): TextSearch {
  const opened = new Map<string, Promise<RangeDatabase>>()
  const open = () =>
    remembered(opened, '', () => {
      const file = fileOf(manifest, 'query')
      return openRangeDatabase(file.size, (spans) => files.parts(file, spans))
    })
  const searches = openSearches(COSTS, counts)

  async function run<T>(search: Search<T>): Promise<T> {
    const database = await open()
    const runIn = async <U>(search: Search<U>): Promise<U> => {
      let step = search.next()
      while (!step.done) {
        const { value } = step
        const answer = 'sql' in value ? await database.rows(value) : await Promise.all(value.map(runIn))
        step = search.next(answer)
      }
      return step.value
    }
    return runIn(search)
  }

  return {
    matches: (set, q) => run(searches.matches(set, q)),
    firstMatches: (set, q, range) => run(searches.firstMatches(set, q, range)),
    countMatches: (set, q) => run(searches.countMatches(set, q)),
    async search({ q, types, limit }) {
      return searchAnswer(types, await run(searches.search(types, q, limit)))
    },
    suggest: async ({ q, types, limit }) => (await run(searches.suggest(types, q, limit))).map(suggestion),
    async close() {
      const database = await opened.get('')?.catch(() => null)
      database?.close()
    },
  }
}
