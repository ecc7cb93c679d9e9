/** Walks all pages of a target. */
import type { Api } from './api.ts'
import { QueryError } from './error.ts'
import type { Question } from './question.ts'

/** The largest page of the API. */
const PAGE_ROWS = 100

/**
 * Yields the rows of each page, at most `limit` in all. One page is in memory at a time.
 * @throws QueryError, SnapshotError, TransferError
 */
export async function* pagesOf(api: Api, { path, query }: Question, limit: number): AsyncGenerator<unknown[]> {
  let cursor: string | null = null
  for (let left = limit; left > 0; ) {
    const own = `limit=${Math.min(left, PAGE_ROWS)}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page: Page = (await answerOf(api, path, query === '' ? own : `${query}&${own}`)) as Page
    yield page.data
    left -= page.data.length
    cursor = page.pagination.next_cursor
    if (cursor === null) return
  }
}

interface Page {
  data: unknown[]
  pagination: { next_cursor: string | null }
}

/** Returns the body of a 200. @throws QueryError with the message of the API, SnapshotError, TransferError */
export async function answerOf(api: Api, path: string, query: string): Promise<object> {
  const { status, body } = await api.request(query === '' ? path : `${path}?${query}`)
  const answer = JSON.parse(body) as object & { message: string }
  if (status === 200) return answer
  throw new QueryError(status === 400 ? 'usage' : 'refused', answer.message)
}
