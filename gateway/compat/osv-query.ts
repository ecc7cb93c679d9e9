/** The queries of OSV's API: what a request asks about which package. Errors have the texts of osv.dev where it has one. */

import { ApiError, invalidParameter } from '../../corpus/answers/errors.ts'
import { PurlError, packageOfPurl } from '../../corpus/model/packages/purl.ts'
import { advisoryNames } from '../../corpus/model/packages/source-package.ts'
import { baseEcosystem, ECOSYSTEMS } from '../../corpus/model/versions/ecosystems.ts'

export interface PackageQuestion {
  /** With its suffix, such as `Debian:12`. Null for every ecosystem. */
  ecosystem: string | null
  /** The names under which advisories state the package. */
  names: readonly string[]
  /** Null for every advisory of the package. */
  version: string | null
  /** Ids up to this one were on earlier pages. */
  after: string
}

/** `commit`: a commit, or a package of the ecosystem `GIT`. `unknown_type`: a purl of a type that no ecosystem has. */
export type Question = PackageQuestion | 'commit' | 'unknown_type'

const MOST_QUERIES = 1000
/** Longest value of a query, in characters. */
const TEXT_LENGTH = 1000

/** osv.dev's token of the first page: `FIRST_PAGE_TOKEN`. */
const FIRST_PAGE = ''
const FIRST_PAGE_TEXT = 'FIRST_PAGE_TOKEN'
const AFTER = 'AFTER:'

/** Returns the token of the page that follows an id, or of the first page. */
export const pageToken = (after: string): string =>
  Buffer.from(after === FIRST_PAGE ? FIRST_PAGE_TEXT : AFTER + after).toString('base64')

/** @throws ApiError 400 */
function pageAfter(token: string): string {
  const text = Buffer.from(token, 'base64').toString()
  if (text === FIRST_PAGE_TEXT) return FIRST_PAGE
  const after = text.startsWith(AFTER) ? text.slice(AFTER.length) : ''
  if (after === '' || pageToken(after) !== token) throw invalid('invalid cursor')
  return after
}

const invalid = (message: string): ApiError => invalidParameter(undefined, message)

/** Returns the questions of a batch, in their order. @throws ApiError 400 that names the index of an invalid query */
export function questionsOf(body: unknown, ecosystems: readonly string[]): Question[] {
  const { queries = [] } = objectOf(body, 'the body')
  if (!Array.isArray(queries)) throw invalid("the value of 'queries' must be a list")
  if (queries.length > MOST_QUERIES) throw invalid('too many queries')
  return queries.map((query, index) => {
    try {
      return questionOf(query, ecosystems)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw invalid(`error in query at index ${index}: ${error.message}`)
    }
  })
}

/** `ecosystems` are known besides those of the schema. Ignores unknown keys. @throws ApiError 400 */
export function questionOf(query: unknown, ecosystems: readonly string[]): Question {
  const stated = objectOf(query, 'a query')
  const version = textOf(stated, 'version')
  const token = textOf(stated, 'page_token') || textOf(stated, 'pageToken')
  const after = token === '' ? FIRST_PAGE : pageAfter(token)
  if (stated.commit !== undefined && stated.commit !== null) {
    if (stated.version !== undefined && stated.version !== null) {
      throw invalid("'commit' cannot be combined with 'version'")
    }
    const commit = textOf(stated, 'commit')
    if (!/^(?:[\da-f]{2})*$/i.test(commit)) throw invalid('invalid hash')
    if (commit === '') throw invalid('invalid query')
    return 'commit'
  }
  if (stated.package === undefined || stated.package === null) throw invalid('invalid query')
  const named = objectOf(stated.package, "the value of 'package'")
  const [ecosystem, name, purl] = [textOf(named, 'ecosystem'), textOf(named, 'name'), textOf(named, 'purl')]
  if (purl !== '') {
    if (name !== '') throw invalid('name specified in a PURL query')
    if (ecosystem !== '') throw invalid('ecosystem specified in a PURL query')
    return questionOfPurl(purl, version, after)
  }
  if (ecosystem === 'GIT') return 'commit'
  const isKnown = [ECOSYSTEMS, ecosystems].some((known) => known.includes(baseEcosystem(ecosystem)))
  if (ecosystem !== '' && !isKnown) throw invalid('invalid ecosystem')
  if (name === '') throw invalid('invalid query')
  const asked = { name, version: version || null, source: null }
  if (ecosystem === '') return { ecosystem: null, names: [name], version: asked.version, after }
  return { ecosystem, ...advisoryNames({ ecosystem, ...asked }), after }
}

function questionOfPurl(purl: string, stated: string, after: string): Question {
  const { ecosystem, version, ...named } = parsedPurl(purl)
  if (version !== null && stated !== '') throw invalid('version specified in params and PURL query')
  if (ecosystem === null) return 'unknown_type'
  return { ecosystem, ...advisoryNames({ ecosystem, ...named, version: version ?? (stated || null) }), after }
}

function parsedPurl(purl: string) {
  try {
    return packageOfPurl(purl)
  } catch (error) {
    if (!(error instanceof PurlError)) throw error
    throw invalid(`the purl is invalid: ${error.message}`)
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid(`${what} must be an object`)
}

/** Returns an empty text for an absent value, as the protocol does not distinguish them. */
function textOf(object: Record<string, unknown>, key: string): string {
  const value = object[key] ?? ''
  if (typeof value === 'string' && value.length <= TEXT_LENGTH) return value
  throw invalid(`the value of '${key}' must be a string of up to ${TEXT_LENGTH} characters`)
}
