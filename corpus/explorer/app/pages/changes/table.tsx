/** The table of a group of changes: what each CVE is, and what it was. */
import { type Column, EntryTable } from '../../parts/entry-list.tsx'
import { CveLink, Severity, Unknown } from '../../parts/values.tsx'
import { link } from '../../router.ts'
import { SECTION_NAMES } from './choice.ts'
import { type FactRow, factChanges } from './groups.ts'

const MOST_TITLE = 300

const COLUMNS: readonly Column<FactRow>[] = [
  {
    name: 'CVE',
    kind: 'key',
    // The page of a rejected CVE states the reason.
    cell: ({ cve_id }) => <CveLink id={cve_id} />,
  },
  {
    name: 'Severity',
    kind: 'short',
    cell: ({ before, after }) => {
      const state = after ?? before
      return state ? <Severity band={state.severity} score={state.cvss_score} /> : <Unknown />
    },
  },
  {
    name: 'Title',
    kind: 'wide',
    cell: ({ before, after }) => (
      <span class="clamp">{(after ?? before)?.title?.slice(0, MOST_TITLE) ?? <Unknown />}</span>
    ),
  },
  { name: 'Before → after', kind: 'list', cell: (row) => <Difference row={row} /> },
  {
    name: 'Vendors',
    kind: 'list',
    cell: ({ vendors = [] }) => (
      <span class="clamp">
        {vendors.slice(0, 3).map((vendor, i) => (
          <span key={vendor}>
            {i > 0 ? ', ' : ''}
            <a href={link(['vendors', vendor])}>{vendor}</a>
          </span>
        ))}
        {vendors.length > 3 ? ` and ${vendors.length - 3} more` : ''}
      </span>
    ),
  },
]

/** The facts that differ; else the parts of the record. */
function Difference({ row }: { row: FactRow }) {
  const { change, sections, cve_id: id } = row
  if (change === 'added') return <span class="change added">new</span>
  if (change === 'removed') return <span class="change removed">rejected or removed</span>
  const changes = factChanges(row)
  const rest = sections.filter((section) => section !== 'core' && section !== 'timeline')
  if (changes.length > 0) {
    return (
      <ul class="differences">
        {changes.map(({ what, before, after }) => (
          <li key={what}>
            <span class="dim">{what}</span> <s>{before.slice(0, MOST_TITLE)}</s> → <b>{after.slice(0, MOST_TITLE)}</b>
          </li>
        ))}
      </ul>
    )
  }
  return (
    <a href={link(['cves', id], { section: 'timeline' })}>
      {rest.map((section) => SECTION_NAMES[section] ?? section).join(', ') || 'summary or internal data'}
      <span class="for-reader"> in the timeline of {id}</span>
    </a>
  )
}

export function ChangeTable({ rows, caption }: { rows: readonly FactRow[]; caption: string }) {
  return <EntryTable rows={rows} columns={COLUMNS} keyOf={({ cve_id }) => cve_id} caption={caption} />
}
