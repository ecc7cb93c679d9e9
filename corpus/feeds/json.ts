/** Helpers for untrusted upstream JSON. Values of an unexpected type count as missing. */
import { isUtf8 } from 'node:buffer'
import { FeedError } from './error.ts'

export type JsonObject = { readonly [key: string]: unknown }

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
 * Returns the parsed JSON of one item. Does not limit nesting.
 * @throws FeedError `json_invalid`
 */
export function parseAnyJson(bytes: Buffer): unknown {
  const text = utf8Text(bytes)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new FeedError('json_invalid', `it is not JSON: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Returns the parsed JSON of one item, with limited nesting.
 * @throws FeedError `json_invalid`, `json_too_deep`
 */
export function parseJson(bytes: Buffer): unknown {
  const json = parseAnyJson(bytes)
  assertNesting(json)
  return json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the objects of a list; empty when the value is no list. */
export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Returns the texts of a list, trimmed, without empty ones; empty when the value is no list. */
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
 * Returns a text untrimmed, or null when it is no text or blank (rule 29). Lone surrogates become U+FFFD: UTF-8 cannot
 * encode them, and strict clients would reject the whole page.
 */
export function statedText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.toWellFormed() : null
}

/** Returns a trimmed text, for names, ids and other compared values. */
export function text(value: unknown): string | null {
  return statedText(value)?.trim() ?? null
}

/** Returns the beginning of a value on one line, for messages. */
export function shown(value: unknown): string {
  if (isDeeper(value, MAX_NESTING)) return `what is nested more than ${MAX_NESTING} deep`
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 80 ? `${json.slice(0, 77)}...` : json
}
