/** The measured kinds of requests, also used by mixes: the request, and the expected form of its answer. */
import { STORED_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { anywhereIn, type Catalog, LIST } from './catalog.ts'
import { type Body, headerOf } from './client.ts'
import * as filters from './filter-requests.ts'
import type { LoadRequest } from './load.ts'
import * as packages from './package-requests.ts'
import { SEARCH_TEXTS } from './search-texts.ts'

export type Draw = () => LoadRequest

export interface RequestKind {
  title: string
  /** @throws Error if the snapshot is too small for this kind */
  draw(catalog: Catalog): Promise<Draw> | Draw
  /** Returns whether a body is as requested; a 304 has none. */
  fits(body: Body, target: string): boolean
  status?: 304
}

const SECTIONS = ['cvss', 'epss', 'affected', 'references', 'exploits', 'evidence', 'timeline', 'analysis', 'guidance']
const PARTS = [...SECTIONS, 'reports']
/** Number of answers with a known tag for conditional requests. */
const TAGGED = 2000

const hasRows = (count: number) => (body: Body) => body.data?.length === count
const isPage = (body: Body) => Array.isArray(body.data)
const isRecord = (body: Body, target: string) => target.includes(body.cve_id ?? '?')

const targets = (draw: () => string): Draw => {
  return () => ({ target: draw() })
}
const detail = (query: string | (({ random }: Catalog) => string)): RequestKind['draw'] => {
  return (catalog) => targets(() => `${LIST}/${catalog.id()}${typeof query === 'string' ? query : query(catalog)}`)
}
const page = (limit: number): RequestKind['draw'] => {
  return async (catalog) => targets(await anywhereIn(catalog, { sort: 'published', query: '', limit, aligned: true }))
}
const drawn = (
  title: string,
  make: (catalog: Catalog) => Promise<() => string> | (() => string),
  fits: RequestKind['fits'] = isPage,
): RequestKind => ({ title, draw: async (catalog) => targets(await make(catalog)), fits })

/** Draws requests with a random sort. */
const anySort = (descending: boolean, aligned: boolean): RequestKind['draw'] => {
  return async (catalog) => {
    const walks = STORED_SORTS.map((sort) => ({
      sort,
      descending,
      query: `sort=${descending ? '-' : ''}${sort}`,
      limit: 25,
    }))
    const draws = await Promise.all(walks.map((walk) => anywhereIn(catalog, { ...walk, aligned })))
    return targets(() => catalog.random.pick(draws)())
  }
}

/** Requests of another kind, each with the tag of its answer. */
const unchanged = (title: string, kind: RequestKind['draw']): RequestKind => ({
  title: `${title}, If-None-Match: 304`,
  fits: () => true,
  status: 304,
  async draw(catalog) {
    const { client, random, snapshot } = catalog
    const draw = await kind(catalog)
    const tagged: LoadRequest[] = []
    for (let i = 0; i < Math.min(TAGGED, snapshot.index.count); i++) {
      const request = draw()
      const tag = headerOf(await client.receive(request, 'gzip'), 'etag')
      tagged.push({ ...request, headers: [`If-None-Match: ${tag}`] })
    }
    return () => random.pick(tagged)
  },
})

const searching = (path: string): RequestKind['draw'] => {
  return ({ random }) => targets(() => `/api/v1/${path}${encodeURIComponent(random.pick(SEARCH_TEXTS))}`)
}

const LIST_PAGES = [
  'cwes',
  'cwes?abstraction=Base&sort=name',
  'capecs',
  'capecs?sort=-severity',
  'vendors',
  'cnas',
  'exploits',
]

export const REQUEST_KINDS = {
  page25: { title: 'page, limit 25, deep cursors', draw: page(25), fits: hasRows(25) },
  page100: { title: 'page, limit 100, deep cursors', draw: page(100), fits: hasRows(100) },
  detail: { title: 'detail, default include', draw: detail(''), fits: isRecord },
  'detail-all': { title: 'detail, every section', draw: detail(`?include=${SECTIONS}`), fits: isRecord },
  'detail-any': {
    title: 'detail, any sections',
    draw: detail(({ random }) => `?include=${SECTIONS.filter(() => random.chance(0.4))}`),
    fits: isRecord,
  },
  part: { title: 'one part of a CVE', draw: detail(({ random }) => `/${random.pick(PARTS)}`), fits: isRecord },
  'epss-history': { title: 'EPSS history of a CVE', draw: detail('/epss/history'), fits: isRecord },
  'any-sort': { title: 'any sort, from any row, limit 25', draw: anySort(true, false), fits: hasRows(25) },
  ascending: { title: 'ascending walk in any sort, limit 25', draw: anySort(false, true), fits: hasRows(25) },
  critical: drawn('severity=critical&has_patch=true&sort=-cvss, deep cursors', filters.critical, hasRows(25)),
  kev: drawn('kev=true&sort=-epss, deep cursors', filters.kev, hasRows(25)),
  narrow: drawn('assigner and half a year of publication', filters.narrow),
  weakness: drawn('CVEs of any weakness, scope=any, any sort', filters.weakness),
  combined: drawn('one to four filters at random, any sort', filters.combined),
  nothing: drawn('three filters without a match', filters.nothing, hasRows(0)),
  affected: drawn('advisories that affect a version of any package', packages.affected),
  'affected-popular': drawn('advisories that affect a version of a package with many', packages.affectedPopular),
  advisory: drawn('advisory, as published', packages.advisory, ({ id }, target) =>
    target.endsWith(`/${encodeURIComponent(id ?? '?')}`),
  ),
  batch: drawn('50 CVEs by their ids', filters.batch, hasRows(50)),
  'unchanged-page': unchanged('page, limit 25', page(25)),
  'unchanged-detail': unchanged('detail', detail('')),
  lists: {
    title: 'first pages of the catalogs',
    draw: ({ random }) => targets(() => `/api/v1/${random.pick(LIST_PAGES)}`),
    fits: isPage,
  },
  q: { title: 'CVEs by a text', draw: searching('cves?q='), fits: isPage },
  search: { title: 'search', draw: searching('search?q='), fits: ({ results }) => results !== undefined },
  suggest: {
    title: 'suggestions',
    draw: searching('search/suggest?q='),
    fits: ({ suggestions }) => suggestions !== undefined,
  },
} satisfies Record<string, RequestKind>

export type KindName = keyof typeof REQUEST_KINDS

export const kindOf = (name: KindName): RequestKind => REQUEST_KINDS[name]
