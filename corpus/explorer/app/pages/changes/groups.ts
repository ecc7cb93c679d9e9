/** Changes by what they mean to a reader, and what each was before and is after. */
import type { Changes } from '../../data/answers.ts'
import { formatScore } from '../../parts/format.ts'

type Row = Changes['data'][number]
type CveState = NonNullable<Row['after']>

/** A row of `/changes?include=facts`. */
export type FactRow = Row & { before: CveState | null; after: CveState | null }

/** The groups, the most urgent first, with their headings and what belongs to them. */
export const GROUPS = [
  ['kev', 'New in KEV', 'CISA added them to the KEV catalog.'],
  ['exploited', 'Newly exploited', 'Exploitation became known, or public exploit code.'],
  ['critical', 'New critical', 'New CVEs that are critical, and CVEs that became critical.'],
  ['score', 'Score changed', 'Their CVSS score or severity is another.'],
  ['fixed', 'Fixed', 'A patch or a fixed version became known.'],
  ['new', 'New', 'CVEs that are new and not critical.'],
  ['rejected', 'Rejected', 'They were rejected, or are no longer in the CVE list.'],
  ['other', 'Other', 'Other parts of the record changed.'],
] as const

export type Group = (typeof GROUPS)[number][0]

/** Returns the groups of a change, in their order. A change can be in several; one that is in no other is in `other`. */
export function groupsOf({ change, before, after }: FactRow): Group[] {
  if (after === null) return ['rejected']
  const isCritical = after.severity === 'critical'
  const found: Group[] = []
  if (after.kev.listed && !before?.kev.listed) found.push('kev')
  if (
    isNew(before, after, ({ ssvc }) => ssvc.exploitation === 'active') ||
    isNew(before, after, (one) => one.has_exploit)
  )
    found.push('exploited')
  if (isCritical && before?.severity !== 'critical') found.push('critical')
  if (before && (before.cvss_score !== after.cvss_score || before.severity !== after.severity)) found.push('score')
  if (before && after.has_patch && !before.has_patch) found.push('fixed')
  if (change === 'added' && !isCritical) found.push('new')
  return found.length === 0 ? ['other'] : found
}

const isNew = (before: CveState | null, after: CveState, is: (state: CveState) => boolean) =>
  is(after) && !(before && is(before))

export interface FactChange {
  what: string
  before: string
  after: string
}

const yesNo = (is: boolean) => (is ? 'yes' : 'no')

/** The facts of a state, in the order in which they are shown. */
const FACTS: readonly (readonly [what: string, of: (state: CveState) => string])[] = [
  ['KEV', ({ kev }) => (kev.listed ? `since ${kev.date_added ?? 'an unknown day'}` : 'no')],
  ['Exploitation', ({ ssvc }) => ssvc.exploitation ?? 'unknown'],
  ['Exploit', ({ has_exploit }) => yesNo(has_exploit)],
  ['CVSS', ({ severity, cvss_score }) => (cvss_score === null ? 'unscored' : `${formatScore(cvss_score)} ${severity}`)],
  ['Patch', ({ has_patch }) => yesNo(has_patch)],
  ['Workaround', ({ has_workaround }) => yesNo(has_workaround)],
  ['Title', ({ title }) => title ?? 'none'],
]

/** Returns the facts that differ. For a CVE that is new or gone there are none: its state is shown as it is. */
export function factChanges({ before, after }: FactRow): FactChange[] {
  if (!before || !after) return []
  return FACTS.map(([what, of]) => ({ what, before: of(before), after: of(after) })).filter(
    (one) => one.before !== one.after,
  )
}

/** Returns the rows of each group: those with the highest score first, then by id as the API has them. */
export function grouped(rows: readonly FactRow[]): Record<Group, FactRow[]> {
  const found = Object.fromEntries(GROUPS.map(([name]) => [name, [] as FactRow[]])) as Record<Group, FactRow[]>
  for (const row of rows) for (const group of groupsOf(row)) found[group].push(row)
  const scoreOf = ({ after, before }: FactRow) => (after ?? before)?.cvss_score ?? -1
  for (const list of Object.values(found)) list.sort((a, b) => scoreOf(b) - scoreOf(a))
  return found
}
