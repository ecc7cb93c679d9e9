/** The CVEs whose EPSS score rose most over 30 days. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CveRow, Page } from '../../data/answers.ts'
import { useAnswer } from '../../data/use.ts'
import { Failure } from '../../parts/answer.tsx'
import { formatChange, formatShare } from '../../parts/format.ts'
import { CveLink, Flag, Severity } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import { FIELDS, MOST, risenOf } from './risen.ts'

/** The section has its full height from the beginning, so that nothing moves when the rows are there. */
export function Rising() {
  const list = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(list)
  const { data, error, loading, retry } = useAnswer<Page<CveRow>>(isSeen ? '/cves' : null, {
    sort: '-epss_change',
    limit: MOST,
    fields: FIELDS,
  })
  return (
    <section class="chart" aria-busy={loading}>
      <h2>Rising EPSS scores</h2>
      <p class="axis">EPSS score, and its rise over 30 days in percentage points</p>
      <div ref={list} class="rising">
        {data ? <Risen rows={data.data} /> : null}
        {error ? <Failure error={error} retry={retry} /> : null}
      </div>
      <p>
        <a href={link(['cves'], { sort: '-epss_change' })}>All CVEs by the rise of their score</a>
      </p>
    </section>
  )
}

/** Visible part of the list at which it is loaded. */
const SEEN = 0.25

/**
 * Returns whether the element was in the window. Without a gateway, the rows take nine requests, a fifth of those of the
 * whole page (test/bench/README.md): only users who see them cause them.
 */
function useSeen(element: RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || !element.current) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { threshold: SEEN },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [isSeen])
  return isSeen
}

function Risen({ rows }: { rows: readonly CveRow[] }) {
  const { isKnown, risen } = risenOf(rows)
  if (!isKnown) {
    return (
      <p class="dim">
        No change over 30 days is known. It needs an edition of EPSS from 30 to 37 days earlier, with scores of the same
        model.
      </p>
    )
  }
  if (risen.length === 0) return <p class="dim">No score rose.</p>
  return (
    <ol>
      {risen.map(({ cve_id: id, title, severity, kev, epss, change }) => (
        <li key={id}>
          <CveLink id={id} />
          <span>{kev.listed ? <Flag name="KEV" title={`In the KEV catalog since ${kev.date_added}`} /> : null}</span>
          <span class="number">
            {epss.score === null ? null : formatShare(epss.score)} <b>{formatChange(change)}</b>
          </span>
          <span class="about">
            <Severity band={severity} /> {title?.slice(0, 200)}
          </span>
        </li>
      ))}
    </ol>
  )
}
