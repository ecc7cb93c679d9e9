/**
 * The exact texts that searches are measured with: from `search-texts.json` every stretch of a phrase that begins with a
 * word and is at least two characters long, and the beginnings of ids, `cve-2024-0` to `cve-2024-99`, of its years.
 */

import Database from 'better-sqlite3'
import type { Random } from '../../../corpus/sample/random.ts'
import { fold } from '../../../corpus/snapshot/fold.ts'
import { openQuery } from '../../../corpus/snapshot/query/open.ts'
import type { OpenSnapshot } from '../../../gateway/shelf/open-snapshot.ts'
import source from './search-texts.json' with { type: 'json' }

const LEAST_LENGTH = 2
const MOST_LENGTH = 60
const ID_BEGINNINGS = 100

/** Every text that `phrases` and years give, each once. */
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

export const drawText = (texts: readonly string[], random: Random): string => random.pick(texts)

/** Texts by how many CVEs they match. */
export interface CountedTexts {
  few: string[]
  many: string[]
}

/** What DESIGN's table of budgets counts as few matches. */
export const FEW_MATCHES = 20_000

/** Counts the matches of texts, in an order drawn at random, until enough are found or `mostMs` are over. */
export function countTexts(
  { query }: OpenSnapshot,
  random: Random,
  { few: fewWanted, many: manyWanted, mostMs }: { few: number; many: number; mostMs: number },
): CountedTexts {
  const database = new Database(query.path, { readonly: true, fileMustExist: true })
  const counted: CountedTexts = { few: [], many: [] }
  try {
    const open = openQuery(database)
    const end = performance.now() + mostMs
    for (const text of shuffled(SEARCH_TEXTS, random)) {
      if (performance.now() > end || (counted.few.length >= fewWanted && counted.many.length >= manyWanted)) break
      const isFew = open.matches('cve', text).length <= FEW_MATCHES
      if (isFew && counted.few.length < fewWanted) counted.few.push(text)
      if (!isFew) counted.many.push(text)
    }
  } finally {
    database.close()
  }
  return counted
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items]
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1)
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}
