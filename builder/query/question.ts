/** A target of the API as a user writes it, with `--fields`, `--sort` and `--limit`. */
import { QueryError } from './error.ts'

export interface QuestionFlags {
  fields?: string | undefined
  sort?: string | undefined
}

export interface Question {
  /** `/cves` */
  path: string
  /** As in a URL, without `?`. */
  query: string
  /** The names of `fields`, in the order of the columns. Null without them. */
  fields: readonly string[] | null
}

/**
 * Returns a target. Text without `/` at the beginning is filters of `/cves`. Characters that a URL cannot have are
 * percent-encoded; `%`, `&`, `=` and `+` keep their meaning. `#` is a character: a URL would drop all filters after it.
 * @throws QueryError `usage`
 */
export function questionOf(text: string, { fields, sort }: QuestionFlags): Question {
  const given = text.startsWith('/') ? text : `/cves?${text.replace(/^\?/, '')}`
  const [rawPath = '', ...rest] = given.split('?')
  const more = { fields, sort }
  const pairs = Object.entries(more).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  const query = [encoded(rest.join('?')), ...pairs].filter((part) => part !== '').join('&')
  return { path: encoded(rawPath.replace(/^\/api\/v1(?=\/)/, '')), query, fields: fieldsOf(query) }
}

const encoded = (text: string) => text.toWellFormed().replace(/[^\x21-\x7e]+|#/g, encodeURIComponent)

function fieldsOf(query: string): string[] | null {
  const values = new URLSearchParams(query).getAll('fields')
  return values.length === 0 ? null : [...new Set(values.flatMap((value) => value.split(',')).map((one) => one.trim()))]
}

/** @throws QueryError `usage` for a parameter that the walk itself sets */
export function assertWalkable(query: string): void {
  const names = [...new URLSearchParams(query).keys()]
  if (names.includes('limit')) {
    throw new QueryError('usage', "the parameter 'limit' is set for each page; use --limit for the number of rows")
  }
  if (names.includes('cursor')) {
    throw new QueryError('usage', "the parameter 'cursor' is set for each page; leave it out")
  }
}
