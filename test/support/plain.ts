/** The rules of lists in plain JavaScript, implemented again: rules 4 (bounds), 5 (text), 6 (order), 27 (names). */
import type { Order, Value } from './combinations.ts'

export type Key = number | string | null

/** Returns text as searches and sorts compare it: lower case, final sigma as sigma. */
export const lower = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Compares by code points: the order of UTF-8. */
export const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Compares part by part, numbers as numbers: `CVE-2024-10000` after `CVE-2024-9999`, and `CWE-79` after `CWE-7`. */
export function byNumbers(a: string, b: string): number {
  const [x, y] = [a.match(/\d+/g) ?? [], b.match(/\d+/g) ?? []]
  for (const [i, part] of x.entries()) {
    const [n, m] = [BigInt(part), BigInt(y[i]!)]
    if (n !== m) return n < m ? -1 : 1
  }
  return 0
}

/** Returns an order by rule 6: the key, then the id, both in the requested direction; nulls last in both directions. */
export function orderBy<Row>(
  sort: string | null,
  key: (row: Row) => Key,
  byId: (a: Row, b: Row) => number,
  { descending = false, tiesAscend = false }: { descending?: boolean; tiesAscend?: boolean } = {},
): Order<Row> {
  return {
    sort,
    compare(a, b) {
      const [x, y] = [key(a), key(b)]
      const sign = descending ? -1 : 1
      if (x === null || y === null) {
        if (x !== y) return x === null ? 1 : -1
      } else if (x !== y) {
        return sign * (typeof x === 'string' ? byText(x, String(y)) : x - Number(y))
      }
      return (tiesAscend ? 1 : sign) * byId(a, b)
    },
  }
}

/** Returns every sort in both directions. */
export function ordersBy<Row>(
  sorts: Record<string, (row: Row) => Key>,
  byId: (a: Row, b: Row) => number,
): Order<Row>[] {
  return Object.entries(sorts).flatMap(([sort, key]) => [
    orderBy(sort, key, byId),
    orderBy(`-${sort}`, key, byId, { descending: true }),
  ])
}

/** Returns what the spellings of one vendor or product have in common, without the table of aliases (rule 27). */
export function joinedName(key: string): string {
  const word = String.raw`\p{L}\p{M}\p{N}+#`
  const dotted = key.replace(new RegExp(`(?<=[0-9])[^${word}]+(?=[0-9])`, 'gu'), '.')
  const joined = dotted.replace(new RegExp(`[^${word}.]|(?<![0-9])[.]|[.](?![0-9])`, 'gu'), '')
  return joined === '' ? key : joined
}

/** Returns the key of a vendor, product or CNA name (rule 27); null for a placeholder such as `n/a`. */
export function keyOfName(name: string | null): string | null {
  const key = name?.trim().toLowerCase().replace(/\s+/g, '_') ?? ''
  return key === '' || key === 'n/a' || key === '*' ? null : key
}

/** Returns a value of a filter that compares lower-cased texts for equality. */
export const equals = <Row>(text: string, of: (row: Row) => string | null): Value<Row> => ({
  text: encodeURIComponent(text),
  passes: (row) => {
    const value = of(row)
    return value !== null && lower(value) === lower(text)
  },
})

export const contains = <Row>(text: string, of: (row: Row) => (string | null)[]): Value<Row> => ({
  text: encodeURIComponent(text),
  passes: (row) => of(row).some((one) => one !== null && lower(one).includes(lower(text))),
})

export const both = <Row>(of: (row: Row) => boolean): Value<Row>[] => [
  { text: 'true', passes: of },
  { text: 'false', passes: (row) => !of(row) },
]

type TimeOf<Row> = (row: Row) => string | null
const DAY = /^\d{4}-\d\d-\d\d$/

/** Returns a bound on a time (rule 4). A day includes the whole day; an instant is compared exactly. */
function bound<Row>(text: string, of: TimeOf<Row>, isWithin: (time: number, bound: number) => boolean): Value<Row> {
  const toDay = (time: string) => Date.parse(time.slice(0, 10))
  const read = DAY.test(text) ? toDay : Date.parse
  return {
    text: encodeURIComponent(text),
    passes: (row) => {
      const time = of(row)
      return time !== null && isWithin(read(time), read(text))
    },
  }
}

export const since = <Row>(text: string, of: TimeOf<Row>) => bound(text, of, (time, least) => time >= least)
export const until = <Row>(text: string, of: TimeOf<Row>) => bound(text, of, (time, most) => time <= most)

/** Returns texts of bounds around a time that rows have: equal, a millisecond before and after, and its day. */
export function around(time: string): { on: string; before: string; after: string; day: string } {
  const ms = Date.parse(time)
  const at = (shift: number) => new Date(ms + shift).toISOString()
  return { on: at(0), before: at(-1), after: at(1), day: time.slice(0, 10) }
}

/** Returns the item at a fraction of a sorted list. */
export const at = <T>(list: readonly T[], part: number): T =>
  list[Math.min(list.length - 1, Math.floor(list.length * part))]!

/** Returns values from the most to the least frequent, ties by code points, without nulls. */
export function byFrequency(values: Iterable<string | null>): string[] {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([a, x], [b, y]) => y - x || byText(a, b)).map(([value]) => value)
}

/**
 * Rule 28: 0 for an exact id, 1 for the prefix of id or label, 2 for the start of a word, 3 elsewhere, null nowhere. A
 * spelling starts a word. With several words, all match; the first may be a prefix, and the others decide too.
 */
export function rankOf(
  { key, label, spellings = [] }: { key: string; label: string; spellings?: readonly string[] | undefined },
  q: string,
): number | null {
  const [needle, id, name, ...others] = [q, key, label, ...spellings].map(lower) as [string, string, string]
  const texts = [id, name, ...others]
  const words = needle.split(/\s+/u).filter(Boolean)
  if (!words.every((word) => texts.some((text) => text.includes(word)))) return null
  if (id === needle) return 0
  const begin = (some: readonly string[]) => some.every((word) => texts.some((text) => beginsWord(text, word)))
  if (!begin(words.slice(1))) return 3
  if (id.startsWith(words[0]!) || name.startsWith(words[0]!)) return 1
  return begin(words) ? 2 : 3
}

/** Rule 28: the rank of an id of an advisory, of which a query has the form: 0 for the id, 1 for its beginning. */
export function advisoryRank(id: string, q: string): number | null {
  if (!isAdvisoryId(q) || !lower(id).startsWith(lower(q))) return null
  return lower(id) === lower(q) ? 0 : 1
}

/** Rule 28: whether a text is the beginning of an advisory's id: `GHSA-x`, or a prefix and, after a hyphen, a digit. */
export function isAdvisoryId(q: string): boolean {
  const [prefix = '', rest = ''] = [q.split('-')[0], q.slice(q.indexOf('-') + 1)]
  if (!q.includes('-') || !/^[\w:.-]*$/.test(q)) return false
  if (prefix.toLowerCase() === 'ghsa') return /^[0-9a-z-]+$/i.test(rest)
  return /^[a-z][a-z0-9]+$/i.test(prefix) && rest.split('-').some((part) => /^\d/.test(part))
}

/** Whether `needle` follows a character that is no letter, mark or digit. */
function beginsWord(text: string, needle: string): boolean {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    if (!/[\p{L}\p{M}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))) return true
  }
  return false
}
