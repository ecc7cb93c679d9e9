/** Basic parameter types: texts, sets, booleans, numbers, sort keys and cursors (rules 2 to 5). */
import { memberOf } from '../../model/values/closed-set.ts'
import { wordsFault } from '../../snapshot/index.ts'
import { invalidCursor, invalidParameter } from '../errors.ts'
import { type ParameterType, parameterType, refuse, refuseMember } from './parameter.ts'

/** Maximum length of a cursor (rule 7). */
const CURSOR_MAX = 512

/** Text to search for, without blanks at its ends (rule 5). */
export function searchText({ min = 1 }: { min?: number } = {}): ParameterType<string, 'optional'> {
  const { schema, read } = text({ min })
  return parameterType(schema, (value, name) => read(value.trim(), name))
}

/** Words to search for, of which `*` can follow one (API 9.35). */
export function words(): ParameterType<string, 'optional'> {
  const { schema, read } = searchText()
  return parameterType(schema, (value, name) => {
    const text = read(value, name)
    const fault = wordsFault(text)
    if (fault !== null) throw invalidParameter(name, `parameter '${name}' ${fault}`)
    return text
  })
}

/** The length counts code points. `q` takes at most 200 (rule 5). */
export function text({ min = 1, max = 200 }: { min?: number; max?: number } = {}): ParameterType<string, 'optional'> {
  return parameterType({ type: 'string', minLength: min, maxLength: max }, (value, name) => {
    const length = codePoints(value)
    if (length < min || length > max) {
      throw invalidParameter(name, `parameter '${name}' must have ${min} to ${max} characters, not ${length}`)
    }
    return value
  })
}

/** An unknown value matches nothing (rule 4). */
export function openText(): ParameterType<string, 'optional'> {
  return parameterType({ type: 'string', minLength: 1 }, (value) => value)
}

/** Case-insensitive; the value has the set's spelling. */
export function oneOf<const M extends string>(members: readonly M[]): ParameterType<M, 'optional'> {
  return parameterType({ type: 'string', enum: members }, (value, name) => {
    const member = memberOf(members, value)
    if (member === null) throw refuseMember(name, value, members)
    return member
  })
}

/**
 * Case-insensitive, separated by commas. The value has no duplicates and the set's order (rule 3). `emptyAllowed` is
 * for `include=`.
 */
export function csvOf<const M extends string>(
  members: readonly M[],
  { emptyAllowed = false }: { emptyAllowed?: boolean } = {},
): ParameterType<M[], 'optional'> {
  const schema = { type: 'array', items: { type: 'string', enum: members }, uniqueItems: true }
  const read = (value: string, name: string) => {
    if (value === '') return []
    const given = new Set<string>()
    for (const part of value.split(',')) {
      const text = part.trim()
      const member = memberOf(members, text)
      if (member === null) throw refuseMember(name, text, members)
      given.add(member)
    }
    return members.filter((member) => given.has(member))
  }
  const union = (some: readonly M[], more: readonly M[]) =>
    members.filter((member) => some.includes(member) || more.includes(member))
  return { ...parameterType(schema, read), emptyAllowed, union }
}

export function boolean(): ParameterType<boolean, 'optional'> {
  return parameterType({ type: 'boolean' }, (value, name) => {
    const member = memberOf(['true', 'false'], value)
    if (member === null) throw refuse(name, value, 'true or false')
    return member === 'true'
  })
}

export function integer({ min, max }: { min: number; max: number }): ParameterType<number, 'optional'> {
  return parameterType({ type: 'integer', minimum: min, maximum: max }, (value, name) => {
    const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) throw refuse(name, value, `a whole number from ${min} to ${max}`)
    return number
  })
}

export function number({ min, max }: { min: number; max: number }): ParameterType<number, 'optional'> {
  return parameterType({ type: 'number', minimum: min, maximum: max }, (value, name) => {
    const number = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) throw refuse(name, value, `a number from ${min} to ${max}`)
    return number
  })
}

export interface Sort<K extends string> {
  key: K
  descending: boolean
}

/** Case-insensitive; the prefix `-` means descending. */
export function sort<const K extends string>(
  keys: readonly K[],
  fallback: NoInfer<K> | `-${NoInfer<K>}`,
): ParameterType<Sort<K>, 'default'> {
  const members = keys.flatMap((key): string[] => [key, `-${key}`])
  const read = (value: string, name: string): Sort<K> => {
    const descending = value.startsWith('-')
    const key = memberOf(keys, descending ? value.slice(1) : value)
    if (key === null) throw refuseMember(name, value, members)
    return { key, descending }
  }
  const schema = { type: 'string', enum: members, default: fallback }
  return { read, schema, presence: 'default', fallback: read(fallback, 'sort') }
}

/** Its list checks the rest. A longer string cannot be ours (rule 7). */
export function cursor(): ParameterType<string, 'optional'> {
  return parameterType({ type: 'string', minLength: 1, maxLength: CURSOR_MAX }, (value) => {
    if (value.length > CURSOR_MAX) throw invalidCursor('this cursor is invalid; request the first page again')
    return value
  })
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
