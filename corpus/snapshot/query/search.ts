/**
 * The SQL of all searches in `query.db`, for gateways and readers. A search is a generator of statements, so that one that
 * waits for a file, or for its turn, is not a matter of its logic. SPEC.md, "Query"; rules 5 and 28.
 */
import { isAdvisoryIdStart } from '../../model/packages/advisory-id.ts'
import { MAX_ENTRIES } from '../bounds.ts'
import { SnapshotError } from '../error.ts'
import type { IndexName } from './schema.ts'
import { SEARCH_TYPES, type SearchedText, type SearchType, TEXT_SETS } from './sets.ts'
import { type Anchor, LEADS, needleOf, readShown, searchable, wordsMatch } from './tokens.ts'

export interface Statement {
  sql: string
  values: (string | number)[]
  /** Whether it can have many rows. */
  isLong: boolean
}

export type StatementRow = readonly unknown[]

/** A search yields a statement for its rows, or other searches for their results. */
export type Search<T> = Generator<Statement | readonly Search<unknown>[], T, unknown>

export type Rank = 0 | 1 | 2 | 3

/** A search result. The rank of a match is 0 for the key, then 1 at the beginning, 2 at a word, 3 elsewhere (rule 28). */
export interface Hit {
  type: SearchType
  rank: Rank
  id: string
  /** The key that searches match: of a product its slug. */
  key: string
  label: string
  subtitle: string
}

export interface SearchResult {
  /** Matching entries per type; 0 for types not requested. */
  counts: Record<SearchType, number>
  /** Per type, best first; empty for types not requested. */
  hits: Record<SearchType, Hit[]>
}

/** Some of the first matches: those behind the ordinal `after`, or before it in descending order. */
export interface MatchRange {
  limit: number
  /** Null for the first ones. */
  after: number | null
  isDescending: boolean
}

/** The largest `limit` of a search and of suggestions (API 7.2, 7.3). */
export const MAX_HITS = 25

/** Entries that match have all of these. */
interface Condition {
  index: IndexName
  /** Expression of FTS5; null if the index has nothing to exclude entries with. */
  match: string | null
  /** Stored texts of entries contain these, in addition to `match`. */
  checks: readonly string[]
  /** Stored texts of entries contain these, without `match`; null for the words of CVEs. */
  texts: readonly string[] | null
  /** Whether many entries may match, so that some are among the first ones. */
  isBroad: boolean
}

/** From one number of an entry to another, both included. */
interface Span {
  from: number
  to: number
}

/** Words of one search that use the index: each makes SQLite collect the entries of all tokens that begin with it. */
const MOST_INDEXED_WORDS = 4
/** Many tokens begin with three letters, and shorter beginnings have lists of their own. So these are only looked for in the index if few words are longer. */
const COSTLY_LENGTH = 3
const COSTLY_WORDS = 2
/** Letters of a word for which the index is sooner than the texts. `package_index` has no lists of beginnings. */
const leastIndexed = (index: IndexName): number => (index === 'package_index' ? 2 : 1)

const firstOf = (set: SearchedText): number => (TEXT_SETS.indexOf(set === 'words' ? 'cve' : set) + 1) * MAX_ENTRIES

/** Returns the number of an entry in `query.db`. */
export const entryNumber = (set: SearchedText, ordinal: number): number => firstOf(set) + ordinal

/** Returns the index of a set. */
export function indexOf(set: SearchedText): IndexName {
  if (set === 'words') return set
  return set === 'cve' || set === 'package' ? `${set}_index` : 'name_index'
}

/** Returns the condition for all words, of which the first is at `first`, and the others are at `others`. */
function conditionOf(set: SearchedText, words: readonly string[], first: Anchor, others: Anchor): Condition {
  const needles = words.map((word, i) => needleOf(word, i === 0 ? first : others, words.length > 1))
  const indexed = needles
    .filter(({ match, length }) => match !== null && length >= leastIndexed(indexOf(set)))
    .sort((a, b) => b.length - a.length)
    .filter(({ length }, i) => i < COSTLY_WORDS || (i < MOST_INDEXED_WORDS && length !== COSTLY_LENGTH))
  const checks = needles.filter((needle) => !needle.isExact || !indexed.includes(needle))
  return {
    index: indexOf(set),
    match: indexed.length > 0 ? indexed.map(({ match }) => match).join(' AND ') : null,
    checks: checks.map(({ text }) => text),
    texts: needles.map(({ text }) => text),
    isBroad: first === 'anywhere',
  }
}

function textCondition(set: SearchedText, q: string): Condition {
  if (set === 'words') return { index: 'words', match: wordsMatch(q), checks: [], texts: null, isBroad: false }
  const text = searchable(q)
  if (text !== '') return conditionOf(set, [text], 'anywhere', 'anywhere')
  return { index: indexOf(set), match: null, checks: [], texts: [], isBroad: false }
}

function* rowsOf(sql: string, values: (string | number)[], isLong = false): Search<StatementRow[]> {
  return (yield { sql, values, isLong }) as StatementRow[]
}

function* together<T>(searches: readonly Search<T>[]): Search<T[]> {
  return (yield searches) as T[]
}

/** FROM and WHERE of some entries, the column of their number, and the values. */
interface EntriesWhere {
  column: string
  tables: string
  where: string
  values: (string | number)[]
}

/** Returns the entries of a span that match. */
function entriesWhere(
  { index, match, checks }: Condition,
  { from, to }: Span,
  withTexts = checks.length > 0,
): EntriesWhere {
  const checked = checks.map(() => ' AND instr(text, ?)').join('')
  if (match === null) {
    const where = `n BETWEEN ? AND ?${checked}`
    return { column: 'n', tables: 'entries', where, values: [from, to, ...checks] }
  }
  const column = `${index}.rowid`
  return {
    column,
    // A CROSS JOIN looks for the entries of the index, not for the matches of each entry.
    tables: withTexts ? `${index} CROSS JOIN entries ON n = ${column}` : index,
    where: `${index} MATCH ? AND ${column} BETWEEN ? AND ?${checked}`,
    values: [match, from, to, ...checks],
  }
}

function* numbers(condition: Condition, span: Span, limit: number | null, isDescending = false): Search<number[]> {
  const { column, tables, where, values } = entriesWhere(condition, span)
  const order = `ORDER BY ${column}${isDescending ? ' DESC' : ''}`
  const limited = limit === null ? [] : [limit]
  const sql = `SELECT ${column} FROM ${tables} WHERE ${where} ${order}${limit === null ? '' : ' LIMIT ?'}`
  const rows = yield* rowsOf(sql, [...values, ...limited], limit === null)
  return rows.map(([n]) => n as number)
}

function* countIn(condition: Condition, span: Span): Search<number> {
  const { tables, where, values } = entriesWhere(condition, span)
  const [row] = yield* rowsOf(`SELECT count(*) FROM ${tables} WHERE ${where}`, values)
  return row![0] as number
}

/** Counts entries, and ranks them as `rankIn` does. Returns the numbers of the best. */
function* ranking(
  { column, tables, where, values }: EntriesWhere,
  { whole, words }: SearchQuery,
  limit: number,
): Search<{ count: number; best: number[] }> {
  const [first, ...others] = words
  const rest = others.map((word) => needleOf(word, 'word').text)
  const ranks = [
    [needleOf(whole, 'key').text],
    [needleOf(first!, 'beginning').text, ...rest],
    [needleOf(first!, 'word').text, ...rest],
  ]
  const cases = ranks.map((texts, rank) => `WHEN ${texts.map(() => 'instr(text, ?)').join(' AND ')} THEN ${rank}`)
  const rows = yield* rowsOf(
    `WITH found AS MATERIALIZED (SELECT ${column} AS n, leads, CASE ${cases.join(' ')} ELSE 3 END AS rank FROM ${tables} WHERE ${where}) SELECT n, (SELECT count(*) FROM found) FROM found ORDER BY rank, leads DESC, n LIMIT ?`,
    [...ranks.flat(), ...values, limit],
  )
  return { count: Number(rows[0]?.[1] ?? 0), best: rows.map(([n]) => n as number) }
}

/** Parts of a span, in the order of its numbers or in the opposite one. */
function* windows({ from, to }: Span, size: number, isDescending: boolean): Generator<Span> {
  const count = Math.ceil((to - from + 1) / size)
  for (let i = 0; i < count; i++) {
    const start = from + (isDescending ? count - 1 - i : i) * size
    yield { from: start, to: Math.min(start + size - 1, to) }
  }
}

export interface Searches {
  /** Returns the ordinals of all entries of `set` with `q` in key or label, or of CVEs with all words, ascending. */
  matches(set: SearchedText, q: string): Search<Uint32Array>
  /** Returns the ordinals of the first matches in a range. */
  firstMatches(set: SearchedText, q: string, range: MatchRange): Search<Uint32Array>
  /** Returns the number of matches. */
  countMatches(set: SearchedText, q: string): Search<number>
  /** Returns the `limit` best entries, at most 25, and the number of matches for each of `types`. */
  search(types: readonly SearchType[], q: string, limit: number): Search<SearchResult>
  /**
   * Returns the `limit` best entries, at most 25, of all `types` together, by rank. Within a rank types alternate, so
   * that none crowds out the others; then in order of `SEARCH_TYPES`.
   */
  suggest(types: readonly SearchType[], q: string, limit: number): Search<Hit[]>
}

/** The costs of reads: a file on a disk and one on a web server differ. */
export interface SearchCosts {
  /** Texts to read before the index: entries with a frequent text are among the first ones. */
  readFirst: number
  /** Matches that are all ranked, instead of several statements by rank. */
  rankAll: number
  /** Entries that one statement reads. */
  rowsAtOnce: number
  /** Entries whose texts one statement compares. */
  window: number
  /** Whether it costs more to collect the tokens with a prefix again than to compare all texts in one statement. */
  isPrefixCostly: boolean
}

/** For a file on this machine. */
export const LOCAL_COSTS: SearchCosts = {
  readFirst: 512,
  rankAll: 4000,
  rowsAtOnce: 250,
  window: 2 ** 16,
  isPrefixCostly: true,
}

/** The number of entries of each set. */
export type TextCounts = Partial<Record<SearchedText, number>>

/** Opens the searches of a database. Counts that are not given are read. */
export function openSearches(costs: SearchCosts, counts: TextCounts = {}): Searches {
  const { readFirst, rankAll, rowsAtOnce, window, isPrefixCostly } = costs
  const spans = new Map(
    Object.entries(counts).map(([set, count]): [string, Span] => {
      const from = firstOf(set as SearchedText)
      return [set, { from, to: from + count - 1 }]
    }),
  )

  function* spanOf(set: SearchedText): Search<Span> {
    const known = spans.get(set)
    if (known) return known
    const from = firstOf(set)
    const [row] = yield* rowsOf('SELECT max(n) FROM entries WHERE n BETWEEN ? AND ?', [from, from + MAX_ENTRIES - 1])
    const span = { from, to: (row![0] as number | null) ?? from - 1 }
    spans.set(set, span)
    return span
  }

  /** Whether one statement is enough: it does not compare the texts of all entries. */
  const isOne = ({ match, checks }: Condition): boolean =>
    match !== null && (checks.length === 0 || (isPrefixCostly && (match.includes('*') || match === LEADING)))

  /** Parts that each have a statement. */
  const partsOf = (condition: Condition, span: Span, isDescending = false): Iterable<Span> =>
    isOne(condition) ? [span] : windows(span, window, isDescending)

  function* countOf(set: SearchedText, condition: Condition): Search<number> {
    let sum = 0
    for (const part of partsOf(condition, yield* spanOf(set))) sum += yield* countIn(condition, part)
    return sum
  }

  function* first(condition: Condition, span: Span, limit: number, isDescending = false): Search<number[]> {
    const found: number[] = []
    let rest = span
    const { match, texts, isBroad } = condition
    if (match !== null && texts !== null && isBroad && readFirst > 0) {
      const reading = isDescending
        ? { from: Math.max(span.from, span.to - readFirst + 1), to: span.to }
        : { from: span.from, to: Math.min(span.to, span.from + readFirst - 1) }
      found.push(...(yield* numbers({ ...condition, match: null, checks: texts }, reading, limit, isDescending)))
      rest = isDescending ? { ...span, to: reading.from - 1 } : { ...span, from: reading.to + 1 }
    }
    for (const part of partsOf(condition, rest, isDescending)) {
      if (found.length === limit || part.from > part.to) break
      found.push(...(yield* numbers(condition, part, limit - found.length, isDescending)))
    }
    return found
  }

  const atMost = (limit: number): number => Math.max(limit, rankAll)

  /** Returns all matches of `types`, whose sets share an index; null if they are many, or take several statements. */
  function* sharedMatches(
    types: readonly SearchType[],
    { words }: SearchQuery,
    limit: number,
  ): Search<number[] | null> {
    if (types.length < 2) return null
    const condition = conditionOf(types[0]!, words, 'anywhere', 'anywhere')
    if (!isOne(condition)) return null
    const spans = yield* together(types.map(spanOf))
    const span = { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) }
    const found = yield* numbers(condition, span, atMost(limit) + 1)
    return found.length > atMost(limit) ? null : found
  }

  /** Returns the `limit` best entries, and the number of all that match if `isCounted`. `all` may include other types. */
  function* best(type: SearchType, { query, limit, isCounted }: Wanted, all: number[] | null): Search<Best> {
    const span = yield* spanOf(type)
    const anywhere = conditionOf(type, query.words, 'anywhere', 'anywhere')
    // The number of matches takes the comparison of each text anyway.
    if (!all && isCounted && anywhere.checks.length > 0) return yield* bestOfCompared(type, query, anywhere, limit)
    const some = all
      ? all.filter((n) => n >= span.from && n <= span.to)
      : yield* first({ ...anywhere, isBroad: false }, span, atMost(limit) + 1)
    const count = some.length
    if (count <= limit) return { count, ranked: yield* entriesOf(type, some, query) }
    if (count <= atMost(limit)) {
      const where = 'n IN (SELECT value FROM json_each(?))'
      const ranked = yield* ranking(
        { column: 'n', tables: 'entries', where, values: [JSON.stringify(some)] },
        query,
        limit,
      )
      if (ranked.count < count) throw unproven()
      return { count, ranked: yield* entriesOf(type, ranked.best, query) }
    }
    const [counted, ranked] = (yield* together<unknown>([
      isCounted ? countOf(type, anywhere) : none(),
      bestOfMany(type, query, anywhere, limit),
    ])) as [number, Ranked[]]
    return { count: counted, ranked }
  }

  /** Compares each text once, both to count and to rank. */
  function* bestOfCompared(type: SearchType, query: SearchQuery, anywhere: Condition, limit: number): Search<Best> {
    const found: number[] = []
    let sum = 0
    for (const part of partsOf(anywhere, yield* spanOf(type))) {
      const { count, best } = yield* ranking(entriesWhere(anywhere, part, true), query, limit)
      sum += count
      found.push(...best)
    }
    return { count: sum, ranked: (yield* entriesOf(type, found, query)).slice(0, limit) }
  }

  /** Only entries that precede others of their rank. They are few, so that their texts are soon compared. */
  function leadingOf(condition: Condition): Condition {
    const { match, texts } = condition
    const isCompared = match === null || isPrefixCostly
    return isCompared
      ? { ...condition, match: LEADING, checks: texts ?? [], isBroad: false }
      : { ...condition, match: `${LEADING} AND ${match}`, isBroad: false }
  }

  /** Searches by rank, because few of the entries that match are the best. */
  function* bestOfMany(type: SearchType, query: SearchQuery, anywhere: Condition, limit: number): Search<Ranked[]> {
    const { whole, words } = query
    const span = yield* spanOf(type)
    const found = new Set<number>()
    // No other text is the id of a CVE, and many titles are one word.
    const canBeKey = type !== 'cve' || CVE_ID.test(whole)
    const tiers = [
      canBeKey ? conditionOf(type, [whole], 'key', 'key') : null,
      conditionOf(type, words, 'beginning', 'word'),
      conditionOf(type, words, 'word', 'word'),
      anywhere,
    ]
    for (const [rank, tier] of tiers.entries()) {
      for (const isLeading of type === 'cve' && rank > 0 ? [true, false] : [false]) {
        if (tier === null || found.size >= limit) break
        // Those of a better rank are among them.
        const some = yield* first(isLeading ? leadingOf(tier) : tier, span, limit + found.size)
        for (const n of some) if (found.size < limit) found.add(n)
      }
    }
    return yield* entriesOf(type, [...found], query)
  }

  /** Reads entries, the best first. They must match, because nothing else proves the index. */
  function* entriesOf(type: SearchType, found: readonly number[], query: SearchQuery): Search<Ranked[]> {
    const reading = Array.from({ length: Math.ceil(found.length / rowsAtOnce) }, (_, i) =>
      rowsOf(
        'SELECT n, leads, text, id, key, label, subtitle FROM entries WHERE n IN (SELECT value FROM json_each(?))',
        [JSON.stringify(found.slice(i * rowsAtOnce, (i + 1) * rowsAtOnce))],
      ),
    )
    const rows = (yield* together(reading)).flat()
    if (rows.length < found.length) throw unproven()
    return rows.map((row) => rankedOf(type, rankIn(String(row[2]), query) ?? fail(unproven()), row)).sort(byRank)
  }

  /** Returns the best CVEs that advisories with an id that begins with `q` find. */
  function* bestOfAdvisories(q: string, limit: number): Search<Ranked[]> {
    const id = searchable(q)
    const rows = yield* rowsOf(
      `SELECT e.n, leads, text, e.id, key, label, subtitle, min(a.id <> ?) FROM ${ADVISORIES} GROUP BY e.n ORDER BY 8, 2 DESC, 1 LIMIT ?`,
      [id, ...range(id), limit],
    )
    return rows.map((row) => rankedOf('cve', row[7] as 0 | 1, row))
  }

  /** Returns how many CVEs only the ids of advisories find. */
  function* countOnlyAdvisories(q: string): Search<number> {
    const id = searchable(q)
    const [row] = yield* rowsOf(`SELECT count(DISTINCT e.n) FROM ${ADVISORIES} AND NOT instr(text, ?)`, [
      ...range(id),
      needleOf(id, 'anywhere').text,
    ])
    return row![0] as number
  }

  function* bestOfType(type: SearchType, wanted: Wanted, all: number[] | null): Search<Best> {
    const { q, limit, isCounted } = wanted
    if (type !== 'cve' || !isAdvisoryIdStart(q)) return yield* best(type, wanted, all)
    const [own, advisories, others] = (yield* together<unknown>([
      best(type, wanted, all),
      bestOfAdvisories(q, limit),
      isCounted ? countOnlyAdvisories(q) : none(),
    ])) as [Best, Ranked[], number]
    const found = new Map<number, Ranked>()
    for (const one of [...own.ranked, ...advisories].sort(byRank)) if (!found.has(one.n)) found.set(one.n, one)
    return { count: own.count + others, ranked: [...found.values()].slice(0, limit) }
  }

  function* bestOfTypes(types: readonly SearchType[], q: string, limit: number, isCounted: boolean): Search<Best[]> {
    const wanted: Wanted = { q, query: queryOf(q), limit: Math.min(limit, MAX_HITS), isCounted }
    const names = types.filter((type) => indexOf(type) === 'name_index')
    const shared = yield* sharedMatches(names, wanted.query, wanted.limit)
    return yield* together(types.map((type) => bestOfType(type, wanted, names.includes(type) ? shared : null)))
  }

  const requested = (types: readonly SearchType[]) => SEARCH_TYPES.filter((type) => types.includes(type))

  return {
    *matches(set, q) {
      const condition = textCondition(set, q)
      const span = yield* spanOf(set)
      const found: Uint32Array[] = []
      for (const part of partsOf(condition, span)) {
        const some = yield* numbers(condition, part, null)
        found.push(Uint32Array.from(some, (n) => n - span.from))
      }
      return joined(found)
    },
    *firstMatches(set, q, { limit, after, isDescending }) {
      const span = yield* spanOf(set)
      const rest = { ...span }
      if (after !== null && isDescending) rest.to = Math.min(span.to, span.from + after - 1)
      if (after !== null && !isDescending) rest.from += after + 1
      const some = rest.from > rest.to ? [] : yield* first(textCondition(set, q), rest, limit, isDescending)
      return Uint32Array.from(some, (n) => n - span.from)
    },
    *countMatches(set, q) {
      return yield* countOf(set, textCondition(set, q))
    },
    *search(types, q, limit) {
      const result: SearchResult = {
        counts: { vendor: 0, product: 0, cwe: 0, capec: 0, cna: 0, cve: 0, package: 0 },
        hits: { vendor: [], product: [], cwe: [], capec: [], cna: [], cve: [], package: [] },
      }
      const known = requested(types)
      const found = yield* bestOfTypes(known, q, limit, true)
      for (const [i, type] of known.entries()) {
        result.counts[type] = found[i]!.count
        result.hits[type] = found[i]!.ranked.map(({ hit }) => hit)
      }
      return result
    },
    *suggest(types, q, limit) {
      const best = yield* bestOfTypes(requested(types), q, limit, false)
      const found = best.flatMap(({ ranked }, order) => {
        const positions = [0, 0, 0, 0]
        return ranked.map(({ hit }) => ({ hit, order, position: positions[hit.rank]!++ }))
      })
      found.sort((a, b) => a.hit.rank - b.hit.rank || a.position - b.position || a.order - b.order)
      return found.slice(0, limit).map(({ hit }) => hit)
    },
  }
}

const LEADING = `"${LEADS}"`

/** A CVE id, folded. */
const CVE_ID = /^cve-\d{4}-\d{4,19}$/

/** The question to each type. */
interface Wanted {
  q: string
  query: SearchQuery
  limit: number
  isCounted: boolean
}

interface Best {
  /** Of all matches, or 0. */
  count: number
  ranked: Ranked[]
}

function* none(): Search<number> {
  return 0
}

/** Returns the rank of a stored text; null if it does not match. */
function rankIn(text: string, { whole, words }: SearchQuery): Rank | null {
  const has = (word: string, anchor: Anchor) => text.includes(needleOf(word, anchor).text)
  if (!words.every((word) => has(word, 'anywhere'))) return null
  if (has(whole, 'key')) return 0
  const [first, ...others] = words
  if (!others.every((word) => has(word, 'word'))) return 3
  return has(first!, 'beginning') ? 1 : has(first!, 'word') ? 2 : 3
}

const unproven = () => new SnapshotError('malformed', 'the index of query.db does not match its entries')

function fail(error: Error): never {
  throw error
}

interface Ranked {
  n: number
  leads: number
  hit: Hit
}

/** @throws SnapshotError `malformed` */
function rankedOf(type: SearchType, rank: Rank, [n, leads, , ...texts]: StatementRow): Ranked {
  const [id, shownKey, label, subtitle] = texts.slice(0, 4).map((text) => (text === null ? null : readShown(text)))
  const key = shownKey ?? id!
  return {
    n: Number(n),
    leads: Number(leads),
    hit: { type, rank, id: id!, key, label: (label ?? key) || id!, subtitle: subtitle! },
  }
}

const byRank = (a: Ranked, b: Ranked) => a.hit.rank - b.hit.rank || b.leads - a.leads || a.n - b.n

const ADVISORIES = 'advisories a CROSS JOIN entries e ON e.n = a.n WHERE a.id BETWEEN ? AND ?'
/** All ids that begin with this one. */
const range = (id: string): [string, string] => [id, `${id}\u{10ffff}`]

/** A query of a search. All words match. */
interface SearchQuery {
  whole: string
  words: readonly string[]
}

function queryOf(q: string): SearchQuery {
  const whole = searchable(q).trim()
  return { whole, words: [...new Set(whole.split(/\s+/u))] }
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0]!
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
