/** What is searched: sets of texts, one for each kind of thing that can be found. SPEC.md, "Query". */

import type { Texts } from '../kept-texts.ts'
import { type TextColumn, textsIn } from '../text-column.ts'

/** In the order of their numbers in `query.db`. */
export const TEXT_SETS = ['cve', 'cwe', 'capec', 'cna', 'vendor', 'product', 'capec_text'] as const
export type TextSetName = (typeof TEXT_SETS)[number]

/** The sets that global search looks at, in the order of API 26.4. */
export const SEARCH_TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve'] as const
export type SearchType = (typeof SEARCH_TYPES)[number]

/**
 * One set. Entry `i` of each list is the entry with ordinal `i`; ordinals are in the order of rank within a class:
 * newest first, or more CVEs first (rule 28).
 */
export interface TextSet<Column = string[]> {
  name: TextSetName
  /** The id as it is matched: CVE-2024-1, CWE-79, the key of a vendor, the slug of a product. For `capec_text` the name. */
  keys: Column
  /** The id as it is answered; of products `<vendor>/<product>`. */
  ids: Column
  /** Title, name or display, matched too; empty where there is none, and then the id is answered. For `capec_text` the description. */
  labels: Column
  /** Answered only. */
  subtitles: Column
  /** 1 for what goes before others of its class: KEV-listed. */
  first?: Uint8Array
}

/** A set whose texts are only read one by one, wherever they lie. */
export type ReadSet = TextSet<Texts>

/** A set on its way to another thread. */
export type PackedSet = TextSet<TextColumn>

export const openSet = ({ keys, ids, labels, subtitles, ...set }: PackedSet): ReadSet => ({
  ...set,
  keys: textsIn(keys),
  ids: textsIn(ids),
  labels: textsIn(labels),
  subtitles: textsIn(subtitles),
})

/** All sets in the order of their numbers; one that is not given is empty. */
export function allSets(given: readonly ReadSet[]): ReadSet[] {
  return TEXT_SETS.map((name) => {
    const empty: ReadSet = { name, keys: [], ids: [], labels: [], subtitles: [] }
    return given.find((set) => set.name === name) ?? empty
  })
}

export const setNumber = (name: TextSetName): number => TEXT_SETS.indexOf(name)

/** Whether entries of this set are answered, or only counted and listed. */
export const isSearchType = (name: TextSetName): name is SearchType =>
  (SEARCH_TYPES as readonly TextSetName[]).includes(name)
