/** Parameter types. A type parses the decoded text of one parameter and describes itself as JSON Schema. */

import { nearest } from '../../command/nearest.ts'
import { invalidParameter } from '../errors.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export type Presence = 'optional' | 'required' | 'default'

/** `P` is whether a query may omit the parameter. */
export interface ParameterType<T, P extends Presence = Presence> {
  /** @throws ApiError `invalid_parameter` (or `invalid_cursor`) that names `name` */
  read(text: string, name: string): T
  readonly schema: JsonSchema
  readonly presence: P
  readonly fallback?: T
  /** Only `include=` may be empty; it then selects no section (rule 2). */
  readonly emptyAllowed?: boolean
  /** The value has parts, separated by a slash. `read` gets an encoded slash as `%2F` where another one is plain. */
  readonly keepsSlashes?: boolean
  /** Several values are several parameters, because a value can contain commas. */
  readonly isRepeated?: boolean
  /** Combines a csv parameter's repetitions (rule 2). Other types may occur once. */
  union?(some: T, more: T, name: string): T
}

export type Schema = Readonly<Record<string, ParameterType<unknown>>>

export type PathValues<S extends Schema> = { [K in keyof S]: S[K] extends ParameterType<infer T> ? T : never }

export type QueryValues<S extends Schema> = {
  [K in keyof S]: S[K] extends ParameterType<infer T, infer P> ? ('optional' extends P ? T | undefined : T) : never
}

/** A query without it gets 400. */
export function required<T>(parameterType: ParameterType<T, 'optional'>): ParameterType<T, 'required'> {
  return { ...parameterType, presence: 'required' }
}

export function withDefault<T>(
  parameterType: ParameterType<T, 'optional'>,
  fallback: NoInfer<T>,
): ParameterType<T, 'default'> {
  return { ...parameterType, presence: 'default', fallback, schema: { ...parameterType.schema, default: fallback } }
}

export function parameterType<T>(
  schema: JsonSchema,
  read: (text: string, name: string) => T,
): ParameterType<T, 'optional'> {
  return { read, schema, presence: 'optional' }
}

/** `allowed` completes "must be …". */
export function refuse(name: string, text: string, allowed: string) {
  return invalidParameter(name, `parameter '${name}' must be ${allowed}, not ${quote(text)}`)
}

/** Adds the nearest member as a hint. */
export function refuseMember(name: string, text: string, members: readonly string[]) {
  const meant = nearest(text, members)
  const hint = meant === null ? '' : `; did you mean '${meant}'?`
  const end = meant === null ? '; allowed: ' : ' Allowed: '
  return invalidParameter(name, `unknown value ${quote(text)} of parameter '${name}'${hint}${end}${members.join(', ')}`)
}

const QUOTED = 40

/** Truncates a client's text, so that a token sent by mistake is not echoed. Replaces control characters. */
export function quote(text: string): string {
  const shown = [...text.slice(0, 2 * QUOTED)].slice(0, QUOTED).join('')
  return `'${shown.replace(/\p{Cc}/gu, '\ufffd')}${shown.length < text.length ? '…' : ''}'`
}
