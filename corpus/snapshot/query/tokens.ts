/**
 * Texts as `query.db` stores and indexes them. A part of a word is the beginning of one of the word's suffixes, so an
 * index of suffixes finds parts of words without reading texts. SPEC.md, "Query".
 */
import { fold } from '../codec/fold.ts'
import { SnapshotError } from '../error.ts'

/** In stored texts: precedes each beginning of a word. */
const WORD_START = '\u0001'
/** In stored texts: encloses key and label. */
const BORDER = '\u0002'

/** In the index, precede a token that is a whole word, and the first word of a key or label. */
const WHOLE = '='
const FIRST = '^'
/** Token of entries that precede others of their rank. */
export const LEADS = '+'

/** Code points of a suffix in the index. Parts of words that are longer are looked for in the texts too. */
const MOST_INDEXED = 16
/** Code units of a word of the text search. */
const MOST_OF_WORD = 64

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const OUTSIDE = /[^\p{L}\p{M}\p{N}]/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: these two have a meaning in stored texts
const MARKS = /[\u0001\u0002]/g

/** Returns a text in the form in which searches compare it. */
export const searchable = (text: string): string => fold(text).replace(MARKS, '\ufffd')

/** Marks the beginnings of words in a searchable text, except one at its beginning. */
const marked = (text: string): string => text.replace(OUTSIDE, `$&${WORD_START}`)

/** Returns the stored text of an entry. `label` includes further spellings; one that equals the key adds nothing. */
export const storedText = (key: string, label: string): string =>
  `${BORDER + [key, ...(label === key ? [] : [label])].map((text) => BORDER + WORD_START + marked(text)).join('')}${BORDER}`

/** Returns a text as a column of an answer. UTF-8 cannot encode lone surrogates, so such a text is JSON after a mark. */
export const shownText = (text: string): string =>
  text.isWellFormed() && !text.startsWith(WORD_START) ? text : WORD_START + JSON.stringify(text)

/** Returns the text of `shownText`. @throws SnapshotError `malformed` */
export function readShown(text: unknown): string {
  if (typeof text !== 'string') throw undecodable()
  if (!text.startsWith(WORD_START)) return text
  try {
    return String(JSON.parse(text.slice(1)))
  } catch (cause) {
    throw undecodable({ cause })
  }
}

const undecodable = (options?: ErrorOptions) =>
  new SnapshotError('malformed', 'a text of query.db cannot be decoded', options)

const capped = (points: readonly string[], from: number): string => points.slice(from, from + MOST_INDEXED).join('')

/** Returns a function that returns the tokens of an entry, separated by spaces. It remembers those of frequent words. */
export function entryTokens(): (texts: readonly string[], leads: boolean) => string {
  const known = new Map<string, string>()
  const tokensOf = (word: string): string => {
    const found = known.get(word)
    if (found !== undefined) return found
    const points = [...word]
    const tokens = points.reduce((all, _, i) => `${all} ${capped(points, i)}`, WHOLE + capped(points, 0))
    if (known.size >= REMEMBERED) known.clear()
    known.set(word, tokens)
    return tokens
  }
  return (texts, leads) => {
    const tokens = leads ? [LEADS] : []
    for (const text of texts) {
      for (const { 0: word, index } of text.matchAll(WORD)) {
        tokens.push(tokensOf(word))
        if (index === 0) tokens.push(FIRST + capped([...word], 0))
      }
    }
    return tokens.join(' ')
  }
}

const REMEMBERED = 100_000

/** Where a text occurs: anywhere, at the beginning of a word, of a key or label, or as the whole key. */
export type Anchor = 'anywhere' | 'word' | 'beginning' | 'key'

const BEFORE: Record<Anchor, string> = {
  anywhere: '',
  word: WORD_START,
  beginning: BORDER + WORD_START,
  key: BORDER + BORDER + WORD_START,
}
const MARKER: Record<Anchor, string> = { anywhere: '', word: WHOLE, beginning: FIRST, key: FIRST }

/**
 * Two letters have a list of their own only without a marker. Next to other words it is enough, although it is longer.
 * Few numbers begin with two digits other than those of a year, so that the tokens of these are sooner merged.
 */
const isListedUnmarked = (word: string): boolean => [...word].length === 2 && !/^(?!20)\d\d$/.test(word)

/** A text to look for. */
export interface Needle {
  /** Expression of FTS5 for entries that may contain it; null if it has no word. */
  match: string | null
  /** The stored texts of entries that match contain this. */
  text: string
  /** Whether all entries of `match` contain it. */
  isExact: boolean
  /** Code points of its longest word. */
  length: number
}

/**
 * @param text searchable, not empty
 * @param isOneOfSeveral whether entries must contain other texts too
 */
export function needleOf(text: string, anchor: Anchor, isOneOfSeveral = false): Needle {
  const words = Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ word, index, points: [...word] }))
  let isExact = anchor !== 'key' && words[0]?.word === text && words[0].points.length <= MOST_INDEXED
  // All CVEs have this word.
  const telling = words.length > 1 && words[0]!.word === 'cve' ? words.slice(1) : words
  const terms = telling.map(({ word, index, points }) => {
    const marker = index === 0 ? MARKER[anchor] : WHOLE
    const token = marker + capped(points, 0)
    if (anchor === 'key' || index + word.length < text.length) return `"${token}"`
    const isUnmarked = marker === WHOLE && isListedUnmarked(word) && (isOneOfSeveral || words.length > 1)
    if (!isUnmarked) return `"${token}"*`
    isExact = false
    return `"${word}"*`
  })
  return {
    match: terms.length > 0 ? terms.join(' AND ') : null,
    text: BEFORE[anchor] + marked(text) + (anchor === 'key' ? BORDER : ''),
    isExact,
    length: Math.max(0, ...words.map(({ points }) => points.length)),
  }
}

/** Combining diacritical marks, which NFKD separates from their letters. */
const ACCENTS = /[\u0300-\u036f]/g
const ASCII = /^[\0-\x7f]*$/

/** Returns the words of a text as the text search compares them: folded, without accents. */
export function wordsIn(text: string): string[] {
  const plain = ASCII.test(text) ? text : text.toWellFormed().normalize('NFKD').replace(ACCENTS, '')
  return Array.from(fold(plain).matchAll(WORD), ([word]) => word.slice(0, MOST_OF_WORD).toWellFormed())
}

/** Beginnings of words that one query may have, and the least length of each. */
const MOST_PREFIXES = 4
const LEAST_BEGINNING = 2

/** Returns why `text` cannot be a query of the text search; null if it can. */
export function wordsFault(text: string): string | null {
  const parts = partsOf(text)
  if (!parts.some(({ words }) => words.length > 0)) return 'must have a letter or digit'
  const prefixes = parts.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(-1) : []))
  if (prefixes.length > MOST_PREFIXES) return `must have at most ${MOST_PREFIXES} words with '*'`
  if (prefixes.every((word) => [...word].length >= LEAST_BEGINNING)) return null
  return `must have at least ${LEAST_BEGINNING} letters or digits before '*'`
}

/**
 * Returns the expression of FTS5 for all words of `text`, in any order. A `*` after a word stands for any ending.
 * @throws RangeError for a text that `wordsFault` rejects
 */
export function wordsMatch(text: string): string {
  const fault = wordsFault(text)
  if (fault !== null) throw new RangeError(`the text ${fault}`)
  const terms = partsOf(text).flatMap(({ words, isPrefix }) =>
    words.map((word, i) => (isPrefix && i === words.length - 1 ? `"${word}"*` : `"${word}"`)),
  )
  return [...new Set(terms)].join(' AND ')
}

const partsOf = (text: string) =>
  text.split(/\s+/u).map((part) => ({ words: wordsIn(part), isPrefix: /[\p{L}\p{M}\p{N}]\*$/u.test(part) }))
