/** What stands for an answer that is loading, failed or empty. */
import type { ComponentChildren } from 'preact'
import type { ApiFailure } from '../data/api.ts'
import type { Answer, Pages } from '../data/use.ts'

export function Failure({ error, retry }: { error: ApiFailure; retry?: () => void }) {
  return (
    <div class="notice failure" role="alert">
      <p>{error.message}</p>
      {error.retryAfter === null ? null : <p>Try again in {error.retryAfter} s.</p>}
      {retry && error.status !== 404 ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  )
}

export function Loading() {
  return (
    <div class="loading" role="status">
      Loading…
    </div>
  )
}

/** Shows an answer when it is there. While another one is loaded, the earlier one stays, dimmed. */
export function Await<T>({ answer, children }: { answer: Answer<T>; children(data: T): ComponentChildren }) {
  if (answer.error) return <Failure error={answer.error} retry={answer.retry} />
  if (answer.data === null) return <Loading />
  return (
    <div class={answer.loading ? 'stale' : undefined} aria-busy={answer.loading}>
      {children(answer.data)}
    </div>
  )
}

/** What follows the rows of a list: the next page, an error, or that there is nothing. */
export function ListEnd<T>({ pages, empty }: { pages: Pages<T>; empty: string }) {
  const { rows, loading, error, more, retry } = pages
  if (error) return <Failure error={error} retry={retry} />
  if (loading) return <Loading />
  if (more) {
    return (
      <button type="button" class="more" onClick={more}>
        Load more
      </button>
    )
  }
  return <p class="dim">{rows.length === 0 ? empty : 'End of the list'}</p>
}
