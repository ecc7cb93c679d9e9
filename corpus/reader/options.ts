/** The options of a reader's methods, and how they become parameters of the API. */
import type {
  ACTIVITY_STATUSES,
  CAPEC_SEVERITIES,
  CWE_ABSTRACTIONS,
  CWE_LIKELIHOODS,
  EXPLOIT_SOURCES,
  GRADES,
} from '../model/closed-values.ts'
import type { RecordTag, Severity } from '../model/record.ts'
import { LIST_NAMES, type ListName, type SearchType, type Section, type StoredSort } from '../snapshot/index.ts'

type CveSort = StoredSort | 'epss_change'

export interface ReadOptions<S extends Section> {
  /** The sections in addition to the core. Default: `cvss` and `epss`. */
  include?: readonly S[] | undefined
}

/** The filters of `/cves`, combined with AND. */
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
  /** `79`, `CWE-79` or `cwe-79`. */
  cwe?: string | number | undefined
  /** Key or name of a vendor, in any case. */
  vendor?: string | undefined
  /** `<vendor>/<product>`, the keys or names of both, in any case. `%2F` is a slash within a key. */
  product?: string | undefined
  /** `<ecosystem>/<name>`, the ecosystem in any case, without a release. */
  package?: string | undefined
  epss_min?: number | undefined
  /** Not included. */
  epss_below?: number | undefined
  /** The least rise of the EPSS score over `epss_change_days`, -1 to 1. */
  epss_change_min?: number | undefined
  /** Default: 30. */
  epss_change_days?: 7 | 30 | undefined
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

export interface SearchOptions {
  /** Types of results. Default: all except `package`. */
  types?: readonly SearchType[] | undefined
  /** `search` takes the results per type: 1 to 25, default 5. `suggest` takes the suggestions: 1 to 15, default 8. */
  limit?: number | undefined
}

interface PageOptions {
  /** 1 to 100. Default: 25. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, from a reader or a gateway, with the same options. */
  cursor?: string | undefined
}

export interface ChangesOptions extends PageOptions {
  /** The later snapshot, in the forms of `since`. Default: the current one. */
  until?: string | Date | undefined
  /** `facts` adds the state of each CVE before and after the change, and the names in it. */
  include?: readonly 'facts'[] | undefined
}

export type SnapshotsOptions = PageOptions

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
  /** `vendor` is a name or key. Without it, `q` is required, and there is one page. */
  products: PageOptions & Searched & { vendor?: string | undefined }
  exploits: PageOptions &
    SortOption<'published'> & {
      source?: (typeof EXPLOIT_SOURCES)[number] | undefined
      platform?: string | undefined
      /** Inclusive. A day includes all of its hours. */
      published_since?: string | Date | undefined
      published_until?: string | Date | undefined
    }
  /** Names are in any case, vendors in any spelling. `due_since` is included, `due_before` is not. */
  kev: PageOptions &
    SortOption<'date_added' | 'due_date'> & {
      catalog?: string | undefined
      ransomware?: 'known' | 'unknown' | undefined
      vendor?: string | undefined
      added_since?: string | Date | undefined
      added_until?: string | Date | undefined
      due_since?: string | Date | undefined
      due_before?: string | Date | undefined
    }
  /** The ecosystem without a release, `prefix` as in `GHSA`. */
  advisories: PageOptions &
    SortOption<'published'> & {
      ecosystem?: string | undefined
      severity?: Severity | undefined
      prefix?: string | undefined
      malware?: boolean | undefined
      withdrawn?: boolean | undefined
      published_since?: string | Date | undefined
      published_until?: string | Date | undefined
      modified_since?: string | Date | undefined
    }
  rejected: PageOptions &
    SortOption<'date_rejected'> & {
      replaced?: boolean | undefined
      rejected_since?: string | Date | undefined
      rejected_until?: string | Date | undefined
    }
  /** The ecosystem without a release. */
  packages: PageOptions & Searched & { ecosystem?: string | undefined }
}

/** A package, with or without a version: a package URL, or the parts that it states. */
export type PackageQuestion =
  | string
  | { purl: string }
  | {
      /** In any case. A distribution takes its release: `Debian:12`. */
      ecosystem: string
      /** In any spelling that the ecosystem treats as equal. */
      name: string
      version?: string | null | undefined
      /** The source package of a distribution's package, with its version if it differs: `openssl@1.1.1n-0`. */
      source?: string | null | undefined
    }

/**
 * Returns options as the query of a target. Arrays are joined by commas, and undefined ones left out.
 * @throws TypeError for options that are no object, and for a value that is no text, number, boolean, date or array
 */
export function queryOf(options: object): string {
  assertObject(options)
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `${encodeURIComponent(name)}=${textOf(name, value)}`).join('&')
}

function assertObject(options: unknown): asserts options is object {
  if (typeof options === 'object' && options !== null) return
  throw new TypeError(`options must be an object, not ${JSON.stringify(options)}`)
}

function textOf(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => textOf(name, one)).join(',')
  if (value instanceof Date) {
    if (Number.isFinite(value.getTime())) return value.toISOString()
    throw new TypeError(`option '${name}' is an invalid date`)
  }
  if (['string', 'number', 'boolean'].includes(typeof value)) return encodeURIComponent(String(value).toWellFormed())
  throw new TypeError(
    `option '${name}' must be a text, a number, true or false, a Date or an array, not ${JSON.stringify(value)}`,
  )
}

/** Returns the name of a list. @throws TypeError for another name */
export function listName(name: unknown): ListName {
  const known = LIST_NAMES.find((one) => one === name)
  if (known) return known
  throw new TypeError(`unknown list ${JSON.stringify(name)}; known lists are ${LIST_NAMES.join(', ')}`)
}

export interface PackageParts {
  ecosystem: string
  name: string
  version: string | null
  source: string | null
}

/**
 * Returns the parts of a package that a question states; null unless it states an ecosystem and no purl.
 * @throws TypeError
 */
export function packageParts(question: object): PackageParts | null {
  assertObject(question)
  if (!('ecosystem' in question) || 'purl' in question) return null
  assertKnown(['ecosystem', 'name', 'version', 'source'], question)
  const { ecosystem, name, version = null, source = null }: Record<string, unknown> = { ...question }
  return {
    ecosystem: textOption('ecosystem', ecosystem),
    name: textOption('name', name),
    version: version === null ? null : textOption('version', version),
    source: source === null ? null : textOption('source', source),
  }
}

function textOption(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new TypeError(`option '${name}' must be a string that is not empty, not ${JSON.stringify(value)}`)
}

/** Returns a part of a path. @throws TypeError for a value that is no text or number, or empty */
export function pathPart(what: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text !== '') return encodeURIComponent(text.toWellFormed())
  throw new TypeError(`${what} must be a string that is not empty, not ${JSON.stringify(value)}`)
}

/**
 * Rejects unknown options, so that a misspelled option is not ignored.
 * @throws TypeError
 */
function assertKnown(known: readonly string[], options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options must be an object with ${known.join(', ')}, not ${JSON.stringify(options)}`)
  }
  const name = Object.keys(options).find((one) => !known.includes(one))
  if (name !== undefined) throw new TypeError(`unknown option '${name}'; known options are ${known.join(', ')}`)
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
