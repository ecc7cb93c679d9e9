/** What changed about the watch list since the previous snapshot. */
import { useEffect } from 'preact/hooks'
import { MAX_LIMIT } from '../../data/api.ts'
import { usePages } from '../../data/use.ts'
import { Failure } from '../../parts/answer.tsx'
import { formatCount } from '../../parts/format.ts'
import { CveLink, Severity } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import { KIND_WORDS, pathOf } from '../../watch/entries.ts'
import { entriesOf } from '../../watch/matching.ts'
import { useWatchList } from '../../watch/use-watch-list.ts'
import { type FactRow, GROUPS, grouped } from '../changes/groups.ts'

const MOST = 4
/** Rows that are read without a click: a usual night has fewer changes. */
const READ_AT_ONCE = 2000

export function WatchNews({ parent }: { parent: string }) {
  const { entries, damage } = useWatchList()
  const pages = usePages<FactRow>('/changes', { since: parent, include: 'facts', limit: MAX_LIMIT })
  const { rows, more, loading, error } = pages
  const isEnough = rows.length >= READ_AT_ONCE
  useEffect(() => {
    if (more && !loading && !isEnough) more()
  }, [more === null, loading, isEnough])
  if (damage !== null) {
    return (
      <p>
        The watch list of this browser cannot be read. <a href={link(['watch'])}>See why</a>
      </p>
    )
  }
  if (error?.status === 410) return <p>The server no longer has the previous snapshot, so it knows no changes.</p>
  if (error) return <Failure error={error} retry={pages.retry} />
  if (loading || (more && !isEnough)) {
    // Another key: the same element in another position would count as moved.
    return (
      <p key="comparing" class="dim">
        Comparing with the previous snapshot… {rows.length > 0 ? formatCount(rows.length) : ''}
      </p>
    )
  }
  const found = rows.filter((row) => entriesOf(row, entries).length > 0)
  const groups = grouped(found)
  const inOrder = [...new Set(GROUPS.flatMap(([name]) => groups[name]))]
  const counts = GROUPS.filter(([name]) => groups[name].length > 0)
  return (
    <>
      <p key="counts" class="counts">
        {found.length > 0
          ? null
          : more
            ? `Nothing among the first ${formatCount(rows.length)} changes since the previous snapshot.`
            : 'Nothing changed since the previous snapshot.'}
        {counts.map(([name, title]) => (
          <a key={name} href={link(['changes'], { watched: true, group: name })}>
            <b>{formatCount(groups[name].length)}</b> {title.toLowerCase().replace('kev', 'KEV')}
          </a>
        ))}
      </p>
      <ol>
        {/* The space of the news shows the list when there are none. */}
        {found.length === 0
          ? entries.slice(0, MOST).map((entry) => (
              <li key={`${entry.kind} ${entry.name}`}>
                <a href={link(pathOf(entry))}>{entry.name}</a>
                <span class="why">{KIND_WORDS[entry.kind].one}</span>
              </li>
            ))
          : null}
        {inOrder.slice(0, MOST).map((row) => {
          const state = row.after ?? row.before
          return (
            <li key={row.cve_id}>
              <CveLink id={row.cve_id} /> {state ? <Severity band={state.severity} score={state.cvss_score} /> : null}
              <span class="why">
                <b>{entriesOf(row, entries)[0]?.name}</b> {state?.title?.slice(0, 200)}
              </span>
            </li>
          )
        })}
      </ol>
      <p class="about">
        {more && found.length > 0 ? `Only the first ${formatCount(rows.length)} changes are compared. ` : null}
        <a href={link(['changes'], { watched: true })}>
          {found.length > MOST ? `All ${formatCount(found.length)} changes` : 'Changes'} of the watch list
        </a>
      </p>
    </>
  )
}
