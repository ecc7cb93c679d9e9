/**
 * The search texts of the measurement, from `search-texts.json`. From each phrase: every substring that begins at a
 * word and has at least two characters. From each year: the prefixes of ids, `cve-2024-0` to `cve-2024-99`.
 */
import type { Random } from '../../../corpus/sample/random.ts'
import { fold } from '../../../corpus/snapshot/codec/fold.ts'
import type { OpenSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import { finish, openQueryFile, searchRunner } from '../../../corpus/snapshot/query/native.ts'
import { LOCAL_COSTS, openSearches } from '../../../corpus/snapshot/query/search.ts'
import source from './search-texts.json' with { type: 'json' }

const LEAST_LENGTH = 2
const MOST_LENGTH = 60
const ID_BEGINNINGS = 100

/** Returns every text from `phrases` and years, each once. */
export function textsOf(phrases: readonly string[], [from, to]: readonly [number, number]): string[] {
  const texts = new Set<string>()
  for (const phrase of phrases.map(fold)) {
    for (const { index } of phrase.matchAll(/(?<![a-z])[a-z]/g)) {
      for (let end = index + LEAST_LENGTH; end <= Math.min(phrase.length, index + MOST_LENGTH); end++) {
        texts.add(phrase.slice(index, end).trimEnd())
      }
    }
  }
  for (let year = from; year <= to; year++) {
    for (let number = 0; number < ID_BEGINNINGS; number++) texts.add(`cve-${year}-${number}`)
  }
  return [...texts].filter(({ length }) => length >= LEAST_LENGTH)
}

export const SEARCH_TEXTS = textsOf(source.phrases, source.id_years as [number, number])

/** Maximum number of matches of a rare text (README.md, "Budgets"). */
export const FEW_MATCHES = 20_000

export interface CountedText {
  text: string
  matches: number
}

/** Counts the matches of random texts, for at most `mostMs`; texts with most matches come first. */
export function countTexts({ query }: OpenSnapshot, random: Random, most: number, mostMs: number): CountedText[] {
  const database = openQueryFile(query.path)
  try {
    const [run, { countMatches }] = [searchRunner(database), openSearches({ ...LOCAL_COSTS, readFirst: 0 })]
    const end = performance.now() + mostMs
    const counted: CountedText[] = []
    for (const text of shuffled(SEARCH_TEXTS, random).slice(0, most)) {
      if (performance.now() > end) break
      counted.push({ text, matches: finish(run(countMatches('cve', text))) })
    }
    return counted.sort((a, b) => b.matches - a.matches)
  } finally {
    database.close()
  }
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items]
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1)
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}
