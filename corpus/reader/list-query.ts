/** Parses the options of the lists other than CVEs into the same filters as the API's parameters. */

import {
  ACTIVITY_STATUSES,
  CAPEC_SEVERITIES,
  CWE_ABSTRACTIONS,
  CWE_LIKELIHOODS,
  EXPLOIT_SOURCES,
  GRADES,
} from '../model/closed-values.ts'
import { memberOf } from '../model/values/closed-set.ts'
import { baseEcosystem, canonicalEcosystem, knownEcosystems } from '../model/versions/ecosystems.ts'
import {
  defaultOrder,
  LIST_NAMES,
  type ListFilters,
  type ListName,
  type ListParameters,
  listFilters,
  type SortOrder,
  sortKeys,
} from '../snapshot/index.ts'
import { date, LIMIT_DEFAULT, LIMIT_MAX, numberFrom, type Option, oneOf, part, text, valuesOf } from './query.ts'

interface PageOptions {
  /** 1 to 100. Default: 25. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, from a reader or a gateway, with the same filters and sort. */
  cursor?: string | undefined
}

interface Searched {
  /** Part of the names, in any case: 1 to 200 characters. */
  q?: string | undefined
}

interface SortOption<Key extends string> {
  /** With `-`, descending. */
  sort?: Key | `-${Key}` | undefined
}

/** The options of each list: its filters and sorts in the API. Names are in any case. */
export interface ListOptions {
  cwes: PageOptions &
    Searched &
    SortOption<'cves' | 'id' | 'name'> & {
      abstraction?: (typeof CWE_ABSTRACTIONS)[number] | undefined
      status?: string | undefined
      likelihood?: (typeof CWE_LIKELIHOODS)[number] | undefined
    }
  capecs: PageOptions &
    Searched &
    SortOption<'id' | 'name' | 'severity'> & {
      status?: string | undefined
      severity?: (typeof CAPEC_SEVERITIES)[number] | undefined
    }
  cnas: PageOptions &
    Searched &
    SortOption<'cves' | 'name' | 'completeness'> & {
      grade?: (typeof GRADES)[number] | undefined
      activity_status?: (typeof ACTIVITY_STATUSES)[number] | undefined
    }
  vendors: PageOptions & Searched & SortOption<'cves' | 'name'>
  /** `vendor` is a name or key. */
  products: PageOptions & Searched & { vendor?: string | undefined }
  exploits: PageOptions &
    SortOption<'published'> & {
      source?: (typeof EXPLOIT_SOURCES)[number] | undefined
      platform?: string | undefined
      /** Inclusive. A day includes all of its hours. */
      published_since?: string | Date | undefined
      published_until?: string | Date | undefined
    }
  /** The ecosystem without a release. */
  packages: PageOptions & Searched & { ecosystem?: string | undefined }
}

/** A parsed request for a page. */
export interface ListQuery {
  list: ListName
  sort: SortOrder
  filters: ListFilters
  limit: number
  cursor: string | undefined
}

const q = part(1)

const FILTERS: { [Name in ListName]: { [Filter in keyof ListParameters[Name]]-?: Option<unknown> } } = {
  cwes: { q, abstraction: oneOf(CWE_ABSTRACTIONS), status: text, likelihood: oneOf(CWE_LIKELIHOODS) },
  capecs: { q, status: text, severity: oneOf(CAPEC_SEVERITIES) },
  cnas: { q, grade: oneOf(GRADES), activity_status: oneOf(ACTIVITY_STATUSES) },
  vendors: { q },
  products: { q, vendor: text },
  exploits: { source: oneOf(EXPLOIT_SOURCES), platform: text, published_since: date, published_until: date },
  packages: { q, ecosystem: text },
}

const PAGE = { limit: numberFrom(1, LIMIT_MAX, true), cursor: text }

/**
 * Parses the options of a list. `ecosystems` are those of the snapshot.
 * @throws TypeError that names the option
 */
export function readListOptions(list: ListName, options: object, ecosystems: readonly string[]): ListQuery {
  assertList(list)
  const keys = sortKeys(list)
  const sorts = keys.length === 0 ? {} : { sort: oneOf(keys.flatMap((key) => [key, `-${key}`])) }
  const values = valuesOf<Record<string, Option<unknown>>>({ ...FILTERS[list], ...sorts, ...PAGE }, options)
  const {
    sort,
    limit = LIMIT_DEFAULT,
    cursor,
    ...parameters
  } = values as {
    sort?: string
    limit?: number
    cursor?: string
    ecosystem?: string
  }
  if (parameters.ecosystem !== undefined) {
    parameters.ecosystem = knownEcosystem("option 'ecosystem'", parameters.ecosystem, ecosystems)
  }
  const order = sort === undefined ? defaultOrder(list) : { key: sort.replace('-', ''), descending: sort[0] === '-' }
  return { list, sort: order, filters: listFilters(list, parameters), limit, cursor }
}

/** @throws TypeError */
export function assertList(list: unknown): asserts list is ListName {
  if (LIST_NAMES.includes(list as ListName)) return
  throw new TypeError(`unknown list ${JSON.stringify(list)}; known lists are ${LIST_NAMES.join(', ')}`)
}

/**
 * Returns an ecosystem without a release, in canonical form.
 * @throws TypeError
 */
export function knownEcosystem(what: string, text: string, ecosystems: readonly string[]): string {
  const canonical = canonicalEcosystem(text, ecosystems)
  if (canonical !== null && baseEcosystem(text) === text) return canonical
  const known = knownEcosystems(ecosystems).join(', ')
  throw new TypeError(`${what} has an unknown ecosystem '${text}'; known ones are ${known}`)
}

/** Returns the name of a source of exploit modules; null for an unknown one. */
export const readExploitSource = (text: string) => memberOf(EXPLOIT_SOURCES, text)
