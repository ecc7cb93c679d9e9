/**
 * Parses the parameters of a request by a route's schema (rules 1 to 5). The raw query is parsed here, because the
 * router hides duplicate names and malformed encodings.
 */
import { invalidParameter } from '../http/errors.ts'
import { nearest } from './nearest.ts'
import { type ParameterType, type PathValues, type QueryValues, quote, type Schema } from './parameter.ts'

export interface ParamSchemas<P extends Schema, Q extends Schema> {
  path: P
  query: Q
}

/**
 * Returns the values in `rawPath` (still encoded) and `rawQuery` (the part after `?`).
 * @throws ApiError `invalid_parameter` for the first invalid one, path before query, in the given order
 */
export function parseParams<P extends Schema, Q extends Schema>(
  schemas: ParamSchemas<P, Q>,
  rawPath: Readonly<Record<string, string>>,
  rawQuery: string,
): PathValues<P> & QueryValues<Q> {
  const values: Record<string, unknown> = {}
  for (const name in schemas.path) {
    const text = decode(rawPath[name] ?? '', name, `parameter '${name}'`)
    if (text === '') throw empty(name)
    values[name] = schemas.path[name]!.read(text, name)
  }
  if (rawQuery !== '') readQuery(schemas.query, rawQuery, values)
  for (const name in schemas.query) {
    if (name in values) continue
    const { presence, fallback } = schemas.query[name]!
    if (presence === 'required') throw invalidParameter(name, `parameter '${name}' is required`)
    values[name] = fallback
  }
  // Every name of both schemas now has a parsed value or its default.
  return values as PathValues<P> & QueryValues<Q>
}

function readQuery(schema: Schema, rawQuery: string, values: Record<string, unknown>): void {
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeForm(equals === -1 ? pair : pair.slice(0, equals), undefined, 'a parameter name')
    if (!Object.hasOwn(schema, name)) throw unknown(name, Object.keys(schema))
    const kind: ParameterType<unknown> = schema[name]!
    const isAgain = name in values
    if (isAgain && !kind.union) throw invalidParameter(name, `parameter '${name}' is repeated; give it once`)
    const text = decodeForm(equals === -1 ? '' : pair.slice(equals + 1), name, `parameter '${name}'`)
    if (text === '' && kind.emptyAllowed !== true) throw empty(name)
    const value = kind.read(text, name)
    values[name] = isAgain && kind.union ? kind.union(values[name], value, name) : value
  }
}

/** In forms, `+` is a space. */
function decodeForm(raw: string, blamed: string | undefined, place: string): string {
  return decode(raw.includes('+') ? raw.replaceAll('+', ' ') : raw, blamed, place)
}

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/
const ASCII = /^[\x20-\x7e]*$/

/** `place` describes `raw` in messages. */
function decode(raw: string, blamed: string | undefined, place: string): string {
  if (PLAIN.test(raw)) return raw
  // The HTTP parser returns non-ASCII bytes as Latin-1, so their encoding is unknown.
  if (!ASCII.test(raw))
    throw invalidParameter(blamed, `${place} contains characters outside ASCII; percent-encode them`)
  try {
    return decodeURIComponent(raw)
  } catch {
    throw invalidParameter(blamed, `${place} has malformed percent-encoding`)
  }
}

function empty(name: string) {
  return invalidParameter(name, `parameter '${name}' is empty; give a value or omit it`)
}

function unknown(name: string, names: readonly string[]) {
  const meant = nearest(name, names)
  const hint = meant === null ? '' : `; did you mean '${meant}'?`
  const allowed = names.length === 0 ? 'this endpoint has no parameters' : `allowed: ${names.join(', ')}`
  const end = meant === null ? `; ${allowed}` : ` ${allowed[0]!.toUpperCase()}${allowed.slice(1)}`
  return invalidParameter(quote(name).slice(1, -1), `unknown parameter ${quote(name)}${hint}${end}`)
}
