/** Readers of untrusted JSON. Values of an unexpected type count as missing. */

export type JsonObject = { readonly [key: string]: unknown }

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
 * Returns a text without blanks at its ends, or null when it is no text or blank (rule 29). Lone surrogates become U+FFFD:
 * UTF-8 cannot encode them, and strict clients would reject the whole page.
 */
export function text(value: unknown): string | null {
  const trimmed = typeof value === 'string' ? value.trim() : ''
  return trimmed === '' ? null : trimmed.toWellFormed()
}
