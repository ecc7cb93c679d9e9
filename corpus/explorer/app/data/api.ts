/** The requests of pages. The API of a gateway answers them, or a reader of a snapshot. */

import type { Reader } from '../../../reader/reader.ts'

/** Parameters of the query. Those that are undefined, null or empty are left out. */
export type Params = Record<string, string | number | boolean | readonly string[] | null | undefined>

/** The largest `limit` of a list, and the most `ids` (API 4.1). */
export const MAX_LIMIT = 100

export interface Api {
  /** `gateway`: asks the API. `static`: reads a snapshot from the server of the page. */
  readonly mode: 'gateway' | 'static'
  /**
   * Returns the answer of an API path such as `/cves/CVE-2024-3400`. Parts of the path are percent-encoded.
   * @throws ApiFailure; DOMException `AbortError`
   */
  get<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T>
  /** Matches packages in the browser: only in mode `static`. */
  readonly packages?: PackageSource
  /**
   * Reports downloads of what is needed once, such as the tables of the filters. Returns a function that ends the
   * reports.
   */
  onProgress?(report: (progress: Progress) => void): () => void
}

/** Bytes of all downloads so far. */
export interface Progress {
  loaded: number
  total: number
}

export type PackageSource = Pick<Reader, 'affected' | 'ecosystems' | 'releases' | 'snapshot'>

/** An answer other than 200. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  /** 0 if there was no answer. */
  readonly status: number
  /** The code of the API, such as `not_found`; `network` without an answer. */
  readonly code: string
  /** Seconds after which the request may succeed. */
  readonly retryAfter: number | null
  /** The name of the parameter that is wrong (API 6.1). */
  readonly parameter: string | null

  constructor(
    status: number,
    code: string,
    message: string,
    retryAfter: number | null = null,
    parameter: string | null = null,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
    this.parameter = parameter
  }
}

/**
 * Returns the query, without `?`. Parameters are in the order of `params`. Purls can contain commas, so their list is
 * repeated; others are joined. Characters that a query can have are not percent-encoded (RFC 3986, 3.4), because the
 * length of an address is limited.
 */
export function queryOf(params: Params): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) {
    for (const one of name === 'purl' ? [value].flat() : [value]) {
      const text = String(one ?? '')
      if (text !== '') query.append(name, text)
    }
  }
  return query.toString().replace(/%(?:2F|3A|40)/g, decodeURIComponent)
}

/** Whether a path has a part `.` or `..`. The browser would resolve it: the request would go to another path. */
export const hasDotSegment = (path: string): boolean => path.split('/').some((part) => part === '.' || part === '..')

/** Returns `path?query`, or the path alone. */
export function target(path: string, params: Params = {}): string {
  const query = queryOf(params)
  return query === '' ? path : `${path}?${query}`
}
