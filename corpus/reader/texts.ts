/** The text search of a snapshot. */
import { remembered } from '../runtime/remembered.ts'
import { awaited, type Steps } from '../runtime/steps.ts'
import type { Manifest, TextData } from '../snapshot/index.ts'
import type { TextSearch } from '../snapshot/ranges/text-search.ts'
import type { Objects } from './objects.ts'

/** Loads the search with its first query. */
export function openTexts(manifest: Manifest, objects: Objects): TextData & { close(): Promise<void> } {
  const opened = new Map<string, Promise<TextSearch>>()
  const open = () =>
    remembered(opened, '', async () =>
      (await import('../snapshot/ranges/text-search.ts')).openTextSearch(manifest, objects),
    )
  const run = <T>(work: (texts: TextSearch) => Promise<T>): Steps<T> => awaited(open().then(work))
  return {
    matches: (set, q) => run((texts) => texts.matches(set, q)),
    firstMatches: (set, q, range) => run((texts) => texts.firstMatches(set, q, range)),
    countMatches: (set, q) => run((texts) => texts.countMatches(set, q)),
    search: (types, q, limit) => run((texts) => texts.search({ types, q, limit })),
    suggest: (types, q, limit) => run((texts) => texts.suggest({ types, q, limit })),
    async close() {
      await opened.get('')?.then((texts) => texts.close())
    },
  }
}
