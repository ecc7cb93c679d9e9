/** Numbers of rows of lists. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Page } from './answers.ts'
import { type ApiFailure, type Params, target } from './api.ts'
import { failureOf, useSession } from './use.ts'

export interface Totals {
  /** In the order of the lists; null until all are known. */
  totals: readonly number[] | null
  error: ApiFailure | null
}

/** Requests the number of CVEs of each list of `/cves`. Null requests nothing. */
export function useTotals(lists: readonly Params[] | null): Totals {
  const { api, askToken } = useSession()
  const asked = lists === null ? null : lists.map((params) => target('/cves', params)).join(' ')
  const latest = useRef(lists)
  latest.current = lists
  const [got, setGot] = useState<Totals & { asked: string | null }>()
  useEffect(() => {
    if (asked === null) return
    const stop = new AbortController()
    const total = async (params: Params) => {
      const one = { ...params, fields: 'cve_id', limit: 1, count: true }
      return (await api.get<Page<unknown>>('/cves', one, stop.signal)).pagination.total!
    }
    Promise.all(latest.current!.map(total)).then(
      (totals) => stop.signal.aborted || setGot({ asked, totals, error: null }),
      (thrown) => {
        if (stop.signal.aborted) return
        const error = failureOf(thrown)
        if (error.status === 401) askToken()
        setGot({ asked, totals: null, error })
      },
    )
    return () => stop.abort()
  }, [api, asked])
  return got?.asked === asked && got ? got : { totals: null, error: null }
}
