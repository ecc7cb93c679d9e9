/** A walk through a list by its cursors, as a client does it. */

/** The fields of a summary record that tests compare. */
export interface Summary {
  cve_id: string
  title: string | null
  severity: string | null
  cvss_score: number | null
  date_published: string | null
  date_updated: string | null
  assigner: string | null
  kev: { listed: boolean }
  epss: { score: number | null }
  has_patch: boolean
  has_exploit: boolean
  has_detection: boolean
  primary_cwe_id: string | null
}

interface Page {
  data: Summary[]
  pagination: { limit: number; next_cursor: string | null }
}

/** A walk with more pages does not end. */
const MAX_PAGES = 100_000

/**
 * Walks to the end. `ask` returns the body of a page for a query string; `look` gets every query too. `between` runs
 * after each page and gets its number.
 */
export async function walk(
  ask: (query: string) => Promise<string>,
  query: string,
  limit: number,
  look?: (query: string) => Promise<string>,
  between?: (page: number) => Promise<void>,
): Promise<{ rows: Summary[]; pages: number; servedFrom: string[] }> {
  const rows: Summary[] = []
  const servedFrom: string[] = []
  let cursor: string | null = null
  for (let pages = 1; pages <= MAX_PAGES; pages++) {
    const asked: string = [query, `limit=${limit}`, cursor === null ? '' : `cursor=${cursor}`].filter(Boolean).join('&')
    const page = JSON.parse(await ask(asked)) as Page
    if (look) servedFrom.push(await look(asked))
    rows.push(...page.data)
    cursor = page.pagination.next_cursor
    if (page.pagination.limit !== limit) throw new Error(`limit ${page.pagination.limit} was answered for ${limit}`)
    if (cursor === null) return { rows, pages, servedFrom }
    if (page.data.length !== limit) throw new Error(`a page of ${page.data.length} rows is followed by another`)
    await between?.(pages)
  }
  throw new Error('the walk does not end')
}
