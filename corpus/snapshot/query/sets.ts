/** What `query.db` is built from: the sets of texts, the ids of advisories, the words of CVEs. SPEC.md, "Query". */

import type { Texts } from '../codec/stored-texts.ts'
import { type TextColumn, textsIn } from '../codec/text-column.ts'

export const TEXT_SETS = ['cve', 'cwe', 'capec', 'cna', 'vendor', 'product', 'capec_text', 'package'] as const
export type TextSetName = (typeof TEXT_SETS)[number]

/** What lists search: a set, or the words of CVEs. */
export type SearchedText = TextSetName | 'words'

/** The sets of global search, in the order of API 26.4. */
export const SEARCH_TYPES = ['vendor', 'product', 'cwe', 'capec', 'cna', 'cve', 'package'] as const
/** The types of a search that names none: packages are answered only on request (API 26.2). */
export const DEFAULT_SEARCH_TYPES = SEARCH_TYPES.filter((type) => type !== 'package')
export type SearchType = (typeof SEARCH_TYPES)[number]

/** Precedes each further spelling. It is no letter, mark or digit, so that each spelling starts a word (rule 28). */
export const SPELLING_BORDER = '\u001f'

/**
 * One set. Entry `i` of each list has ordinal `i`. Ordinals follow the order within a rank: newest first, or more CVEs
 * first (rule 28).
 */
export interface TextSet<Column = string[]> {
  name: TextSetName
  /** The matched id: CVE-2024-1, CWE-79, a vendor key, a product slug, a folded name. For `capec_text` the name. */
  keys: Column
  /** The id in answers; that of the list for products and packages. */
  ids: Column
  /** Title, name or display, also matched; when empty, answers use the id. For `capec_text` the description. */
  labels: Column
  /** Further spellings, each after `SPELLING_BORDER`; matched, not in answers. */
  spellings?: Column
  /** In answers only, not matched. */
  subtitles: Column
  /** 1 for entries that precede others of their rank: KEV-listed CVEs. */
  first?: Uint8Array
}

/** Ids of advisories, and the ordinal of the CVE that each finds. */
export interface AdvisoryIds<Column = string[]> {
  ids: Column
  cves: Uint32Array
}

/** All texts of a search by parts of ids and labels. A set that is absent is empty. */
export interface SearchTexts<Column = string[]> {
  sets: TextSet<Column>[]
  advisories: AdvisoryIds<Column>
}

/** In the form for transfer to another thread. */
export type PackedTexts = SearchTexts<TextColumn>
export type PackedSet = TextSet<TextColumn>

export function openTexts({ sets, advisories }: PackedTexts): SearchTexts<Texts> {
  return {
    sets: sets.map(({ keys, ids, labels, spellings, subtitles, ...set }) => ({
      ...set,
      keys: textsIn(keys),
      ids: textsIn(ids),
      labels: textsIn(labels),
      ...(spellings && { spellings: textsIn(spellings) }),
      subtitles: textsIn(subtitles),
    })),
    advisories: { ids: textsIn(advisories.ids), cves: advisories.cves },
  }
}
