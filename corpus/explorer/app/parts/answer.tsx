/** Texts for an answer that is loading, failed or empty. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiFailure } from '../data/api.ts'
import type { Answer, Pages } from '../data/use.ts'
import { formatTime, isTime } from './format.ts'

/** The same request gets the same answer. */
const FINAL: readonly number[] = [400, 404]

/** Returns a message of the API as a sentence, with its times in the user's locale. */
const sentence = (message: string): string =>
  message.charAt(0).toUpperCase() +
  message.slice(1).replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (isTime(time) ? formatTime(time) : time))

export function Failure({ error, retry, id }: { error: ApiFailure; retry?: () => void; id?: string }) {
  return (
    <div id={id} class="notice failure" role="alert">
      <p>{sentence(error.message)}</p>
      {error.retryAfter === null ? null : <p>Try again in {error.retryAfter} s.</p>}
      {retry && !FINAL.includes(error.status) ? (
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

/** While one of the answers is loaded for the first time, what follows is hidden, so that it does not move. */
export function Waiting({ answers }: { answers: readonly Pick<Answer<unknown>, 'data' | 'loading'>[] }) {
  const missing = answers.filter(({ data, loading }) => loading && data === null).length
  // Another key, as an answer can change the heading above it.
  return missing > 0 ? <Loading key={missing} /> : null
}

/** Shows an answer once it is loaded. While another one is loaded, the earlier one stays, dimmed. */
export function Await<T>({ answer, children }: { answer: Answer<T>; children(data: T): ComponentChildren }) {
  if (answer.error) return <Failure error={answer.error} retry={answer.retry} />
  if (answer.data === null) return <Loading />
  return (
    <div class={answer.loading ? 'stale' : undefined} aria-busy={answer.loading}>
      {children(answer.data)}
    </div>
  )
}

interface ListEndProps<T> {
  pages: Pages<T>
  empty: string
  /** Loads the next page when the end of the list comes near. Default: true. */
  isEndless?: boolean
}

/** The end of a list: the button for the next page, an error, or a text if there is nothing more. */
export function ListEnd<T>({ pages, empty, isEndless = true }: ListEndProps<T>) {
  const { rows, loading, error, more, retry } = pages
  const end = useRef<HTMLButtonElement>(null)
  useNearness(end, isEndless ? more : null)
  if (error) return <Failure error={error} retry={retry} />
  if (loading && rows.length === 0) return <Loading />
  if (!more && !loading) return <p class="dim">{rows.length === 0 ? empty : 'End of the list'}</p>
  // It stays while a page is loaded, so that it keeps the focus.
  return (
    <button ref={end} type="button" class="more" aria-disabled={loading} onClick={() => more?.()}>
      {loading ? 'Loading…' : 'Load more'}
    </button>
  )
}

/** Calls `reach` when the element is less than a screen away. */
function useNearness(element: RefObject<Element | null>, reach: (() => void) | null): void {
  const latest = useRef(reach)
  latest.current = reach
  const isWaiting = reach !== null
  useEffect(() => {
    if (!isWaiting || !element.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && latest.current?.(),
      { rootMargin: '100% 0px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isWaiting])
}
