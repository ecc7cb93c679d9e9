/**
 * Tests every filter of a list, alone and in all pairs, against plain JavaScript. The expected rows are all rows,
 * filtered and sorted by gateway/API.md and rules 4 to 8, without the gateway's planner.
 */
import type { ServedFrom } from '../../corpus/answers/answer.ts'

/** Returns the body of a page and its source, for a path and a query as clients write them. */
export type Ask = (path: string, query: string) => Promise<{ text: string; servedFrom: ServedFrom }>

/** A value of a filter: its text in a query string, and the rows that match it. */
export interface Value<Row> {
  text: string
  passes(row: Row): boolean
}

export interface Order<Row> {
  /** The `sort` parameter; null for a list without one. */
  sort: string | null
  compare(a: Row, b: Row): number
}

export interface ListCase<Row> {
  path: string
  /** Parameters of every query: `scope=any`. */
  fixed?: string
  /** The members of an answer before `data`. */
  head?: object
  rows: readonly Row[]
  orders: readonly Order<Row>[]
  filters: Readonly<Record<string, readonly Value<Row>[]>>
  /** The filter that the list requires; without it, the list answers 400. */
  required?: string
  /** False if the list has only one page. */
  paged?: boolean
}

interface Combination<Row> {
  values: [name: string, value: Value<Row>][]
  order: Order<Row>
}

/**
 * Returns the combinations: no filter and each value alone, in every order. Then all pairs of two filters with all
 * pairs of their values. The order changes from pair to pair, so that every pair of filters meets every order.
 */
export function combinationsOf<Row>({ filters, orders, required }: ListCase<Row>): Combination<Row>[] {
  const names = Object.keys(filters)
  const all: Combination<Row>[] = orders.map((order) => ({ values: [], order }))
  for (const name of names) {
    for (const value of filters[name]!) for (const order of orders) all.push({ values: [[name, value]], order })
  }
  for (const [at, first] of names.entries()) {
    for (const second of names.slice(at + 1)) {
      const [some, others] = [filters[first]!, filters[second]!]
      for (let turn = 0; turn < pairings(some.length, others.length, orders.length); turn++) {
        const value = some[turn % some.length]!
        const other = others[Math.floor(turn / some.length) % others.length]!
        const order = orders[turn % orders.length]!
        const values: Combination<Row>['values'] = [
          [first, value],
          [second, other],
        ]
        all.push({ values, order })
      }
    }
  }
  return required === undefined ? all : all.filter(({ values }) => values.some(([name]) => name === required))
}

/**
 * Returns no filter in every order, and each value alone, or with a value of the required filter. The order changes from
 * value to value.
 */
export function singlesOf<Row>({ filters, orders, required }: ListCase<Row>): Combination<Row>[] {
  const least: Combination<Row>['values'] = required === undefined ? [] : [[required, filters[required]![0]!]]
  const alone = Object.entries(filters).flatMap(([name, values]) =>
    values.map((value, i): Combination<Row> => {
      return { values: [...(name === required ? [] : least), [name, value]], order: orders[i % orders.length]! }
    }),
  )
  return [...orders.map((order) => ({ values: least, order })), ...alone]
}

const pairings = (some: number, others: number, orders: number) => Math.max(some * others, orders)

export interface Outcome {
  /** Combinations that were tested, each with two limits. */
  ran: number
  /** Combinations that match some rows, and those that match some but not all. */
  withRows: number
  choosing: number
  /** The names of the filters and the sort of each, `kev+severity -cvss`. */
  covered: Set<string>
}

/**
 * Walks every combination, or those given, with a limit that gives several pages, and with the maximum limit. Compares
 * all rows. `mostPages` bounds each walk of a long list.
 * @throws Error that names the first query with wrong rows
 */
export async function expectCombinations<Row>(
  ask: Ask,
  list: ListCase<Row>,
  {
    mostPages = Number.POSITIVE_INFINITY,
    combinations = combinationsOf(list),
  }: { mostPages?: number; combinations?: Combination<Row>[] } = {},
): Promise<Outcome> {
  const texts = new Map(list.rows.map((row) => [row, JSON.stringify(row)]))
  const sorted = new Map(list.orders.map((order) => [order, list.rows.toSorted(order.compare)]))
  const outcome: Outcome = { ran: 0, withRows: 0, choosing: 0, covered: new Set() }
  for (const { values, order } of combinations) {
    const expected = sorted.get(order)!.filter((row) => values.every(([, { passes }]) => passes(row)))
    const parameters = values.map(([name, { text }]) => `${name}=${text}`)
    if (order.sort !== null) parameters.push(`sort=${order.sort}`)
    if (list.fixed !== undefined) parameters.push(list.fixed)
    const from: ServedFrom[] = values.some(([name]) => name === 'q' || name === 'text')
      ? ['sqlite']
      : ['merge', 'shard']
    for (const limit of [severalPages(expected.length), 100]) {
      await expectWalk(ask, list, {
        query: [...parameters, `limit=${limit}`].join('&'),
        limit,
        expected,
        texts,
        from,
        mostPages,
      })
    }
    outcome.ran++
    if (expected.length > 0) outcome.withRows++
    if (expected.length > 0 && expected.length < list.rows.length) outcome.choosing++
    outcome.covered.add(`${values.map(([name]) => name).join('+')} ${order.sort}`)
  }
  return outcome
}

const severalPages = (rows: number) => Math.min(Math.max(1, Math.ceil(rows / 3)), 64)

interface Walk<Row> {
  query: string
  limit: number
  expected: readonly Row[]
  texts: ReadonlyMap<Row, string>
  from: readonly ServedFrom[]
  mostPages: number
}

interface Page {
  data: unknown[]
  pagination: { limit: number; next_cursor: string | null }
}

async function expectWalk<Row>(ask: Ask, list: ListCase<Row>, walk: Walk<Row>): Promise<void> {
  const { query, limit, expected, texts, from, mostPages } = walk
  let cursor: string | null = null
  for (let page = 0; page < mostPages; page++) {
    const asked: string = cursor === null ? query : `${query}&cursor=${cursor}`
    const { text, servedFrom } = await ask(list.path, asked)
    const wrong = (what: string) => new Error(`${list.path}?${query}, page ${page + 1}: ${what}`)
    const { data, pagination, ...head } = JSON.parse(text) as Page
    const wanted = expected.slice(page * limit, (page + 1) * limit)
    const wantedTexts = wanted.map((row) => texts.get(row)!)
    if (JSON.stringify(data) !== `[${wantedTexts.join(',')}]`) throw wrong(difference(data, wantedTexts))
    if (JSON.stringify(head) !== JSON.stringify(list.head ?? {})) throw wrong(`headed ${JSON.stringify(head)}`)
    if (pagination.limit !== limit) throw wrong(`limit ${pagination.limit} was answered`)
    if (!from.includes(servedFrom)) throw wrong(`served from ${servedFrom}`)
    cursor = pagination.next_cursor
    const more = (list.paged ?? true) && (page + 1) * limit < expected.length
    if ((cursor !== null) !== more)
      throw wrong(more ? 'the walk ends too soon' : 'the walk goes on behind the last row')
    if (cursor === null) return
  }
}

function difference(data: readonly unknown[], wanted: readonly string[]): string {
  const given = data.map((row) => JSON.stringify(row))
  const at = wanted.findIndex((text, i) => text !== given[i])
  const position = at < 0 ? wanted.length : at
  const shown = (text: string | undefined) => text?.slice(0, 600) ?? 'nothing'
  return `${given.length} rows, not ${wanted.length}; row ${position} is ${shown(given[position])}, not ${shown(wanted[position])}`
}
