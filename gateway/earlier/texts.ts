/** The text search of an earlier snapshot, with SQLite on its file: sooner than by parts of it. */
import { existsSync } from 'node:fs'
import { searchRunner } from '../../corpus/snapshot/derived.ts'
import {
  fileOf,
  LOCAL_COSTS,
  type Manifest,
  objectPath,
  openSearches,
  SnapshotError,
  searchAnswer,
  suggestion,
  type TextData,
} from '../../corpus/snapshot/index.ts'
import { openDatabase } from '../query/database.ts'

export function openFileTexts(dist: string, manifest: Manifest): TextData & { close(): Promise<void> } {
  let opened: ReturnType<typeof open> | null = null

  function open() {
    const path = objectPath(dist, fileOf(manifest, 'query').sha256)
    if (!existsSync(path)) throw new SnapshotError('missing', `${path} is missing`)
    const database = openDatabase(path, null)
    return { database, run: searchRunner(database), searches: openSearches(LOCAL_COSTS) }
  }

  const ready = () => (opened ??= open())
  return {
    *matches(set, q) {
      const { run, searches } = ready()
      return yield* run(searches.matches(set, q))
    },
    *firstMatches(set, q, range) {
      const { run, searches } = ready()
      return yield* run(searches.firstMatches(set, q, range))
    },
    *countMatches(set, q) {
      const { run, searches } = ready()
      return yield* run(searches.countMatches(set, q))
    },
    *search(types, q, limit) {
      const { run, searches } = ready()
      return searchAnswer(types, yield* run(searches.search(types, q, limit)))
    },
    *suggest(types, q, limit) {
      const { run, searches } = ready()
      return (yield* run(searches.suggest(types, q, limit))).map(suggestion)
    },
    async close() {
      opened?.database.close()
    },
  }
}
