/** JSON of lock files and SBOMs, with the lines of its objects. */
import { shortened } from '../../command/format.ts'
import { endOfString, parseUntrustedJson } from '../../model/values/json-text.ts'
import { isObject, type JsonObject } from '../../model/values/json-value.ts'
import { assertJson } from '../bounds.ts'
import { FormatError } from '../error.ts'
import { lineAt } from './text.ts'

export interface JsonFile {
  root: JsonObject
  /** Returns the line where the object begins, from 1. */
  lineOf(object: object): number | null
}

/** @throws FormatError for no JSON, or no object; BoundError */
export function parseJsonFile(text: string): JsonFile {
  assertJson(text)
  let root: unknown
  try {
    root = parseUntrustedJson(text)
  } catch (cause) {
    throw syntaxError(text, cause as Error)
  }
  if (!isObject(root)) throw new FormatError('it is not a JSON object', 1)
  const lines = objectLines(text, root)
  return { root, lineOf: (object) => lines.get(object) ?? null }
}

/** V8 states a position, SpiderMonkey line and column. V8 quotes the file, and states no position for an early end. */
function syntaxError(text: string, cause: Error): FormatError {
  const { message } = cause
  const position = / at position (\d+)/.exec(message)?.[1]
  const stated = / at line (\d+) column \d+ of the JSON data/.exec(message)?.[1]
  const what = message.replace(/ in JSON at position .*$/s, '').replace(/, (?:\.{3})?".*$/s, '')
  const line = stated === undefined ? lineAt(text, Number(position ?? text.length)) : Number(stated)
  return new FormatError(`it is not JSON: ${what}`, line, { cause })
}

const [LINE_FEED, QUOTE] = [0x0a, 0x22]

/** Walks through valid JSON and its value at the same time. Of equal keys, the last counts in both. */
function objectLines(text: string, root: JsonObject): Map<object, number> {
  // A WeakMap takes the garbage collector several times as long.
  const lines = new Map<object, number>()
  /** The containers around the position, with the key of the next value. Undefined where an equal key replaced one. */
  const open: { value: unknown; key: string | number }[] = []
  let line = 1
  let lastText = ''
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LINE_FEED) line++
    else if (code === QUOTE) {
      const end = endOfString(text, at)
      // Keys of entries are wanted, and no string spans lines.
      lastText = text.slice(at, end + 1)
      at = end
    } else {
      const character = text[at]
      const inner = open.at(-1)
      if (character === ':' && inner) inner.key = JSON.parse(lastText) as string
      else if (character === ',' && typeof inner?.key === 'number') inner.key++
      else if (character === '{' || character === '[') {
        const value = inner === undefined ? root : memberOf(inner.value, inner.key)
        if (typeof value === 'object' && value !== null) lines.set(value, line)
        open.push({ value, key: character === '[' ? 0 : '' })
      } else if (character === '}' || character === ']') open.pop()
    }
  }
  return lines
}

function memberOf(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string | number, unknown>)[key]
}

/**
 * Returns the objects of a list, each with its `name`.
 * @throws FormatError if the value is no list of objects with names
 */
export function namedObjects(
  key: string,
  list: unknown,
  lineOf: JsonFile['lineOf'],
): { name: string; entry: JsonObject; line: number | null }[] {
  if (!Array.isArray(list)) throw new FormatError(`'${key}' is not a list`, isObject(list) ? lineOf(list) : null)
  return list.map((entry: unknown) => {
    if (!isObject(entry)) throw new FormatError(`an entry in '${key}' is not a JSON object`, lineOf(list))
    const line = lineOf(entry)
    if (typeof entry.name !== 'string' || entry.name === '') {
      throw new FormatError(`an entry in '${key}' has no name`, line)
    }
    return { name: entry.name, entry, line }
  })
}

/**
 * Returns the members of an object, which are objects.
 * @throws FormatError for another value, or another member
 */
export function* objectEntries(
  name: string,
  value: unknown,
  { root, lineOf }: JsonFile,
): Generator<{ key: string; entry: JsonObject; line: number | null }> {
  if (!isObject(value)) {
    const line = lineOf(typeof value === 'object' && value !== null ? value : root)
    throw new FormatError(`'${name}' is not a JSON object`, line)
  }
  for (const [key, entry] of Object.entries(value)) {
    if (!isObject(entry)) {
      throw new FormatError(`the entry '${shortened(key, 100)}' in '${name}' is not a JSON object`, lineOf(value))
    }
    yield { key, entry, line: lineOf(entry) }
  }
}

const [COMMA, SLASH, STAR, BACKSLASH] = [0x2c, 0x2f, 0x2a, 0x5c]
const [CLOSE_LIST, CLOSE_OBJECT, SPACE] = [0x5d, 0x7d, 0x20]

/** Returns the text with blanks in place of comments, and of commas that no value follows. Lines stay as they are. */
export function withoutComments(text: string): string {
  const cuts: [from: number, to: number][] = []
  let comma = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const next = text.charCodeAt(at + 1)
    if (code === SLASH && (next === SLASH || next === STAR)) {
      const end = next === STAR ? text.indexOf('*/', at + 2) + 2 : endOfLine(text, at)
      // A comment without an end stays, and is a fault.
      if (end < at + 2) break
      cuts.push([at, end])
      at = end - 1
    } else if (code === COMMA) comma = at
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (comma !== -1) cuts.push([comma, comma + 1])
      comma = -1
    } else if (code > SPACE) {
      comma = -1
      if (code === QUOTE)
        while (++at < text.length && text.charCodeAt(at) !== QUOTE) if (text.charCodeAt(at) === BACKSLASH) at++
    }
  }
  const parts: string[] = []
  let start = 0
  for (const [from, to] of cuts.sort(([a], [b]) => a - b)) {
    parts.push(text.slice(start, from), text.slice(from, to).replace(/[^\r\n]/g, ' '))
    start = to
  }
  return parts.join('') + text.slice(start)
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end === -1 ? text.length : end
}
