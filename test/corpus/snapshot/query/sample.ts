/** Sets of searchable texts, ordinary and hostile, the same in every run, and a search in them without an index. */
import { fold } from '../../../../corpus/snapshot/codec/fold.ts'
import { packTexts } from '../../../../corpus/snapshot/codec/text-column.ts'
import { type WordSource, writeEntries, writeWords } from '../../../../corpus/snapshot/query/build.ts'
import type { Rank } from '../../../../corpus/snapshot/query/search.ts'
import type { AdvisoryIds, SearchTexts, TextSet, TextSetName } from '../../../../corpus/snapshot/query/sets.ts'
import { isAdvisoryId } from '../../../support/plain.ts'

/** Returns a generator of numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const WORDS = [
  ...'Remote code execution in the SQL injection of XSS buffer overflow via server e-2000 100% under_score'.split(' '),
  ...`"quoted" o'clock C++ a*b NEAR OR AND - -- ; \\ %_ ΟΔΟΣ ὈΔΥΣΣΕΎΣ İstanbul ISTANBUL Straße STRASSE ẞ é`.split(' '),
  ...['e\u0301', ...'Ｆull naïve ﬁle 漏洞 漏 🦊fox 👩‍💻'.split(' '), '\ud83e', '\udd8a', '\ufffd'],
  ...['ПРИВЕТ', 'привет', 'Ǆ', 'K', 'ſ', '\u0000', '\t', '…end'],
]

/** Returns a title of one to nine words. */
function title(random: () => number): string {
  const pick = () => WORDS[Math.floor(random() * random() * WORDS.length)]!
  return Array.from({ length: 1 + Math.floor(random() * 9) }, pick).join(random() < 0.95 ? ' ' : '')
}

/** Returns more entries than a block holds, and strings in more of them than the threshold for stored best hits. */
export function sampleTexts(): SearchTexts {
  const random = seeded(11)
  const set = (name: TextSetName, count: number, key: (i: number) => string): TextSet => {
    const keys = Array.from({ length: count }, (_, i) => key(i))
    const isNamed = name === 'product' || name === 'package'
    const labels = keys.map((key, i) => {
      const label = random() < 0.05 ? '' : title(random)
      return isNamed && i % 4 === 3 ? key : label
    })
    return {
      name,
      keys,
      ids: name === 'product' ? keys.map((slug, i) => `ven/dor${i}/${slug}`) : keys,
      labels,
      ...(name === 'product' && {
        spellings: keys.map((_, i) => (i % 3 === 0 ? `\u001f${title(random)}\u001f${title(random)}` : '')),
      }),
      subtitles: keys.map((_, i) => `subtitle ${i}`),
      ...(name === 'cve' && { first: Uint8Array.from(keys, () => (random() < 0.03 ? 1 : 0)) }),
    }
  }
  /** Up to three ids for each CVE. Some contain words of titles, or other CVE ids. */
  const advisories = (cves: TextSet): AdvisoryIds => {
    const entries = cves.keys.flatMap((key, cve) =>
      Array.from({ length: Math.floor(random() * 4) }, (_, n) => ({
        cve,
        id: [`GHSA-${Math.floor(random() * 1e6)}-${cve}`, `DEBIAN-${key}`, `${title(random)}-${cve}`][n]!,
      })),
    )
    return { ids: entries.map(({ id }) => id), cves: Uint32Array.from(entries, ({ cve }) => cve) }
  }
  const named = (i: number) => `${title(random).toLowerCase().replaceAll(' ', '_')}${i % 3 === 0 ? '' : i}`
  const cves = set('cve', 5000, (i) => `CVE-${2026 - Math.floor(i / 500)}-${9999 - i}`)
  const sets = [
    cves,
    set('cwe', 900, (i) => `CWE-${i + 1}`),
    set('capec', 500, (i) => `CAPEC-${i + 1}`),
    set('cna', 3, (i) => ['mitre', 'a', 'github_m'][i]!),
    set('product', 3000, named),
    set('capec_text', 500, () => title(random)),
    set('package', 2000, named),
  ]
  return { sets, advisories: advisories(cves) }
}

/** Returns the words of CVEs with these titles, without descriptions. */
export function wordSource(sets: readonly TextSet[]): WordSource {
  const { keys, labels } = sets.find(({ name }) => name === 'cve') ?? { keys: [], labels: [] }
  const cores = keys.map((cve_id, i) => Buffer.from(JSON.stringify({ cve_id, title: labels[i] }).slice(0, -1)))
  const at = Uint32Array.from(cores.keys(), (i) => cores.slice(0, i).reduce((sum, { length }) => sum + length, 0))
  return {
    cores: {
      chunks: [Buffer.concat(cores)],
      chunkOf: null,
      from: at,
      to: at.map((from, i) => from + cores[i]!.length),
    },
    rows: Uint32Array.from(keys.keys()),
    names: packTexts(0, () => ''),
    named: new Uint32Array(),
    namedAt: new Uint32Array(keys.length + 1),
  }
}

/** Writes a `query.db`. */
export function buildQueryDb(path: string, texts: SearchTexts, words = wordSource(texts.sets)) {
  writeWords(path, words)
  return writeEntries(path, texts)
}

/** Returns non-empty queries: substrings of texts in any case, and strings without a match. */
export function sampleQueries(sets: readonly TextSet[], count: number): string[] {
  const random = seeded(5)
  const texts = sets
    .flatMap(({ keys, labels, spellings = [] }) => [
      ...keys,
      ...labels,
      ...spellings.flatMap((all) => all.split('\u001f')),
    ])
    .filter((text) => text.length > 0)
  const part = () => {
    const characters = [...texts[Math.floor(random() * texts.length)]!]
    const from = Math.floor(random() * characters.length)
    const some = characters.slice(from, from + 1 + Math.floor(random() * random() * 30)).join('')
    return random() < 0.3 ? some.toUpperCase() : random() < 0.5 ? some.toLowerCase() : some
  }
  return [...WORDS, 'CVE-', 'cve-20', 'e-20', ' ', '  ', '\u00ff', 'zzzz', ...Array.from({ length: count }, part)]
}

type FoldedTexts = [key: string, label: string, ...spellings: string[]]

const folded = new WeakMap<TextSet, FoldedTexts[]>()

/** Returns key, label and spellings of each entry, folded once. */
function foldedTexts(set: TextSet): FoldedTexts[] {
  let texts = folded.get(set)
  if (!texts) {
    texts = set.keys.map((key, i) => {
      const spellings = (set.spellings?.[i] ?? '').split('\u001f').slice(1)
      return [fold(key), fold(set.labels[i]!), ...spellings.map(fold)]
    })
    folded.set(set, texts)
  }
  return texts
}

/** Returns the ordinals of entries with `q` in key, label or a spelling. */
export function plainMatches(set: TextSet, q: string): number[] {
  const wanted = fold(q)
  return foldedTexts(set).flatMap((texts, i) => (texts.some((text) => text.includes(wanted)) ? [i] : []))
}

const wordsOf = (q: string): string[] => fold(q).split(/\s+/u).filter(Boolean)

/** Returns the ordinals of entries with each word of `q` in key, label or a spelling. */
function plainSearch(set: TextSet, q: string): number[] {
  const words = wordsOf(q)
  return foldedTexts(set).flatMap((texts, i) =>
    words.every((word) => texts.some((text) => text.includes(word))) ? [i] : [],
  )
}

/** Returns the rank by rule 28: exact id, prefix of id or label, word start, elsewhere. */
function plainRank(set: TextSet, ordinal: number, q: string): Rank {
  const wanted = fold(q).trim()
  const texts = foldedTexts(set)[ordinal]!
  if (texts[0] === wanted) return 0
  const [first, ...others] = wordsOf(q)
  const startsWords = (words: readonly string[]) => words.every((word) => texts.some((text) => startsWord(text, word)))
  if (startsWords(others) && texts.slice(0, 2).some((text) => text.startsWith(first!))) return 1
  return startsWords([first!, ...others]) ? 2 : 3
}

interface Match {
  ordinal: number
  rank: Rank
}

/** Returns the results of a type: entries, or CVEs with the best rank of the CVE and its advisories. */
export function plainResults(set: TextSet, advisories: AdvisoryIds | null, q: string): Match[] {
  const ranks = new Map<number, Rank>()
  for (const ordinal of plainSearch(set, q)) ranks.set(ordinal, plainRank(set, ordinal, q))
  if (advisories !== null && isAdvisoryId(q)) {
    for (const [i, id] of advisories.ids.entries()) {
      if (!fold(id).startsWith(fold(q))) continue
      const cve = advisories.cves[i]!
      ranks.set(cve, Math.min(fold(id) === fold(q) ? 0 : 1, ranks.get(cve) ?? 3) as Rank)
    }
  }
  return Array.from(ranks, ([ordinal, rank]) => ({ ordinal, rank }))
}

function startsWord(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (!/[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, at))) return true
  }
  return false
}

/** Returns results by rank, then precedence, then ordinal. */
export function bestFirst(set: TextSet, results: readonly Match[]): Match[] {
  return results
    .map((one) => ({ ...one, last: set.first?.[one.ordinal] === 1 ? 0 : 1 }))
    .sort((a, b) => a.rank - b.rank || a.last - b.last || a.ordinal - b.ordinal)
    .map(({ ordinal, rank }) => ({ ordinal, rank }))
}
