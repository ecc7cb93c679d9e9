/** Advisories that affect a package or product: rows of `/affected`. */
import type { ComponentChildren } from 'preact'
import { UNDECIDED_REASONS } from '../../../inventory/reasons.ts'
import type { AffectedRow } from '../data/answers.ts'
import { link } from '../router.ts'
import { type Column, EntryTable } from './entry-list.tsx'
import { formatShare } from './format.ts'
import { matchText } from './ranges.ts'
import { sourceName } from './sources.ts'
import { InSteps } from './steps.tsx'
import { CveLink, Day, Flag, Severity, Unknown } from './values.tsx'

/** CVEs and versions of an advisory that are shown at first. */
const FIRST_LISTED = 20

/** CVEs have a page of their own, other ids one of the advisory. */
export function AdvisoryLink({ id }: { id: string }) {
  return /^CVE-/i.test(id) ? (
    <CveLink id={id} />
  ) : (
    <a class="id" href={link(['advisories', id])}>
      {id}
    </a>
  )
}

/** The advisory, and below it the CVEs that it names. */
export function AdvisoryIds({ row }: { row: AffectedRow }) {
  return (
    <span class="ids">
      <AdvisoryLink id={row.advisory_id} />
      <InSteps items={row.cve_ids.filter((id) => id !== row.advisory_id)} first={FIRST_LISTED} noun="CVEs">
        {(shown) => shown.map((id) => <CveLink key={id} id={id} />)}
      </InSteps>
    </span>
  )
}

/** Null without flags: on phones, an empty cell has no label. */
export function RowFlags({ row }: { row: AffectedRow }) {
  if (!row.kev && !row.has_exploit) return null
  return (
    <span class="flags">
      {row.kev ? <Flag name="KEV" title="In the KEV catalog" /> : null}
      {row.has_exploit ? <Flag name="exploit" title="Public exploit code, or evidence of exploitation" /> : null}
    </span>
  )
}

/** Severity and score; the rating of the publisher, and what Debian calls unimportant, where they differ. */
export function Rating({ row: { severity, cvss_score, stated_severity, urgency } }: { row: AffectedRow }) {
  return (
    <>
      <Severity band={severity} score={cvss_score} />
      {stated_severity === null ? null : <span class="where">stated {stated_severity}</span>}
      {urgency === null ? null : <span class="where">{urgency}</span>}
    </>
  )
}

/** The verdict, with the range that matched and the source that states it. */
export function Verdict({ row: { verdict, matched_by, undecided_reason, advisory_id } }: { row: AffectedRow }) {
  if (matched_by === null) {
    return (
      <span class="verdict undecided">
        <b>{verdict}</b>: {undecided_reason === null ? null : UNDECIDED_REASONS[undecided_reason]}
      </span>
    )
  }
  return (
    <span class="verdict affected">
      <b>{verdict}</b>: <span class="id">{matchText(matched_by)}</span>
      {matched_by.source === advisory_id ? null : <span class="dim"> (stated by {sourceName(matched_by.source)})</span>}
    </span>
  )
}

export function FixedVersions({ versions }: { versions: readonly string[] }): ComponentChildren {
  if (versions.length === 0) return <span class="dim">none stated</span>
  return (
    <InSteps items={versions} first={FIRST_LISTED} noun="versions">
      {(shown) => <span class="id">{shown.join(', ')}</span>}
    </InSteps>
  )
}

const COLUMNS: readonly Column<AffectedRow>[] = [
  { name: 'Advisory', kind: 'key', cell: (row) => <AdvisoryIds row={row} /> },
  { name: 'Severity', cell: (row) => <Rating row={row} /> },
  { name: 'Summary', kind: 'wide', cell: ({ summary }) => summary },
  { name: 'EPSS', kind: 'number', cell: ({ epss }) => (epss === null ? <Unknown /> : formatShare(epss)) },
  { name: 'Flags', cell: (row) => <RowFlags row={row} /> },
  { name: 'Verdict', kind: 'wide', cell: (row) => <Verdict row={row} /> },
  { name: 'Fixed in', cell: ({ fixed_versions }) => <FixedVersions versions={fixed_versions} /> },
  { name: 'Published', cell: ({ published_at }) => <Day at={published_at} /> },
]
/** Without a version, every row is undecided. */
const WITHOUT_VERSION = COLUMNS.filter(({ name }) => name !== 'Verdict')

export function AffectedTable({ rows, hasVersion }: { rows: readonly AffectedRow[]; hasVersion: boolean }) {
  return (
    <EntryTable
      rows={rows}
      columns={hasVersion ? COLUMNS : WITHOUT_VERSION}
      keyOf={({ advisory_id }) => advisory_id}
      caption="Advisories"
    />
  )
}
