/** The measured kinds of requests, also used by mixes: the request, and the expected form of its answer. */
import { CVE_SORTS } from '../../../corpus/snapshot/cursor/order.ts'
import { anywhereIn, type Catalog, LIST } from './catalog.ts'
import { type Body, headerOf } from './client.ts'
import * as filters from './filter-requests.ts'
import type { LoadRequest } from './load.ts'
import * as packages from './package-requests.ts'
import { drawText, SEARCH_TEXTS } from './search-texts.ts'

export type Draw = () => LoadRequest

export interface RequestKind {
  title: string
  /** @throws Error if the snapshot is too small for this kind */
  draw(catalog: Catalog): Promise<Draw> | Draw
  /** Returns whether a body is as requested; a 304 has none. */
  fits(body: Body, target: string): boolean
  status?: 304
}

const SECTIONS = ['cvss', 'epss', 'affected', 'references', 'exploits', 'evidence', 'timeline', 'analysis']
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
const filtered = (make: (catalog: Catalog) => Promise<() => string> | (() => string)): RequestKind['draw'] => {
  return async (catalog) => targets(await make(catalog))
}

/** Draws requests with a random sort. */
const anySort = (descending: boolean, aligned: boolean): RequestKind['draw'] => {
  return async (catalog) => {
    const walks = CVE_SORTS.map((sort) => ({
      sort,
      descending,
      query: `sort=${descending ? '-' : ''}${sort}`,
      limit: 25,
    }))
    const draws = await Promise.all(walks.map((walk) => anywhereIn(catalog, { ...walk, aligned })))
    return targets(() => catalog.random.pick(draws)())
  }
}

/** Draws requests of another kind, each with the tag of its answer. */
const unchanged = (kind: RequestKind['draw']): RequestKind['draw'] => {
  return async (catalog) => {
    const { client, random, snapshot } = catalog
    const draw = await kind(catalog)
    const tagged: LoadRequest[] = []
    const most = Math.min(TAGGED, snapshot.index.count)
    for (let i = 0; i < most; i++) {
      const request = draw()
      const tag = headerOf(await client.receive(request, 'gzip'), 'etag')
      tagged.push({ ...request, headers: [`If-None-Match: ${tag}`] })
    }
    return () => random.pick(tagged)
  }
}

const searching = (path: string): RequestKind['draw'] => {
  return ({ random }) => targets(() => `/api/v1/${path}${encodeURIComponent(drawText(SEARCH_TEXTS, random))}`)
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
  'any-sort': { title: 'any sort, from any row, limit 25', draw: anySort(true, false), fits: hasRows(25) },
  ascending: { title: 'ascending walk in any sort, limit 25', draw: anySort(false, true), fits: hasRows(25) },
  critical: {
    title: 'severity=critical&has_patch=true&sort=-cvss, deep cursors',
    draw: filtered(filters.critical),
    fits: hasRows(25),
  },
  kev: { title: 'kev=true&sort=-epss, deep cursors', draw: filtered(filters.kev), fits: hasRows(25) },
  narrow: { title: 'assigner and half a year of publication', draw: filtered(filters.narrow), fits: isPage },
  weakness: { title: 'CVEs of any weakness, scope=any, any sort', draw: filtered(filters.weakness), fits: isPage },
  combined: { title: 'one to four filters at random, any sort', draw: filtered(filters.combined), fits: isPage },
  nothing: { title: 'three filters that nothing passes', draw: filtered(filters.nothing), fits: hasRows(0) },
  affected: {
    title: 'advisories that affect a version of any package',
    draw: filtered(packages.affected),
    fits: isPage,
  },
  'affected-popular': {
    title: 'advisories that affect a version of a package with many',
    draw: filtered(packages.affectedPopular),
    fits: isPage,
  },
  advisory: {
    title: 'advisory, as published',
    draw: filtered(packages.advisory),
    fits: ({ id }, target) => target.endsWith(`/${encodeURIComponent(id ?? '?')}`),
  },
  batch: { title: '50 CVEs by their ids', draw: filtered(filters.batch), fits: hasRows(50) },
  'unchanged-page': {
    title: 'page, limit 25, If-None-Match: 304',
    draw: unchanged(page(25)),
    fits: () => true,
    status: 304,
  },
  'unchanged-detail': {
    title: 'detail, If-None-Match: 304',
    draw: unchanged(detail('')),
    fits: () => true,
    status: 304,
  },
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

export const isKindName = (name: string): name is KindName => Object.hasOwn(REQUEST_KINDS, name)
export const kindOf = (name: KindName): RequestKind => REQUEST_KINDS[name]

/** The statuses of a correct answer: a conditional request gets a 200 after a swap of snapshots. */
export const RIGHT_STATUSES = [200, 304] as const
