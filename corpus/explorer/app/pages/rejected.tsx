/** `#/rejected`: CVEs whose records were rejected. */
import type { RejectedRow } from '../data/answers.ts'
import type { PageProps } from '../pages.ts'
import { type Column, EntryList, EntryTable } from '../parts/entry-list.tsx'
import { type Filter, sortFilter } from '../parts/filter.ts'
import { CveLink, Day, Unknown } from '../parts/values.tsx'

const FILTERS: readonly Filter[] = [
  {
    kind: 'choice',
    name: 'replaced',
    label: 'Replacement',
    options: [
      ['', 'any'],
      ['true', 'replaced by another CVE'],
      ['false', 'not replaced'],
    ],
  },
  { kind: 'day', name: 'rejected_since', label: 'Rejected since' },
  { kind: 'day', name: 'rejected_until', label: 'Rejected until' },
  sortFilter([
    ['-date_rejected', 'newest first'],
    ['date_rejected', 'oldest first'],
  ]),
]

const COLUMNS: readonly Column<RejectedRow>[] = [
  { name: 'CVE', kind: 'key', cell: ({ cve_id }) => <CveLink id={cve_id} /> },
  { name: 'Rejected', cell: ({ date_rejected }) => <Day at={date_rejected} /> },
  {
    name: 'Replaced by',
    kind: 'list',
    cell: ({ replaced_by }) =>
      replaced_by.length === 0 ? null : (
        <span class="ids">
          {replaced_by.map((id) => (
            <CveLink key={id} id={id} />
          ))}
        </span>
      ),
  },
  { name: 'Reason', kind: 'wide', cell: ({ reason }) => (reason === null ? <Unknown /> : withLinks(reason)) },
]

/** A text, with links to the CVEs that it names. */
const withLinks = (text: string) =>
  text.split(/\b(CVE-\d{4}-\d{4,})\b/).map((part, i) => (i % 2 === 1 ? <CveLink key={i} id={part} /> : part))

export default function RejectedPage({ query }: PageProps) {
  return (
    <EntryList<RejectedRow>
      title="Rejected CVEs"
      about="CVEs whose records were rejected, as the CVE list states it. They are in no other list."
      noun={['rejected CVE', 'rejected CVEs']}
      path="/rejected"
      base={['rejected']}
      query={query}
      filters={FILTERS}
      table={(rows) => (
        <EntryTable rows={rows} columns={COLUMNS} keyOf={({ cve_id }) => cve_id} caption="Rejected CVEs" />
      )}
    />
  )
}
