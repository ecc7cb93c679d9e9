/**
 * The list queries for the measurement of planning: every filter alone in every order, and all pairs and triples of
 * filters. Orders, limits and starts rotate.
 */
import type { Random } from '../../../corpus/sample/random.ts'
import { type CveSort, STORED_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import type { CveFilters } from '../../../corpus/snapshot/filter/filters.ts'

/** A CVE that gives values for parameters; all CVEs are equally likely. */
export interface SampledCve {
  id: string
  /** Folded. */
  assigner: string | null
  cwe: number | null
  epss: number | null
  /** Milliseconds since the epoch. */
  published: number | null
  updated: number | null
  cvss: number | null
}

export interface Parameters {
  random: Random
  /** Returns a random CVE of the corpus. */
  cve(): SampledCve
}

const BANDS = ['none', 'low', 'medium', 'high', 'critical'] as const
/** Typical size of a batch request. */
const IDS = 40
const DAY_MS = 86_400_000
const NEVER = 253_402_300_799_999

/** Each filter except `q`, and how to draw a value for it. */
export const FILTERS = {
  severity: ({ random }) => ({ severity: BANDS.filter((band) => band === 'high' || random.chance(0.3)) }),
  kev: ({ random }) => ({ kev: random.chance(0.5) }),
  has_exploit: ({ random }) => ({ has_exploit: random.chance(0.5) }),
  has_patch: ({ random }) => ({ has_patch: random.chance(0.5) }),
  has_detection: ({ random }) => ({ has_detection: random.chance(0.5) }),
  assigner: ({ cve }) => ({ assigner: cve().assigner ?? 'nobody' }),
  cwe: ({ cve }) => ({ cwe: { number: cve().cwe ?? 79, scope: 'primary' } }),
  epss_min: ({ cve }) => ({ epss_min: cve().epss ?? 0.5 }),
  published_since: ({ cve }) => ({ published_since: day(cve().published) }),
  published_until: ({ cve }) => ({ published_until: day(cve().published) + DAY_MS - 1 }),
  updated_since: ({ cve }) => ({ updated_since: day(cve().updated) }),
  ids: ({ cve }) => ({ ids: [...new Set(Array.from({ length: IDS }, () => cve().id as `CVE-${string}`))].sort() }),
} satisfies Record<string, (parameters: Parameters) => CveFilters>

export type FilterName = keyof typeof FILTERS
const NAMES = Object.keys(FILTERS) as FilterName[]

const day = (ms: number | null) => (ms === null ? 0 : ms - (ms % DAY_MS))

/** Filters without matches, each for another reason: a scan must still reach its end. */
export const EMPTY = {
  'a severity and a score that none has': () => ({ severity: ['none'], epss_min: 0.999999999, kev: true }),
  'an assigner that is none': () => ({ assigner: 'no such assigner' }),
  'a weakness that is none': () => ({ cwe: { number: 4_000_000, scope: 'primary' } }),
  'published after it was published': ({ cve }) => ({
    published_since: day(cve().published) + DAY_MS,
    published_until: day(cve().published) - 30_000 * DAY_MS,
  }),
  'updated in the future': () => ({ updated_since: NEVER, has_patch: true }),
} satisfies Record<string, (parameters: Parameters) => CveFilters>

/** Where a page begins in the matches: at the start, or after a random CVE. */
export type Start = 'first' | 'deep'

export interface ListQuery {
  /** `kev+severity -cvss limit=25 deep`. */
  name: string
  filters(parameters: Parameters): CveFilters
  sort: { key: CveSort; descending: boolean }
  limit: number
  start: Start
}

const ORDERS = STORED_SORTS.flatMap((key) => [true, false].map((descending) => ({ key, descending })))
const LIMITS = [1, 25, 100]
const STARTS: readonly Start[] = ['first', 'deep']

const together = (names: readonly FilterName[]) => (parameters: Parameters) =>
  Object.assign({}, ...names.map((name) => FILTERS[name](parameters))) as CveFilters

/**
 * Returns all queries of a round. There are eight orders, three limits and two starts: steps of 7 visit all 48
 * combinations before one repeats.
 */
export function listQueriesToPlan(): ListQuery[] {
  const shapes = ORDERS.flatMap((sort) => LIMITS.flatMap((limit) => STARTS.map((start) => ({ sort, limit, start }))))
  let turn = 0
  const nextShape = () => shapes[(turn++ * 7) % shapes.length]!
  const query = (title: string, filters: ListQuery['filters'], { sort, limit, start }: (typeof shapes)[number]) => ({
    name: `${title} ${sort.descending ? '-' : ''}${sort.key} limit=${limit} ${start}`,
    filters,
    sort,
    limit,
    start,
  })
  const chosen = (names: readonly FilterName[], shape = nextShape()) => query(names.join('+'), together(names), shape)

  const queries = shapes.map((shape) => query('everything', () => ({}), shape))
  for (const [at, first] of NAMES.entries()) {
    for (const [turn, sort] of ORDERS.entries()) {
      queries.push(chosen([first], { sort, limit: LIMITS[(at + turn) % 3]!, start: STARTS[(at + (turn >> 1)) % 2]! }))
    }
    for (const [next, second] of NAMES.slice(at + 1).entries()) {
      queries.push(chosen([first, second]), chosen([first, second]))
      for (const third of NAMES.slice(at + 2 + next)) queries.push(chosen([first, second, third]))
    }
  }
  for (const [title, filters] of Object.entries(EMPTY)) {
    for (const sort of ORDERS) queries.push(query(title, filters, { sort, limit: 25, start: 'first' }))
  }
  return queries
}
