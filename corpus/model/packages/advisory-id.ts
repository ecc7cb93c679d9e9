/** Ids of advisories. */

/**
 * Returns the spellings that an id can have as a key, the given one first. GitHub writes its ids in lower case after the
 * prefix, nearly all others write theirs in upper case.
 */
export function idSpellings(id: string): string[] {
  const upper = id.toUpperCase()
  return [...new Set([id, upper, upper.replace(/(?<=^GHSA-).*/s, (rest) => rest.toLowerCase())])]
}

/**
 * Whether a text has the form of the beginning of an advisory's id: `GHSA-jfh8`, `PYSEC-2021-18`, `BIT-widget-2024-1`.
 * Other texts occur in ids by chance.
 */
export const isAdvisoryIdStart = (text: string): boolean =>
  /^(?:ghsa-[0-9a-z-]+|[a-z][a-z0-9]+(?:-[a-z.][a-z0-9.]*)*-\d[\w:.-]*)$/i.test(text)
