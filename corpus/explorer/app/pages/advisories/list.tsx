/** `#/advisories`: the list of advisories. */
import { ECOSYSTEMS } from '../../../../model/versions/ecosystems.ts'
import type { AdvisoryRow } from '../../data/answers.ts'
import { AdvisoryLink } from '../../parts/affected-table.tsx'
import { type Column, EntryList, EntryTable } from '../../parts/entry-list.tsx'
import { choices, type Filter, sortFilter } from '../../parts/filter.ts'
import { formatCount } from '../../parts/format.ts'
import { Names } from '../../parts/texts.tsx'
import { CveLink, Day, Flag, Severity, Unknown } from '../../parts/values.tsx'
import { link } from '../../router.ts'

const FILTERS: readonly Filter[] = [
  { kind: 'choice', name: 'ecosystem', label: 'Ecosystem', options: choices(ECOSYSTEMS) },
  { kind: 'choice', name: 'severity', label: 'Severity', options: choices(['critical', 'high', 'medium', 'low']) },
  { kind: 'text', name: 'prefix', label: 'Prefix of the id', hint: 'GHSA' },
  {
    kind: 'choice',
    name: 'malware',
    label: 'Malware',
    options: [
      ['', 'any'],
      ['true', 'malicious packages'],
      ['false', 'vulnerabilities'],
    ],
  },
  {
    kind: 'choice',
    name: 'withdrawn',
    label: 'Withdrawn',
    options: [
      ['', 'any'],
      ['false', 'not withdrawn'],
      ['true', 'withdrawn'],
    ],
  },
  { kind: 'day', name: 'published_since', label: 'Published since' },
  { kind: 'day', name: 'published_until', label: 'Published until' },
  { kind: 'day', name: 'modified_since', label: 'Changed since' },
  sortFilter([
    ['-published', 'newest first'],
    ['published', 'oldest first'],
  ]),
]

/** CVEs of a row that are shown. */
const FIRST_CVES = 3

const COLUMNS: readonly Column<AdvisoryRow>[] = [
  { name: 'Advisory', kind: 'key', cell: ({ advisory_id }) => <AdvisoryLink id={advisory_id} /> },
  { name: 'Severity', kind: 'short', cell: ({ severity }) => <Severity band={severity} score={null} /> },
  {
    name: 'Summary',
    kind: 'wide',
    cell: ({ summary, is_malware, is_withdrawn }) => (
      <>
        {is_withdrawn ? <Flag name="withdrawn" title="Its publisher has withdrawn it" /> : null}{' '}
        {is_malware ? <Flag name="malware" title="The packages are malicious" /> : null}{' '}
        <span class="clamp">{summary ?? <Unknown />}</span>
      </>
    ),
  },
  { name: 'CVEs', kind: 'list', cell: (row) => <Cves row={row} /> },
  { name: 'Ecosystems', cell: ({ ecosystems }) => <Names names={ecosystems} most={3} noun="ecosystems" /> },
  { name: 'Published', cell: ({ published_at }) => <Day at={published_at} /> },
  { name: 'Changed', cell: ({ modified_at }) => <Day at={modified_at} /> },
]

function Cves({ row: { advisory_id, cve_ids, cve_count } }: { row: AdvisoryRow }) {
  if (cve_count === 0) return <span class="dim">names none</span>
  return (
    <span class="ids">
      {cve_ids.slice(0, FIRST_CVES).map((id) => (
        <CveLink key={id} id={id} />
      ))}
      {cve_count > FIRST_CVES ? (
        <a href={link(['advisories', advisory_id])}>and {formatCount(cve_count - FIRST_CVES)} more</a>
      ) : null}
    </span>
  )
}

export function AdvisoryList({ query }: { query: URLSearchParams }) {
  return (
    <EntryList<AdvisoryRow>
      title="Advisories"
      about="What databases of advisories publish, also without a CVE. Several may publish about the same vulnerability."
      noun={['advisory', 'advisories']}
      path="/advisories"
      base={['advisories']}
      query={query}
      filters={FILTERS}
      table={(rows) => (
        <EntryTable rows={rows} columns={COLUMNS} keyOf={({ advisory_id }) => advisory_id} caption="Advisories" />
      )}
    />
  )
}
