/** The text search of an open snapshot, in the query thread. */
import { awaited } from '../../corpus/runtime/steps.ts'
import { searchAnswer, suggestion, type TextData } from '../../corpus/snapshot/index.ts'
import { unpackMatches } from './matches.ts'
import type { Queries } from './queries.ts'

export const textsOf = (queries: Queries, path: string): TextData => ({
  *matches(set, q) {
    return unpackMatches(yield* awaited(queries.matches(path, set, q)))
  },
  *firstMatches(set, q, range) {
    return yield* awaited(queries.firstMatches(path, set, q, range))
  },
  *countMatches(set, q) {
    return yield* awaited(queries.countMatches(path, set, q))
  },
  *search(types, q, limit) {
    return searchAnswer(types, yield* awaited(queries.search(path, types, q, limit)))
  },
  *suggest(types, q, limit) {
    return (yield* awaited(queries.suggest(path, types, q, limit))).map(suggestion)
  },
})
