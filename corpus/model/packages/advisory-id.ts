/** Ids of advisories. */

/**
 * Returns the spellings that an id can have as a key, the given one first. GitHub writes its ids in lower case after the
 * prefix, nearly all others write theirs in upper case.
 */
export function idSpellings(id: string): string[] {
  const upper = id.toUpperCase()
  return [...new Set([id, upper, upper.replace(/(?<=^GHSA-).*/s, (rest) => rest.toLowerCase())])]
}
