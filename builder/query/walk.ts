/** Walks all pages of a target. */
import { TransferError } from '../../corpus/transfer/error.ts'
import type { Api } from './api.ts'
import { QueryError } from './error.ts'
import type { Question } from './question.ts'

/** The largest page of the API. */
const PAGE_ROWS = 100

export interface Page {
  data: unknown[]
  pagination: { next_cursor: string | null }
  /** How `/affected` understood the package. */
  query?: { indexed?: unknown } | null
}

/**
 * Yields each page, at most `limit` rows in all. One page is in memory at a time.
 * @throws QueryError, SnapshotError, TransferError
 */
export async function* pagesOf(api: Api, { path, query }: Question, limit: number): AsyncGenerator<Page> {
  let cursor: string | null = null
  for (let left = limit; left > 0; ) {
    const own = `limit=${Math.min(left, PAGE_ROWS)}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page = await answerOf(api, path, query === '' ? own : `${query}&${own}`)
    if (!isPage(page)) throw noAnswer(path, 'without rows')
    yield page
    left -= page.data.length
    const next = page.pagination.next_cursor
    if (next === null) return
    if (next === cursor) throw noAnswer(path, 'with the same cursor again')
    cursor = next
  }
}

function isPage(answer: object): answer is Page {
  const { data, pagination } = answer as { data?: unknown; pagination?: { next_cursor?: unknown } | null }
  const next = pagination?.next_cursor
  return Array.isArray(data) && (next === null || typeof next === 'string')
}

/** The error for an answer that the API never gives. */
export const noAnswer = (path: string, what: string): TransferError =>
  new TransferError('unusable', `answers ${path} ${what}: this is no gateway. Correct the address`)

/** Returns the body of a 200. @throws QueryError with the message of the API, SnapshotError, TransferError */
export async function answerOf(api: Api, path: string, query: string): Promise<object> {
  const { status, body } = await api.request(query === '' ? path : `${path}?${query}`)
  const answer = JSON.parse(body) as { message?: unknown }
  if (status === 200) return answer
  throw new QueryError(
    status === 400 ? 'usage' : 'refused',
    typeof answer.message === 'string' ? answer.message : `${path} has status ${status}`,
  )
}
