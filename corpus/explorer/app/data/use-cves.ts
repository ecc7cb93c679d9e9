/** Facts of CVEs that rows of other lists name. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { CveSummary, Page } from './answers.ts'
import { MAX_LIMIT } from './api.ts'
import { useSession } from './use.ts'

const FIELDS = ['title', 'severity', 'cvss_score', 'kev'] as const
export type CveFacts = Pick<CveSummary, 'cve_id' | (typeof FIELDS)[number]>

/**
 * Returns the facts that are known so far, by id, and requests those of other ids. Without a gateway there are none: the
 * filter `ids` would download the filter tables. CVEs without a record have none.
 */
export function useCves(ids: readonly string[]): ReadonlyMap<string, CveFacts> {
  const { api } = useSession()
  const [known, setKnown] = useState<ReadonlyMap<string, CveFacts | null>>(new Map())
  const missing = useMemo(
    () => [...new Set(ids)].filter((id) => !known.has(id)).slice(0, MAX_LIMIT),
    [ids.join(), known],
  )
  useEffect(() => {
    if (missing.length === 0 || api.mode !== 'gateway') return
    const stop = new AbortController()
    const add = (rows: readonly CveFacts[]) => {
      if (stop.signal.aborted) return
      const found = new Map<string, CveFacts>(rows.map((row) => [row.cve_id, row]))
      setKnown((before) => new Map([...before, ...missing.map((id) => [id, found.get(id) ?? null] as const)]))
    }
    api.get<Page<CveFacts>>('/cves', { ids: missing, fields: FIELDS }, stop.signal).then(
      ({ data }) => add(data),
      // The ids stay links. The list itself reports failures.
      () => add([]),
    )
    return () => stop.abort()
  }, [api, missing])
  return useMemo(() => new Map([...known].filter((one): one is [string, CveFacts] => one[1] !== null)), [known])
}
