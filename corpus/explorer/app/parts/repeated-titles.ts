/** Rows of a page of a list. */
const PAGE = 25

/**
 * Returns for each row whether an earlier one, or another one of its page, has the same title. Rows that are added later
 * change nothing, so that no row grows.
 */
export function repeatedTitles(titles: readonly (string | null)[]): boolean[] {
  const earlier = new Set<string>()
  const repeated: boolean[] = []
  for (let from = 0; from < titles.length; from += PAGE) {
    const page = titles.slice(from, from + PAGE)
    const counts = new Map<string, number>()
    for (const title of page) if (title !== null) counts.set(title, (counts.get(title) ?? 0) + 1)
    for (const title of page) repeated.push(title !== null && (earlier.has(title) || counts.get(title)! > 1))
    for (const title of counts.keys()) earlier.add(title)
  }
  return repeated
}
