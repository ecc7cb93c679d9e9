/** What a parameter can be: a kind reads the decoded text of one parameter, and can state itself as JSON Schema. */
import { invalidParameter } from '../errors.ts'
import { nearest } from './nearest.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export type Presence = 'optional' | 'required' | 'default'

/** `P` says whether a query may leave the parameter out: an optional one left out is `undefined`. */
export interface Kind<T, P extends Presence = Presence> {
  /** The value of `text`. Throws `invalid_parameter` (or `invalid_cursor`) blaming `name`. */
  read(text: string, name: string): T
  readonly schema: JsonSchema
  readonly presence: P
  /** The value where a parameter with a default is left out. */
  readonly fallback?: T
  /** Only `include=` may be empty, and means no section (rule 2). */
  readonly emptyAllowed?: boolean
  /** Returns the value of a csv parameter that a query gives twice (rule 2). Other kinds may be given once. */
  union?(some: T, more: T, name: string): T
}

export type Schema = Readonly<Record<string, Kind<unknown>>>

/** The values of path parameters, which are always there. */
export type PathValues<S extends Schema> = { [K in keyof S]: S[K] extends Kind<infer T> ? T : never }

/** The values of query parameters: `T`, or `T | undefined` for what may be left out. */
export type QueryValues<S extends Schema> = {
  [K in keyof S]: S[K] extends Kind<infer T, infer P> ? ('optional' extends P ? T | undefined : T) : never
}

/** The kind, but leaving the parameter out of a query is 400. Path parameters are required anyway. */
export function required<T>(kind: Kind<T, 'optional'>): Kind<T, 'required'> {
  return { ...kind, presence: 'required' }
}

/** The kind with the value of a parameter left out. */
export function withDefault<T>(kind: Kind<T, 'optional'>, fallback: NoInfer<T>): Kind<T, 'default'> {
  return { ...kind, presence: 'default', fallback, schema: { ...kind.schema, default: fallback } }
}

/** A kind of whatever `read` makes of the text. */
export function kind<T>(schema: JsonSchema, read: (text: string, name: string) => T): Kind<T, 'optional'> {
  return { read, schema, presence: 'optional' }
}

/** The error for a value that is not allowed; `allowed` completes "must be …". */
export function refuse(name: string, text: string, allowed: string) {
  return invalidParameter(name, `parameter '${name}' must be ${allowed}, not ${quote(text)}`)
}

/** The error for a value outside a closed set, with the member that was probably meant. */
export function refuseMember(name: string, text: string, members: readonly string[]) {
  const meant = nearest(text, members)
  const hint = meant === null ? '' : `; did you mean '${meant}'?`
  const end = meant === null ? '; allowed are ' : ' Allowed are '
  return invalidParameter(name, `unknown value ${quote(text)} of parameter '${name}'${hint}${end}${members.join(', ')}`)
}

const QUOTED = 40

/** A client's own text as a message may show it: short (a token sent by mistake is not echoed), without control characters. */
export function quote(text: string): string {
  const shown = [...text.slice(0, 2 * QUOTED)].slice(0, QUOTED).join('')
  return `'${shown.replace(/\p{Cc}/gu, '\ufffd')}${shown.length < text.length ? '…' : ''}'`
}
