/** `#/kev` */
import type { KevRow } from '../data/answers.ts'
import type { PageProps } from '../pages.ts'
import { type Column, EntryList } from '../parts/entry-list.tsx'
import { type Filter, sortFilter } from '../parts/filter.ts'
import { catalogName } from '../parts/sources.ts'
import { CveLink, Day, Flag, Severity, Unknown } from '../parts/values.tsx'

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
  { kind: 'day', name: 'due_before', label: 'Due before' },
  sortFilter([
    ['-date_added', 'newest first'],
    ['date_added', 'oldest first'],
    ['due_date', 'due first'],
    ['-due_date', 'due last'],
  ]),
]

const COLUMNS: readonly Column<KevRow>[] = [
  { name: 'CVE', kind: 'key', cell: ({ cve_id }) => <CveLink id={cve_id} /> },
  { name: 'Severity', kind: 'short', cell: ({ cve }) => <Severity band={cve.severity} score={cve.cvss_score} /> },
  {
    name: 'Name',
    kind: 'wide',
    cell: ({ vulnerability_name, cve }) => <span class="clamp">{vulnerability_name ?? cve.title ?? <Unknown />}</span>,
  },
  { name: 'Vendor', cell: ({ vendor_project }) => vendor_project ?? <Unknown /> },
  { name: 'Added', cell: ({ date_added }) => <Day at={date_added} /> },
  { name: 'Due', cell: ({ due_date }) => <Day at={due_date} /> },
  {
    name: 'Ransomware',
    kind: 'short',
    cell: ({ ransomware }) =>
      ransomware === 'known' ? <Flag name="ransomware" title="Ransomware campaigns are known to use it" /> : null,
  },
  { name: 'Catalog', kind: 'short', cell: ({ catalog }) => catalogName(catalog) },
]

export default function KevPage({ query }: PageProps) {
  return (
    <EntryList<KevRow>
      title="Exploited vulnerabilities"
      about="Entries of KEV and of further catalogs. The due date is that of the catalog. The page of a CVE has its deadlines by BOD 26-04."
      path="/kev"
      base={['kev']}
      query={query}
      filters={FILTERS}
      columns={COLUMNS}
      keyOf={({ cve_id, catalog }) => `${cve_id}/${catalog}`}
    />
  )
}
