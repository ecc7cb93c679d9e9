/** `#/kev` */
import { useState } from 'preact/hooks'
import type { KevRow, Snapshot } from '../data/answers.ts'
import { useAnswer, useSession } from '../data/use.ts'
import type { PageProps } from '../pages.ts'
import { type Column, EntryList, EntryTable } from '../parts/entry-list.tsx'
import { type Filter, sortFilter } from '../parts/filter.ts'
import { formatDay } from '../parts/format.ts'
import { catalogName } from '../parts/sources.ts'
import { CveLink, Day, Flag, Severity, Unknown } from '../parts/values.tsx'
import { link } from '../router.ts'
import type { WatchEntry } from '../watch/entries.ts'
import { useWatchList } from '../watch/use-watch-list.ts'
import { DUE_PERIODS, dayAfter, untilText } from './kev/due.ts'
import { isWatched } from './kev/watched.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'text', name: 'vendor', label: 'Vendor', hint: 'Microsoft' },
  {
    kind: 'choice',
    name: 'ransomware',
    label: 'Ransomware',
    options: [
      ['', 'any'],
      ['known', 'known use'],
      ['unknown', 'no known use'],
    ],
  },
  { kind: 'text', name: 'catalog', label: 'Catalog', hint: 'cisa' },
  { kind: 'day', name: 'added_since', label: 'Added since' },
  { kind: 'day', name: 'added_until', label: 'Added until' },
  { kind: 'day', name: 'due_since', label: 'Due since' },
  { kind: 'day', name: 'due_before', label: 'Due before' },
  sortFilter([
    ['-date_added', 'newest first'],
    ['date_added', 'oldest first'],
    ['due_date', 'due first'],
    ['-due_date', 'due last'],
  ]),
]

const columnsAt = (today: string | null, watched: readonly WatchEntry[]): readonly Column<KevRow>[] => [
  { name: 'CVE', kind: 'key', cell: ({ cve_id }) => <CveLink id={cve_id} /> },
  { name: 'Severity', kind: 'short', cell: ({ cve }) => <Severity band={cve.severity} score={cve.cvss_score} /> },
  {
    name: 'Name',
    kind: 'wide',
    cell: ({ vulnerability_name, cve }) => <span class="clamp">{vulnerability_name ?? cve.title ?? <Unknown />}</span>,
  },
  {
    name: 'Product',
    cell: (row) => (
      <>
        {row.vendor_project === null && row.product === null ? (
          <Unknown />
        ) : (
          [row.vendor_project, row.product].filter((name) => name !== null).join(' · ')
        )}{' '}
        {isWatched(row, watched) ? <Flag name="watched" title="On your watch list" /> : null}
      </>
    ),
  },
  { name: 'Added', cell: ({ date_added }) => <Day at={date_added} /> },
  {
    name: 'Due',
    cell: ({ due_date }) => (
      <>
        <Day at={due_date} />
        {due_date !== null && today !== null && due_date >= today ? (
          <b class="due">{untilText(due_date, today)}</b>
        ) : null}
      </>
    ),
  },
  {
    name: 'Ransomware',
    kind: 'short',
    cell: ({ ransomware }) =>
      ransomware === 'known' ? <Flag name="ransomware" title="Ransomware campaigns are known to use it" /> : null,
  },
  { name: 'Catalog', kind: 'short', cell: ({ catalog }) => catalogName(catalog) },
]

/** Returns the day from which due dates count, `YYYY-MM-DD`: today in UTC, or that of an earlier snapshot. */
function useToday(): string | null {
  const { past } = useSession()
  const [now] = useState(() => new Date().toISOString())
  const snapshot = useAnswer<Snapshot>(past === null ? null : '/snapshot')
  return (past === null ? now : (snapshot.data?.created_at ?? null))?.slice(0, 10) ?? null
}

export default function KevPage({ query }: PageProps) {
  const today = useToday()
  const { entries } = useWatchList()
  return (
    <EntryList<KevRow>
      title="Exploited vulnerabilities"
      about="Entries of KEV and of further catalogs. The due date is that of the catalog. The page of a CVE has its deadlines by BOD 26-04. Entries of your watch list have a mark."
      noun={['entry', 'entries']}
      path="/kev"
      base={['kev']}
      query={query}
      filters={FILTERS}
      table={(rows) => (
        <EntryTable
          rows={rows}
          columns={columnsAt(today, entries)}
          keyOf={({ cve_id, catalog }) => `${cve_id}/${catalog}`}
          caption="Exploited vulnerabilities"
        />
      )}
    >
      <p class="presets">{today === null ? ' ' : <DueLinks today={today} query={query} />}</p>
    </EntryList>
  )
}

function DueLinks({ today, query }: { today: string; query: URLSearchParams }) {
  const others = Object.fromEntries([...query].filter(([name]) => name !== 'due_since' && name !== 'due_before'))
  return (
    <>
      <span class="dim">Due, counted from {formatDay(today)}:</span>
      {DUE_PERIODS.map(({ name, from, to }) => {
        const due_since = from === null ? null : dayAfter(today, from)
        const due_before = dayAfter(today, to)
        const isCurrent = query.get('due_since') === due_since && query.get('due_before') === due_before
        return (
          <a
            key={name}
            href={link(['kev'], { sort: 'due_date', ...others, due_since, due_before })}
            aria-current={isCurrent ? 'true' : undefined}
          >
            {name}
          </a>
        )
      })}
    </>
  )
}
