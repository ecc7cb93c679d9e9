/** Reading of upstream JSON, which may hold anything: what is not of the expected type is absent. */

export type JsonObject = { readonly [key: string]: unknown }

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
 * A text without surrounding blanks; null where it is none or empty (decisions 29). Half a surrogate pair, which JSON can
 * escape but no UTF-8 can hold, becomes U+FFFD: strict readers of our answers would refuse all of a page for it.
 */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value.trim().toWellFormed() || null : null
}

/** What a message may show of a value: its beginning, on one line. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value)
  return json.length > 80 ? `${json.slice(0, 77)}...` : json
}
