/** What is measured: each line is a kind of request, prepared as many different ones before the measuring begins. */
import { Random } from '../../../corpus/sample/random.ts'
import type { Body, Client } from './client.ts'

export interface Line {
  name: string
  title: string
  /** Least share of the polka server's requests/s (DESIGN, "Budgets"). */
  budget: number
  targets(catalogue: Catalogue): Promise<string[]>
  /** Whether a body is what this line asks for. */
  fits(body: Body, target: string): boolean
}

/** What requests are made from: rows spread over the whole catalogue, and the gateway to ask for more. */
export interface Catalogue {
  client: Client
  rows: NonNullable<Body['data']>
  random: Random
}

const LIST = '/api/v1/cves'
const DAY_MS = 86_400_000
const ROWS_WANTED = 5000
/** Different requests of a line, as far as the catalogue has them. */
const TARGETS_WANTED = 4000
const ALL_SECTIONS = 'cvss,epss,affected,references,exploits,evidence,timeline,analysis'

/** Follows the cursors of a list to its end, or for `most` pages. */
async function* pages(client: Client, query: string, most: number): AsyncGenerator<{ body: Body; cursor: string }> {
  let cursor: string | null = ''
  for (let page = 0; page < most && cursor !== null; page++) {
    const body: Body = await client.body(`${LIST}?${query}${cursor && `&cursor=${cursor}`}`)
    cursor = body.pagination?.next_cursor ?? null
    if (cursor !== null) yield { body, cursor }
  }
}

export async function readCatalogue(client: Client): Promise<Catalogue> {
  const random = new Random('bench')
  const rows: Catalogue['rows'] = []
  for await (const { body } of pages(client, 'limit=100', TARGETS_WANTED)) rows.push(...(body.data ?? []))
  return { client, rows: shuffled(rows, random).slice(0, ROWS_WANTED), random }
}

/** Requests that go on from cursors everywhere in a list, `step` rows apart, where `limit` rows follow at least. */
async function fromCursors({ client, random }: Catalogue, query: string, limit: number, step: number) {
  const cursors: string[] = []
  for await (const { cursor } of pages(client, `${query}limit=${step}`, TARGETS_WANTED)) cursors.push(cursor)
  const full = cursors.slice(0, -Math.ceil(limit / step))
  return shuffled(full, random).map((cursor) => `${LIST}?${query}limit=${limit}&cursor=${cursor}`)
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const out = [...items]
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.int(i + 1)
    ;[out[i], out[j]] = [out[j]!, out[i]!]
  }
  return out
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** For each of many rows a query that it, and not much else, passes. */
function narrowQueries({ rows }: Catalogue): string[] {
  return rows.flatMap(({ assigner, date_published }) => {
    if (assigner === null || date_published === null) return []
    const published = Date.parse(date_published)
    const [since, until] = [published - 90 * DAY_MS, published + 90 * DAY_MS].map(dayOf)
    return [`assigner=${encodeURIComponent(assigner)}&published_since=${since}&published_until=${until}`]
  })
}

/** Filters that each let something through and together nothing. */
async function emptyQueries({ client, random }: Catalogue): Promise<string[]> {
  const queries = Array.from({ length: 200 }, () => {
    return `severity=none&kev=true&has_patch=${random.chance(0.5)}&epss_min=${random.float().toFixed(4)}&sort=-epss`
  })
  const empty: string[] = []
  for (const query of queries) if ((await client.body(`${LIST}?${query}`)).data?.length === 0) empty.push(query)
  return empty
}

const hasRows = (count: number) => (body: Body) => body.data?.length === count
const isRecord = (body: Body, target: string) => target.includes(body.cve_id ?? '?')

export const LINES: readonly Line[] = [
  {
    name: 'page25',
    title: 'page, limit 25, deep cursors',
    budget: 0.7,
    targets: (catalogue) => fromCursors(catalogue, '', 25, 25),
    fits: hasRows(25),
  },
  {
    name: 'page100',
    title: 'page, limit 100, deep cursors',
    budget: 0.7,
    targets: (catalogue) => fromCursors(catalogue, '', 100, 100),
    fits: hasRows(100),
  },
  {
    name: 'detail',
    title: 'detail, default include',
    budget: 0.7,
    targets: async ({ rows }) => rows.map(({ cve_id }) => `${LIST}/${cve_id}`),
    fits: isRecord,
  },
  {
    name: 'detail-all',
    title: 'detail, every section',
    budget: 0.7,
    targets: async ({ rows }) => rows.map(({ cve_id }) => `${LIST}/${cve_id}?include=${ALL_SECTIONS}`),
    fits: isRecord,
  },
  {
    name: 'critical',
    title: 'severity=critical&has_patch=true&sort=-cvss',
    budget: 0.35,
    targets: (catalogue) => fromCursors(catalogue, 'severity=critical&has_patch=true&sort=-cvss&', 25, 5),
    fits: hasRows(25),
  },
  {
    name: 'kev',
    title: 'kev=true&sort=-epss',
    budget: 0.35,
    targets: (catalogue) => fromCursors(catalogue, 'kev=true&sort=-epss&', 25, 1),
    fits: hasRows(25),
  },
  {
    name: 'narrow',
    title: 'assigner and half a year of publication',
    budget: 0.35,
    targets: async (catalogue) => narrowQueries(catalogue).map((query) => `${LIST}?${query}`),
    fits: (body) => (body.data?.length ?? 0) > 0,
  },
  {
    name: 'nothing',
    title: 'three filters that nothing passes',
    budget: 0.35,
    targets: async (catalogue) => (await emptyQueries(catalogue)).map((query) => `${LIST}?${query}`),
    fits: hasRows(0),
  },
]
