/** Parses the options of reader lists into the same filters and canonical form as the API's parameters. */

import { nameKey } from '../model/affected/products.ts'
import { type CveId, parseCveId } from '../model/ids/cve-id.ts'
import { PACKAGE_FORM, splitPackage } from '../model/packages/name.ts'
import { packageKey } from '../model/packages/package-advisory.ts'
import { RECORD_TAGS, type RecordTag, type Severity } from '../model/record.ts'
import { memberOf } from '../model/values/closed-set.ts'
import { DATE_BOUND_FORM, type DateBound, parseDateBound } from '../model/values/date-bound.ts'
import { ECOSYSTEMS } from '../model/versions/ecosystems.ts'
import {
  CVE_SORTS,
  type CveFilters,
  type CveSort,
  canonicalFilters,
  DEFAULT_SEARCH_TYPES,
  PRODUCT_FORM,
  readProduct,
  readVendor,
  SEARCH_TYPES,
  SEVERITIES,
  type SearchType,
  VENDOR_FORM,
} from '../snapshot/index.ts'
import { type ChangesQuery, SNAPSHOT_CHOICE_FORM, type SnapshotChoice, snapshotDigits } from './changes.ts'

/** The filters of `/cves`, of `/cwes/{cweId}/cves` and of `/cnas/{slug}/cves`, combined with AND. */
export interface CveFilterOptions {
  /** Part of the id or title, in any case: 1 to 200 characters. */
  q?: string | undefined
  severity?: Severity | readonly Severity[] | undefined
  kev?: boolean | undefined
  has_exploit?: boolean | undefined
  /** False selects CVEs for which no source states a patch. */
  has_patch?: boolean | undefined
  has_detection?: boolean | undefined
  /** Only CVEs whose CNA states this tag. */
  tag?: RecordTag | undefined
  /** Short name of a CNA, in any case. */
  assigner?: string | undefined
  /** Key of a CNA, as in `/cnas/{slug}/cves`. It matches every assigner with this key. */
  cna?: string | undefined
  /** `79`, `CWE-79` or `cwe-79`. */
  cwe?: string | number | undefined
  /** `primary`: `cwe` is the primary weakness. `any`: some source maps the CVE to it. */
  scope?: 'primary' | 'any' | undefined
  /** Key or name of a vendor, in any case. */
  vendor?: string | undefined
  /** `<vendor>/<product>`, the keys or names of both, in any case. `%2F` is a slash within a key. */
  product?: string | undefined
  /** `<ecosystem>/<name>`, the ecosystem in any case, without a release. */
  package?: string | undefined
  epss_min?: number | undefined
  /** Inclusive. A day includes all of its hours. */
  published_since?: string | Date | undefined
  published_until?: string | Date | undefined
  updated_since?: string | Date | undefined
  ids?: readonly string[] | undefined
}

export interface CveWalkOptions extends CveFilterOptions {
  /** Default: `-published`. */
  sort?: CveSort | `-${CveSort}` | undefined
}

export interface CveListOptions extends CveWalkOptions {
  /** 1 to 100. Default: 25, or the number of `ids`. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, from a reader or a gateway, with the same filters and sort. */
  cursor?: string | undefined
}

/** A parsed walk. */
export interface CveWalkQuery {
  sort: { key: CveSort; descending: boolean }
  filters: CveFilters
}

export interface CveListQuery extends CveWalkQuery {
  limit: number
  cursor: string | undefined
}

export const LIMIT_DEFAULT = 25
export const LIMIT_MAX = 100

/** The parser of an option. `read` returns null for invalid values; `form` completes "must be …". */
export interface Option<T> {
  read(value: unknown): T | null
  form: string
}

const boolean: Option<boolean> = {
  read: (value) => (typeof value === 'boolean' ? value : null),
  form: 'true or false',
}
const nameOf = <T>(read: (value: string) => T | null, form: string): Option<T> => ({
  read: (value) => (typeof value === 'string' && value !== '' ? read(value) : null),
  form,
})
export const text = nameOf((value) => value, 'a string that is not empty')
const PART_MAX = 200
export const part = (min: number): Option<string> => ({
  read(value) {
    const trimmed = typeof value === 'string' ? value.trim() : ''
    const { length } = [...trimmed]
    return length >= min && length <= PART_MAX ? trimmed : null
  },
  form: `a text of ${min} to ${PART_MAX} characters`,
})
export const date: Option<DateBound> = {
  read(value) {
    if (typeof value === 'string') return parseDateBound(value)
    return value instanceof Date && Number.isFinite(value.getTime()) ? { kind: 'instant', ms: value.getTime() } : null
  },
  form: `${DATE_BOUND_FORM} or a Date`,
}
const readMember = <M extends string>(members: readonly M[], value: unknown): M | null =>
  typeof value === 'string' ? memberOf(members, value) : null
/** The severities without repeats, highest first, as filters expect them. */
const severity: Option<Severity[]> = {
  read(value) {
    const given = new Set((Array.isArray(value) ? value : [value]).map((one) => readMember(SEVERITIES, one)))
    return given.size === 0 || given.has(null) ? null : SEVERITIES.toReversed().filter((band) => given.has(band))
  },
  form: `one or more of ${SEVERITIES.toReversed().join(', ')}`,
}
/** Returns the id of a catalog entry in lower case; null for another form than `79`, `CWE-79` or `cwe-79`. */
export function readCatalogId(catalog: 'CWE' | 'CAPEC', text: string): string | null {
  const lower = catalog.toLowerCase()
  const digits = new RegExp(`^(?:${catalog}-|${lower}-)?(0|[1-9]\\d{0,18})$`).exec(text)?.[1]
  return digits === undefined ? null : `${lower}-${digits}`
}
const cwe: Option<string> = {
  read: (value) => readCatalogId('CWE', String(value)),
  form: 'of the form 79, CWE-79 or cwe-79',
}
const ids: Option<CveId[]> = {
  read(value) {
    if (!Array.isArray(value) || value.length === 0) return null
    const read = value.map((one) => (typeof one === 'string' ? parseCveId(one) : null))
    return read.includes(null) ? null : [...new Set(read as CveId[])]
  },
  form: 'one or more CVE ids such as CVE-2024-3400',
}
export const oneOf = <const M extends string>(members: readonly M[]): Option<M> => ({
  read: (value) => readMember(members, value),
  form: `one of ${members.join(', ')}`,
})
export const numberFrom = (min: number, max: number, whole: boolean): Option<number> => ({
  read(value) {
    const isNumber = typeof value === 'number' && value >= min && value <= max
    return isNumber && (!whole || Number.isInteger(value)) ? value : null
  },
  form: `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`,
})

/** Returns the key of a package. The snapshot decides whether it knows an ecosystem that the schema does not have. */
function readPackage(value: string): string | null {
  const named = splitPackage(value)
  if (named === null || named.ecosystem.includes(':')) return null
  return packageKey(memberOf(ECOSYSTEMS, named.ecosystem) ?? named.ecosystem, named.name)
}

const FILTERS = {
  q: part(1),
  severity,
  kev: boolean,
  has_exploit: boolean,
  has_patch: boolean,
  has_detection: boolean,
  tag: oneOf(RECORD_TAGS),
  assigner: text,
  cna: text,
  cwe,
  scope: oneOf(['primary', 'any']),
  vendor: nameOf(readVendor, VENDOR_FORM),
  product: nameOf(readProduct, PRODUCT_FORM),
  package: nameOf(readPackage, `${PACKAGE_FORM}, the ecosystem without a release`),
  epss_min: numberFrom(0, 1, false),
  published_since: date,
  published_until: date,
  updated_since: date,
  ids,
} as const satisfies Record<keyof CveFilterOptions, Option<unknown>>

const WALK = {
  ...FILTERS,
  sort: oneOf(CVE_SORTS.flatMap((key) => [key, `-${key}`] as const)),
} as const satisfies Record<keyof CveWalkOptions, Option<unknown>>

const LIST = {
  ...WALK,
  limit: numberFrom(1, LIMIT_MAX, true),
  cursor: text,
} as const satisfies Record<keyof CveListOptions, Option<unknown>>

type Values<Options> = { [Name in keyof Options]?: Options[Name] extends Option<infer T> ? T : never }

const searchTypes: Option<SearchType[]> = {
  read(value) {
    if (!Array.isArray(value) || value.length === 0) return null
    const given = value.map((one) => readMember(SEARCH_TYPES, one))
    return given.includes(null) ? null : (given as SearchType[])
  },
  form: `one or more of ${SEARCH_TYPES.join(', ')}`,
}
const searchOptions = (most: number) =>
  ({ q: part(2), types: searchTypes, limit: numberFrom(1, most, true) }) as const satisfies Record<
    string,
    Option<unknown>
  >
const SEARCH = searchOptions(25)
const SUGGEST = searchOptions(15)

export interface SearchOptions {
  /** Types of results. Default: all except `package`. */
  types?: readonly SearchType[] | undefined
  /** `search` takes the results per type: 1 to 25, default 5. `suggest` takes the suggestions: 1 to 15, default 8. */
  limit?: number | undefined
}

export interface ChangesOptions {
  /** Changes per page, 1 to 100. Default: 25. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, from a reader or a gateway, with the same options. */
  cursor?: string | undefined
  /** The later snapshot, in the forms of `since`. Default: the current one. */
  until?: string | Date | undefined
}

export interface SnapshotsOptions {
  /** Maximum number of rows. Default: all. */
  limit?: number | undefined
}

const snapshot: Option<SnapshotChoice> = {
  read: (value) => (typeof value === 'string' ? snapshotDigits(value) : null) ?? date.read(value),
  form: SNAPSHOT_CHOICE_FORM,
}

const CHANGES = { since: snapshot, until: snapshot, limit: numberFrom(1, LIMIT_MAX, true), cursor: text } as const

/**
 * Parses the arguments of `changes`.
 * @throws TypeError that names the option
 */
export function readChanges(given: string | Date, options: ChangesOptions): ChangesQuery {
  assertKnown(['limit', 'cursor', 'until'], options)
  const { since, until, limit = LIMIT_DEFAULT, cursor } = valuesOf(CHANGES, { ...options, since: given })
  if (since === undefined) throw new TypeError(`argument 'since' is missing; it must be ${SNAPSHOT_CHOICE_FORM}`)
  return { since, until, limit, cursor }
}

/**
 * Parses the options of `snapshots`.
 * @throws TypeError that names the option
 */
export function readSnapshots(options: SnapshotsOptions): number {
  const known = { limit: numberFrom(1, Number.MAX_SAFE_INTEGER, true) }
  return valuesOf(known, options).limit ?? Number.POSITIVE_INFINITY
}

interface SearchQuery {
  q: string
  types: readonly SearchType[]
  limit: number
}

/**
 * Parses the arguments of `search`.
 * @throws TypeError that names the option
 */
export const readSearch = (q: string, options: SearchOptions): SearchQuery => searchQuery(SEARCH, 5, q, options)

/**
 * Parses the arguments of `suggest`.
 * @throws TypeError that names the option
 */
export const readSuggest = (q: string, options: SearchOptions): SearchQuery => searchQuery(SUGGEST, 8, q, options)

function searchQuery(known: typeof SEARCH, most: number, q: string, options: SearchOptions): SearchQuery {
  assertKnown(['types', 'limit'], options)
  const { types = DEFAULT_SEARCH_TYPES, limit = most } = valuesOf(known, { ...options, q })
  return { q: q.trim(), types, limit }
}

/**
 * Parses the options of `walk`.
 * @throws TypeError that names the option
 */
export function readWalk(options: CveWalkOptions): CveWalkQuery {
  return queryOf(valuesOf(WALK, options))
}

/**
 * Parses the options of `list`.
 * @throws TypeError that names the option
 */
export function readList(options: CveListOptions): CveListQuery {
  const values = valuesOf(LIST, options)
  const { limit = Math.min(values.ids?.length ?? LIMIT_DEFAULT, LIMIT_MAX), cursor } = values
  return { ...queryOf(values), limit, cursor }
}

function queryOf({ sort = '-published', cna, scope, ...given }: Values<typeof WALK>): CveWalkQuery {
  const filters = canonicalFilters(given)
  if (scope !== undefined) {
    if (!filters.cwe) throw new TypeError("option 'scope' requires option 'cwe'; add it")
    filters.cwe.scope = scope
  }
  // Filters that `/cves` does not have come last, so that cursors without them equal those of `/cves`.
  if (cna !== undefined) filters.cna = nameKey(cna) ?? cna
  const descending = sort.startsWith('-')
  return { sort: { key: (descending ? sort.slice(1) : sort) as CveSort, descending }, filters }
}

/**
 * Parses options.
 * @throws TypeError that names the option
 */
export function valuesOf<O extends Readonly<Record<string, Option<unknown>>>>(known: O, options: object): Values<O> {
  assertKnown(Object.keys(known), options)
  const values: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const option = known[name]!
    values[name] = option.read(value)
    if (values[name] !== null) continue
    throw new TypeError(`option '${name}' must be ${option.form}, not ${JSON.stringify(value)}`)
  }
  // Each value has the type of its option's `read`.
  return values as Values<O>
}

/**
 * Rejects unknown options, so that a misspelled option is not ignored.
 * @throws TypeError
 */
export function assertKnown(known: readonly string[], options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options must be an object with ${known.join(', ')}, not ${JSON.stringify(options)}`)
  }
  const name = Object.keys(options).find((one) => !known.includes(one))
  if (name !== undefined) throw unknown(name, known)
}

/**
 * Checks the address and the options of `openReader`.
 * @throws TypeError
 */
export function assertOptions(
  address: unknown,
  known: readonly string[],
  options: { keys?: unknown; onProgress?: unknown },
): void {
  assertKnown(known, options)
  if (options.keys !== undefined && !Array.isArray(options.keys)) {
    throw new TypeError("option 'keys' must be public keys that `readKeySetFile` returned")
  }
  if (options.onProgress !== undefined && typeof options.onProgress !== 'function') {
    throw new TypeError("option 'onProgress' must be a function")
  }
  if (address === undefined || address === '')
    throw new TypeError('the address of the repository is missing; pass a URL or a path')
}

function unknown(name: string, known: readonly string[]): TypeError {
  return new TypeError(`unknown option '${name}'; known options are ${known.join(', ')}`)
}
