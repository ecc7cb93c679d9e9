/** Reading of upstream JSON, which may hold anything: what is not of the expected type is absent. */
import { isUtf8 } from 'node:buffer'
import { FeedError } from './error.ts'

export type JsonObject = { readonly [key: string]: unknown }

/** How deep an item may be nested: upstream it is a dozen. Whatever walks through one can then rely on the stack. */
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
 * The text that bytes are, without a byte order mark. Nothing is put in the place of what is not UTF-8: it would be
 * answered as if the source had said it.
 * @throws FeedError `json_invalid`
 */
export function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new FeedError('json_invalid', 'it is not UTF-8')
  const text = bytes.toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/**
 * The value that the bytes of one item are, nested however deep.
 * @throws FeedError `json_invalid`
 */
export function parseAnyJson(bytes: Buffer): unknown {
  const text = utf8Text(bytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new FeedError('json_invalid', `it is no JSON: ${(cause as Error).message}`, { cause })
  }
}

/** The same, not nested too deep. @throws FeedError `json_invalid`, `json_too_deep` */
export function parseJson(bytes: Buffer): unknown {
  const json = parseAnyJson(bytes)
  assertNesting(json)
  return json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list; none where it is no list. */
export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The texts of a list, trimmed, without empty ones; none where it is no list. */
export function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  const found: string[] = []
  for (const member of value) {
    const one = text(member)
    if (one !== null) found.push(one)
  }
  return found
}

/**
 * A text as it is stated, blanks at its ends included; null where it is none or blank (rule 29). Half a surrogate
 * pair, which JSON can escape but no UTF-8 can hold, becomes U+FFFD: strict readers of our answers would refuse all of a
 * page for it.
 */
export function statedText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.toWellFormed() : null
}

/** The same without surrounding blanks: names, ids and other words that are compared. */
export function text(value: unknown): string | null {
  return statedText(value)?.trim() ?? null
}

/** What a message may show of a value: its beginning, on one line. */
export function shown(value: unknown): string {
  if (isDeeper(value, MAX_NESTING)) return `what is nested more than ${MAX_NESTING} deep`
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 80 ? `${json.slice(0, 77)}...` : json
}
