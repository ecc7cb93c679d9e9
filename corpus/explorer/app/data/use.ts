/** Hooks that ask the API. */
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Page } from './answers.ts'
import { type Api, ApiFailure, type Params, target } from './api.ts'

export interface Session {
  /** The API of the snapshot that the pages show. */
  api: Api
  /** The API of the current snapshot. */
  now: Api
  /** The earlier snapshot that the address asks for; null for the current one. */
  past: string | null
  /** Shows the sign-in page after a request without a valid token. */
  askToken(): void
  /** Ends the session, then shows the sign-in page. */
  signOut(): void
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession outside of the application')
  return session
}

export interface Answer<T> {
  /** The last answer; of the same path while another is loaded. */
  data: T | null
  error: ApiFailure | null
  loading: boolean
  retry(): void
}

/**
 * Requests a path, and again when it changes. `null` requests nothing.
 * @param needsToken whether a 401 shows the sign-in page
 */
export function useAnswer<T>(path: string | null, params: Params = {}, needsToken = true): Answer<T> {
  const { api, askToken } = useSession()
  const asked = path === null ? null : target(path, params)
  const latest = useRef(params)
  latest.current = params
  const [round, setRound] = useState(0)
  const [got, setGot] = useState<{ asked: string | null; data: T | null; error: ApiFailure | null }>()
  useEffect(() => {
    if (path === null) return
    const stop = new AbortController()
    api.get<T>(path, latest.current, stop.signal).then(
      (data) => stop.signal.aborted || setGot({ asked, data, error: null }),
      (error) => {
        if (stop.signal.aborted) return
        const failure = failureOf(error)
        if (failure.status === 401 && needsToken) askToken()
        setGot({ asked, data: null, error: failure })
      },
    )
    return () => stop.abort()
  }, [api, asked, round])
  const isCurrent = got?.asked === asked
  const retry = useCallback(() => {
    setGot(undefined)
    setRound((n) => n + 1)
  }, [])
  return {
    data: got && (isCurrent || samePath(got.asked, asked)) ? got.data : null,
    error: isCurrent ? got.error : null,
    loading: asked !== null && !isCurrent,
    retry,
  }
}

export interface Pages<T> {
  rows: T[]
  /** The first page, which may have more fields than rows. */
  first: Page<T> | null
  error: ApiFailure | null
  loading: boolean
  /** Loads the next page; null after the last one. */
  more: (() => void) | null
  retry(): void
}

/** Rows that were loaded, so that going back shows them at once. */
const remembered = new Map<string, { pages: Page<unknown>[]; at: number }>()
const MOST_REMEMBERED = 20
/** A gateway activates a new snapshot each night: a list that is opened again later begins with the new one. */
const REMEMBERED_MS = 15 * 60_000

/**
 * Loads a list page by page. The first one has the number of all rows. When the API rejects the cursor of a page, the list
 * begins again, once by itself.
 */
export function usePages<T>(path: string | null, params: Params = {}): Pages<T> {
  const { api, askToken } = useSession()
  const asked = path === null ? null : target(path, params)
  const latest = useRef(params)
  latest.current = params
  const [state, setState] = useState<{ asked: string | null; pages: Page<T>[]; error: ApiFailure | null }>()
  const [wanted, setWanted] = useState<{ asked: string | null; pages: number; round: number }>()
  const known = useMemo(() => (asked === null ? [] : (recall(asked) as Page<T>[])), [asked])
  const isCurrent = state?.asked === asked
  const pages = isCurrent ? state.pages : known
  const want = wanted?.asked === asked ? wanted.pages : Math.max(1, known.length)
  const round = wanted?.asked === asked ? wanted.round : 0
  const cursor = pages.at(-1)?.pagination.next_cursor ?? null
  const error = isCurrent ? state.error : null
  const isOpen = asked !== null && pages.length < want && (pages.length === 0 || cursor !== null)
  const restart = () => {
    setState({ asked, pages: [], error: null })
    setWanted({ asked, pages: 1, round: round + 1 })
  }
  useEffect(() => {
    if (path === null || asked === null || !isOpen) return
    const stop = new AbortController()
    const count = cursor === null ? true : null
    api.get<Page<T>>(path, { ...latest.current, cursor, count }, stop.signal).then(
      (page) => {
        if (stop.signal.aborted) return
        const all = [...pages, page]
        remember(asked, all)
        setState({ asked, pages: all, error: null })
      },
      (thrown) => {
        if (stop.signal.aborted) return
        const failure = failureOf(thrown)
        if (failure.status === 401) askToken()
        if (isOfCursor(failure) && round === 0) restart()
        else setState({ asked, pages, error: failure })
      },
    )
    return () => stop.abort()
  }, [api, asked, pages.length, want, round])
  return {
    rows: pages.flatMap(({ data }) => data),
    first: pages[0] ?? null,
    error,
    loading: isOpen && error === null,
    more: cursor === null || isOpen ? null : () => setWanted({ asked, pages: pages.length + 1, round }),
    retry: () => {
      if (error !== null && isOfCursor(error)) return restart()
      setState({ asked, pages, error: null })
      setWanted({ asked, pages: pages.length + 1, round: round + 1 })
    },
  }
}

/** Returns the rows of a list. While others are loaded, the earlier ones stay; they are stale. */
export function useShownRows<T>(pages: Pages<T>): { rows: readonly T[]; isStale: boolean } {
  const earlier = useRef<readonly T[]>([])
  const isStale = pages.loading && pages.rows.length === 0
  if (!isStale) earlier.current = pages.rows
  return { rows: earlier.current, isStale }
}

/** Forgets the loaded rows. */
export const forgetPages = () => remembered.clear()

function remember(asked: string, pages: Page<unknown>[]): void {
  remembered.delete(asked)
  remembered.set(asked, { pages, at: Date.now() })
  if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value!)
}

function recall(asked: string): Page<unknown>[] {
  const { pages = [], at = 0 } = remembered.get(asked) ?? {}
  return Date.now() - at > REMEMBERED_MS ? [] : pages
}

/** Whether the API rejects the cursor: the gateway no longer has the snapshot that issued it. */
export const isOfCursor = ({ code }: ApiFailure): boolean => code === 'invalid_cursor'

const samePath = (a: string | null, b: string | null) => a?.split('?', 1)[0] === b?.split('?', 1)[0]

export function failureOf(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  return new ApiFailure(0, 'internal', error instanceof Error ? error.message : String(error))
}
