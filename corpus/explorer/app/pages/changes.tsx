/** `#/changes?since=&until=&change=`: the CVEs that differ between two snapshots. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Changes, Page, Snapshots } from '../data/answers.ts'
import { MAX_LIMIT } from '../data/api.ts'
import { useAnswer, usePages, useSession } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, Failure } from '../parts/answer.tsx'
import type { Filter } from '../parts/filter.ts'
import { Filters } from '../parts/filters.tsx'
import { formatCount, formatTime } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { ApiRequest, ExportMenu } from '../parts/list-tools.tsx'
import { InSteps } from '../parts/steps.tsx'
import { Time } from '../parts/values.tsx'
import { link } from '../router.ts'
import { rowTest } from '../watch/matching.ts'
import { useWatchList } from '../watch/use-watch-list.ts'
import { previousVisit } from '../watch/visit.ts'
import { CHANGES, type Change, countsOf, idOf, isNewer, type SnapshotRow, sinceOf } from './changes/choice.ts'
import { type FactRow, GROUPS, grouped } from './changes/groups.ts'
import { ChangeTable } from './changes/table.tsx'

export default function ChangesPage({ query }: PageProps) {
  const answer = useAnswer<Snapshots>('/snapshots', { limit: MAX_LIMIT })
  return (
    <>
      <Heading>Changes</Heading>
      <p class="about">
        What is new, changed or rejected between two snapshots. New EPSS scores do not count as changes.
      </p>
      <Await answer={answer}>{({ data }) => <Choice snapshots={data} query={query} />}</Await>
    </>
  )
}

const nameOf = ({ id, created_at, cves }: SnapshotRow) =>
  `${formatTime(created_at)} · ${id.slice(0, 12)} · ${formatCount(cves)} CVEs`

function Choice({ snapshots, query }: { snapshots: SnapshotRow[]; query: URLSearchParams }) {
  const [current] = snapshots
  const until = query.get('until')
  const later = snapshots.find(({ id }) => until !== null && id === idOf(snapshots, until)) ?? current
  const since = sinceOf(snapshots, later, query.get('since'))
  if (!current || !later) return <p class="notice">The server has no snapshot. Build or publish one.</p>
  const usual = sinceOf(snapshots, later, null)
  const earlier = snapshots.filter((one) => isNewer(later, one))
  const filters: Filter[] = [
    {
      kind: 'choice',
      name: 'since',
      label: 'Since snapshot',
      isMain: true,
      // The first one is the default, which needs no parameter.
      options: [
        ...(since === null ? [['', 'none'] as const] : []),
        ...earlier
          .toSorted((x, y) => Number(y.id === usual) - Number(x.id === usual))
          .map((one) => [one.id, nameOf(one)] as const),
        ...(since !== null && earlier.every(({ id }) => id !== since) ? [[since, since.slice(0, 12)] as const] : []),
      ],
    },
    {
      kind: 'choice',
      name: 'until',
      label: 'Until snapshot',
      isMain: true,
      options: snapshots.map((one) => [one.id, nameOf(one)] as const),
    },
    {
      kind: 'choice',
      name: 'change',
      label: 'Change',
      options: [['', 'any'], ...CHANGES.map((change) => [change, change] as const)],
    },
    { kind: 'text', name: 'vendor', label: 'Vendor', hint: 'cisco' },
    { kind: 'text', name: 'product', label: 'Product', hint: 'microsoft/windows_10' },
    {
      kind: 'choice',
      name: 'watched',
      label: 'CVEs',
      options: [
        ['', 'all'],
        ['true', 'my watch list'],
      ],
    },
  ]
  const shown = new URLSearchParams(query)
  shown.set('since', since ?? '')
  shown.set('until', later.id)
  return (
    <>
      <LastVisit snapshots={snapshots} since={since} query={query} />
      <Filters filters={filters} base={['changes']} query={shown} label="Snapshots and filters" />
      <WatchHint query={query} />
      {since === null ? (
        <p class="notice">
          There is no snapshot before {nameOf(later)}. The next build will show changes, if it keeps this snapshot.
        </p>
      ) : (
        <Compared key={`${since} ${until}`} since={since} until={until} query={query} />
      )}
    </>
  )
}

/** Offers the changes since the snapshot that this browser saw before the current one. */
function LastVisit({
  snapshots,
  since,
  query,
}: {
  snapshots: readonly SnapshotRow[]
  since: string | null
  query: URLSearchParams
}) {
  const { past } = useSession()
  const [current] = snapshots
  const [previous] = useState(() => (past === null && current ? previousVisit(current.id) : null))
  if (previous === null) return null
  const row = snapshots.find(({ id }) => id === previous)
  if (!row) {
    return (
      <p class="about">
        The server no longer lists the snapshot of your last visit ({previous.slice(0, 12)}). Choose the oldest one that
        it has, to see as much as possible.
      </p>
    )
  }
  if (since === row.id && query.get('until') === null) {
    return (
      <p class="about">
        Since your last visit: the snapshot of <Time at={row.created_at} />.
      </p>
    )
  }
  return (
    <p class="about">
      <a href={link(['changes'], { ...Object.fromEntries(query), since: row.id, until: null })}>
        Since your last visit
      </a>
      , the snapshot of <Time at={row.created_at} />
    </p>
  )
}

function WatchHint({ query }: { query: URLSearchParams }) {
  const { entries } = useWatchList()
  if (query.get('watched') !== 'true') return null
  return (
    <p class="about">
      {entries.length === 0 ? 'Your watch list is empty, so no change matches. ' : null}
      <a href={link(['watch'])}>Edit the watch list</a> ({formatCount(entries.length)})
    </p>
  )
}

/** Rows that are loaded without a click, so that counts are complete after a usual night. */
const LOADED_AT_ONCE = 3000
/** Rows of a group beside others, and of a group alone. */
const FEW = 10
const MANY = 50

function Compared({ since, until, query }: { since: string; until: string | null; query: URLSearchParams }) {
  const params = { since, until, include: 'facts' }
  const pages = usePages<FactRow>('/changes', { ...params, limit: MAX_LIMIT })
  const { rows, more, loading, error } = pages
  const { entries } = useWatchList()
  const [isShown, setShown] = useState(false)
  const isComplete = more === null && !loading
  useEffect(() => {
    if (more && !loading && rows.length < LOADED_AT_ONCE) more()
    else if (!loading) setShown(true)
  }, [more === null, loading, rows.length])
  const names = {
    vendor: query.get('vendor'),
    product: query.get('product'),
    watched: query.get('watched') === 'true' ? entries : null,
  }
  const change = query.get('change')
  const passes = useMemo(() => rowTest(names), [names.vendor, names.product, names.watched])
  const isPassing = (row: FactRow) => (!change || row.change === change) && passes(row)
  const passing = useMemo(() => rows.filter(isPassing), [rows.length, passes, change])
  const groups = useMemo(() => grouped(passing), [passing])
  if (error?.status === 410) {
    return (
      <p class="notice failure" role="alert">
        Snapshot {since.slice(0, 12)} cannot be compared with{' '}
        {until === null ? 'the current snapshot' : `snapshot ${until.slice(0, 12)}`}: the server does not have one of
        them. Choose another snapshot, or see the{' '}
        <a href={link(['cves'], { sort: '-updated' })}>CVEs that were updated last</a>.
      </p>
    )
  }
  if (error && rows.length === 0) return <Failure error={error} retry={pages.retry} />
  // The groups grow with each page, so they are shown when a usual night is complete.
  if (!isShown && !error) {
    return (
      <div class="loading" role="status">
        {rows.length === 0 ? 'Loading…' : `Loading… ${formatCount(rows.length)} changes so far`}
      </div>
    )
  }
  const hasNames = names.vendor || names.product || names.watched
  const uncertain = hasNames ? rows.filter((row) => row.names_complete === false && !passes(row)).length : 0
  const first = pages.first as (Page<Change> & Pick<Changes, 'since' | 'snapshot'>) | null
  const chosen = GROUPS.find(([name]) => name === query.get('group'))
  const shown = (chosen ? [chosen] : GROUPS).filter(([name]) => groups[name].length > 0)
  const toGroup = (group: string | null) => link(['changes'], { ...Object.fromEntries(query), group })
  return (
    <>
      {/* With a key: otherwise Preact would turn the element "Loading" into this one, which moves it. */}
      <div key="tools" class="list-tools">
        <p class="count">
          {first ? (
            <>
              From <code>{first.since.slice(0, 12)}</code> to <code>{first.snapshot.slice(0, 12)}</code>:{' '}
            </>
          ) : null}
          {countsText(passing)}.{' '}
          {passing.length < rows.length
            ? `The filters hide ${formatCount(rows.length - passing.length)} others.`
            : null}
        </p>
        <ExportMenu path="/changes" params={params} noun={['change', 'changes']} passes={isPassing} />
        <ApiRequest path="/changes" params={params} />
      </div>
      {isComplete ? null : (
        <p class="notice">
          All counts cover the first {formatCount(rows.length)} changes, by CVE id. There are more.{' '}
          {error ? null : (
            <button type="button" aria-disabled={loading} onClick={() => more?.()}>
              {loading ? 'Loading…' : 'Load more'}
            </button>
          )}
        </p>
      )}
      {error ? <Failure error={error} retry={pages.retry} /> : null}
      {uncertain > 0 ? (
        <p class="notice">
          {formatCount(uncertain)} of the hidden CVEs have more names than the answer lists, so a filter can miss them.
        </p>
      ) : null}
      <ul class="groups" aria-label="Groups">
        {GROUPS.map(([name, title]) => (
          <li key={name} class={groups[name].length === 0 ? 'dim' : undefined}>
            {groups[name].length === 0 ? (
              <>
                <b>0</b> {title}
              </>
            ) : (
              <a href={toGroup(name)} aria-current={chosen?.[0] === name ? 'true' : undefined}>
                <b>{formatCount(groups[name].length)}</b> {title}
              </a>
            )}
          </li>
        ))}
      </ul>
      <p class="about">{chosen ? <a href={toGroup(null)}>All groups</a> : 'A CVE can be in several groups.'}</p>
      {shown.length === 0 ? <p>No change matches.</p> : null}
      {shown.map(([name, title, about]) => (
        <section key={name} aria-labelledby={`group-${name}`}>
          <h2 id={`group-${name}`}>
            {title} <span class="dim">{formatCount(groups[name].length)}</span>
          </h2>
          <p class="about">{about}</p>
          <InSteps items={groups[name]} first={chosen ? MANY : FEW} noun="changes">
            {(some) => <ChangeTable rows={some} caption={title} />}
          </InSteps>
        </section>
      ))}
    </>
  )
}

function countsText(rows: readonly Change[]): string {
  const counts = countsOf(rows)
  return CHANGES.map((name) => `${formatCount(counts[name])} ${name}`).join(', ')
}
