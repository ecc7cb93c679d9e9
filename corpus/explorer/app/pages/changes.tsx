/** `#/changes?since=&until=&change=`: the CVEs that differ between two snapshots. */
import { useEffect } from 'preact/hooks'
import type { Changes, Page, Snapshots } from '../data/answers.ts'
import { MAX_LIMIT } from '../data/api.ts'
import { type Pages, useAnswer, usePages } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { Await, Failure } from '../parts/answer.tsx'
import { type Column, EntryTable, PagedTable } from '../parts/entry-list.tsx'
import type { ChoiceFilter } from '../parts/filter.ts'
import { Filters } from '../parts/filters.tsx'
import { formatCount, formatTime } from '../parts/format.ts'
import { Heading } from '../parts/heading.tsx'
import { Figures } from '../parts/texts.tsx'
import { CveLink } from '../parts/values.tsx'
import { link } from '../router.ts'
import {
  CHANGES,
  type Change,
  countsOf,
  idOf,
  isNewer,
  SECTION_NAMES,
  type SnapshotRow,
  sinceOf,
} from './changes/choice.ts'

export default function ChangesPage({ query }: PageProps) {
  const answer = useAnswer<Snapshots>('/snapshots', { limit: MAX_LIMIT })
  return (
    <>
      <Heading>Changes</Heading>
      <p class="about">
        The CVEs that were added, changed or removed between two snapshots. New EPSS scores do not count as changes.
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
  const filters: ChoiceFilter[] = [
    {
      kind: 'choice',
      name: 'since',
      label: 'Since snapshot',
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
      options: snapshots.map((one) => [one.id, nameOf(one)] as const),
    },
    {
      kind: 'choice',
      name: 'change',
      label: 'Change',
      options: [['', 'any'], ...CHANGES.map((change) => [change, change] as const)],
    },
  ]
  const shown = new URLSearchParams(query)
  shown.set('since', since ?? '')
  shown.set('until', later.id)
  return (
    <>
      <Filters filters={filters} base={['changes']} query={shown} label="Snapshots" />
      {since === null ? (
        <p class="notice">
          There is no snapshot before {nameOf(later)}. The next build will show changes, if it keeps this snapshot.
        </p>
      ) : (
        <Compared since={since} until={until} change={query.get('change')} />
      )}
    </>
  )
}

const COLUMNS: readonly Column<Change>[] = [
  {
    name: 'CVE',
    kind: 'key',
    cell: ({ cve_id, change }) => (change === 'removed' ? <span class="id">{cve_id}</span> : <CveLink id={cve_id} />),
  },
  { name: 'Change', cell: ({ change }) => <span class={`change ${change}`}>{change}</span> },
  {
    name: 'Parts that differ',
    kind: 'wide',
    cell: ({ change, sections }) => {
      if (change === 'removed') return <span class="dim">rejected, or no longer in the CVE list</span>
      if (sections.length === 0) return <span class="dim">only internal data</span>
      return sections.map((section) => SECTION_NAMES[section] ?? section).join(', ')
    },
  },
  {
    name: 'Details',
    cell: ({ cve_id, change }) =>
      change === 'removed' ? null : (
        <a href={link(['cves', cve_id], { section: 'timeline' })} aria-label={`Timeline of ${cve_id}`}>
          Timeline
        </a>
      ),
  },
]

/** Rows that are loaded without a click, so that counts are complete after a usual night. */
const LOADED_AT_ONCE = 2000

function Compared({ since, until, change }: { since: string; until: string | null; change: string | null }) {
  const pages = usePages<Change>('/changes', { since, until, limit: MAX_LIMIT })
  const { rows, more, loading, error } = pages
  useEffect(() => {
    if (more && !loading && rows.length < LOADED_AT_ONCE) more()
  }, [more === null, loading, rows.length])
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
  const counts = countsOf(rows)
  const first = pages.first as (Page<Change> & Pick<Changes, 'since' | 'snapshot'>) | null
  const matching: Pages<Change> = { ...pages, rows: change ? rows.filter((row) => row.change === change) : rows }
  return (
    <>
      {first === null ? null : (
        <>
          <p>
            From <code>{first.since.slice(0, 12)}</code> to <code>{first.snapshot.slice(0, 12)}</code>
          </p>
          <Figures figures={CHANGES.map((name) => [name, formatCount(counts[name])])} />
          {more === null && !loading ? null : (
            <p class="dim">
              The counts cover the first {formatCount(rows.length)} changes. Load more to complete them.
            </p>
          )}
        </>
      )}
      <PagedTable
        pages={matching}
        empty={change ? `No CVE has the change “${change}”.` : 'No CVE differs.'}
        isEndless={false}
      >
        {(shown) => <EntryTable rows={shown} columns={COLUMNS} keyOf={({ cve_id }) => cve_id} caption="Changes" />}
      </PagedTable>
    </>
  )
}
