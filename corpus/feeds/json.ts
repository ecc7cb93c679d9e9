/** Parses the JSON of upstream items. */
import { isUtf8 } from 'node:buffer'
import { endOfString, parseShallowJson } from '../model/values/json-text.ts'
import { FeedError } from './error.ts'

/** Maximum nesting of an item; upstream has about twelve levels. Protects the stack of recursive functions. */
const MAX_NESTING = 100

/** @throws FeedError `json_too_deep` */
export function assertNesting(json: unknown): void {
  if (isDeeper(json, MAX_NESTING)) throw new FeedError('json_too_deep', `nested more than ${MAX_NESTING} deep`)
}

function isDeeper(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return false
  if (levels === 0) return true
  const members: readonly unknown[] = Array.isArray(json) ? json : Object.values(json)
  return members.some((member) => isDeeper(member, levels - 1))
}

/**
 * Returns the text of UTF-8 bytes, without a byte order mark. Never replaces invalid bytes: answers would attribute the
 * replacement to the source.
 * @throws FeedError `json_invalid`
 */
export function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new FeedError('json_invalid', 'it is not UTF-8')
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/**
 * Returns the parsed JSON of one item, whose key may be needed. Does not check its nesting, but is null where it is nested
 * deeper than `MAX_JSON_LEVELS`.
 * @throws FeedError `json_invalid`
 */
export function parseAnyJson(json: Buffer | string): unknown {
  const text = typeof json === 'string' ? json : utf8Text(json)
  try {
    return parseShallowJson(text)
  } catch (cause) {
    throw new FeedError('json_invalid', `it is not JSON: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Returns the parsed JSON of one item, with limited nesting.
 * @throws FeedError `json_invalid`, `json_too_deep`
 */
export function parseJson(json: Buffer | string): unknown {
  const value = parseAnyJson(json)
  assertNesting(value)
  return value
}

const [SPACE, QUOTE] = [0x20, 0x22]

/** Returns valid JSON without the white space outside of strings. All other characters stay as they are. */
export function minifiedJson(json: string): string {
  let minified = ''
  let start = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = endOfString(json, at)
    else if (code <= SPACE) {
      if (start < at) minified += json.slice(start, at)
      start = at + 1
    }
  }
  return minified + json.slice(start)
}

/** Returns the beginning of a value on one line, for messages. */
export function shown(value: unknown): string {
  if (isDeeper(value, MAX_NESTING)) return `what is nested more than ${MAX_NESTING} deep`
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 80 ? `${json.slice(0, 77)}...` : json
}
