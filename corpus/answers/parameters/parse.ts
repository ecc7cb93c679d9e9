/**
 * Parses the parameters of a request by a route's schema (rules 1 to 5). The raw query is parsed here, because the
 * router hides duplicate names and malformed encodings.
 */

import { nearest } from '../../command/nearest.ts'
import { invalidParameter } from '../errors.ts'
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
  const { fallbacks, required } = defaultsOf(schemas)
  const values = { ...fallbacks }
  for (const name in schemas.path) {
    const text = decode(rawPath[name] ?? '', name)
    if (text === '') throw empty(name)
    values[name] = schemas.path[name]!.read(text, name)
  }
  const given: string[] = []
  if (rawQuery !== '') readQuery(schemas.query, rawQuery, values, given)
  for (const name of required) {
    if (!given.includes(name)) throw invalidParameter(name, `parameter '${name}' is required`)
  }
  // Every name of both schemas now has a parsed value or its default.
  return values as PathValues<P> & QueryValues<Q>
}

interface Defaults {
  /** The value of each absent query parameter, and a place for each path parameter. */
  fallbacks: Record<string, unknown>
  required: string[]
}

const known = new WeakMap<ParamSchemas<Schema, Schema>, Defaults>()

function defaultsOf(schemas: ParamSchemas<Schema, Schema>): Defaults {
  let defaults = known.get(schemas)
  if (!defaults) {
    const ofPath = Object.keys(schemas.path).map((name) => [name, undefined])
    const ofQuery = Object.entries(schemas.query).map(([name, { fallback }]) => [name, fallback])
    const required = Object.keys(schemas.query).filter((name) => schemas.query[name]!.presence === 'required')
    defaults = { fallbacks: Object.fromEntries([...ofPath, ...ofQuery]), required }
    known.set(schemas, defaults)
  }
  return defaults
}

/** Adds the names that occur to `given`. */
function readQuery(schema: Schema, rawQuery: string, values: Record<string, unknown>, given: string[]): void {
  for (const pair of rawQuery.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    const name = Object.hasOwn(schema, rawName) ? rawName : decodeForm(rawName, null)
    if (!Object.hasOwn(schema, name)) throw unknown(name, Object.keys(schema))
    const kind: ParameterType<unknown> = schema[name]!
    const isAgain = given.includes(name)
    if (isAgain && !kind.union) throw invalidParameter(name, `parameter '${name}' is repeated; give it once`)
    const raw = equals === -1 ? '' : pair.slice(equals + 1)
    const text = decodeForm(kind.keepsSlashes ? keepSlashes(raw) : raw, name)
    if (text === '' && kind.emptyAllowed !== true) throw empty(name)
    const value = kind.read(text, name)
    values[name] = isAgain && kind.union ? kind.union(values[name], value, name) : value
    given.push(name)
  }
}

/**
 * Beside a plain slash, an encoded one is part of a name, so it stays `%2F` (RFC 3986 2.2). Clients that encode every
 * slash encode separators too.
 */
const keepSlashes = (raw: string): string => (raw.includes('/') ? raw.replace(/%2f/gi, '%252F') : raw)

/** In forms, `+` is a space. */
function decodeForm(raw: string, name: string | null): string {
  return decode(raw.includes('+') ? raw.replaceAll('+', ' ') : raw, name)
}

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/
const ASCII = /^[\x20-\x7e]*$/

/** `name` is that of the parameter; null if `raw` is a parameter name itself. */
function decode(raw: string, name: string | null): string {
  if (PLAIN.test(raw)) return raw
  const what = name === null ? 'a parameter name' : `parameter '${name}'`
  // The HTTP parser returns non-ASCII bytes as Latin-1, so their encoding is unknown.
  if (!ASCII.test(raw)) {
    throw invalidParameter(name ?? undefined, `${what} contains characters outside ASCII; percent-encode them`)
  }
  try {
    return decodeURIComponent(raw)
  } catch {
    throw invalidParameter(name ?? undefined, `${what} has malformed percent-encoding`)
  }
}

function empty(name: string) {
  return invalidParameter(name, `parameter '${name}' is empty; give a value or omit it`)
}

function unknown(name: string, names: readonly string[]) {
  if (name === '') return invalidParameter(undefined, 'the query has a parameter without a name')
  const meant = nearest(name, names)
  const hint = meant === null ? '' : `; did you mean '${meant}'?`
  const allowed = names.length === 0 ? 'this endpoint has no parameters' : `allowed: ${names.join(', ')}`
  const end = meant === null ? `; ${allowed}` : ` ${allowed[0]!.toUpperCase()}${allowed.slice(1)}`
  return invalidParameter(quote(name).slice(1, -1), `unknown parameter ${quote(name)}${hint}${end}`)
}
