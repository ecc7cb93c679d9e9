/** What became known about packages between two snapshots. Uses no API of Node. */
import type { AffectedRow } from '../model/packages/affected-row.ts'
import { SEVERITIES, type Severity } from '../model/record.ts'
import { type Findings, type LocatedComponent, worstSeverity } from './findings.ts'
import { componentKey, packageName } from './inventory.ts'

/** Why a finding is news. */
export type News =
  | { kind: 'not_checked'; reason: string } // the package could not be judged then
  | { kind: 'advisory' } // the snapshot did not have it
  | { kind: 'range' } // it did not affect this version
  | { kind: 'verdict' } // it was undecided
  | { kind: 'fix'; before: string | null; after: string | null } // the first fixed version
  | { kind: 'severity'; before: Severity | null; after: Severity } // the higher one of severity and rating
  | { kind: 'kev' }
  | { kind: 'exploit' }
  | { kind: 'epss'; before: number | null; after: number }

/** A score that reaches it is news. One CVE in 20 has it. */
export const EPSS_BOUND = 0.1

/** So is a score that rises by as much. */
export const EPSS_RISE = 0.1

/** Returns the news about a row of a package. */
export type NewsOf = (component: LocatedComponent, row: AffectedRow) => Promise<News[]>

/**
 * @param before the findings in the earlier snapshot, for the same files
 * @param isKnown whether the earlier snapshot has an advisory
 */
export function newsSince(before: Findings, isKnown: (id: string) => Promise<boolean>): NewsOf {
  const rows = new Map<string, AffectedRow[]>()
  const add = (component: LocatedComponent, found: readonly AffectedRow[]) => {
    const key = keyOf(component)
    const others = rows.get(key) ?? []
    if (others.length === 0) rows.set(key, others)
    others.push(...found)
  }
  for (const finding of before.findings) add(finding, [finding.advisory])
  for (const one of before.undecided) add(one, one.advisories)
  const notChecked = new Map(
    before.notChecked.map(({ file, name, version, reason }) => [JSON.stringify([file, name, version]), reason]),
  )
  return async (component, row) => {
    const reason = notChecked.get(JSON.stringify([component.file, packageName(component), component.version]))
    if (reason !== undefined) return [{ kind: 'not_checked', reason }]
    const ids = new Set(idsOf(row))
    const earlier = rows.get(keyOf(component))?.filter((one) => idsOf(one).some((id) => ids.has(id))) ?? []
    const [first] = earlier.sort((a, b) => Number(isUndecided(a)) - Number(isUndecided(b)))
    if (first) return differences(first, row)
    // An advisory can be new for a CVE that was known.
    for (const id of [row.advisory_id, ...row.aliases.filter((one) => !one.startsWith('CVE-'))])
      if (await isKnown(id)) return [{ kind: 'range' }]
    return [{ kind: 'advisory' }]
  }
}

const keyOf = (component: LocatedComponent) => JSON.stringify([component.file, componentKey(component)])

const idsOf = ({ advisory_id, aliases, cve_ids }: AffectedRow): string[] => [advisory_id, ...aliases, ...cve_ids]

const isUndecided = ({ verdict }: AffectedRow) => verdict === 'undecided'

function differences(before: AffectedRow, after: AffectedRow): News[] {
  const news: News[] = []
  if (isUndecided(before) && !isUndecided(after)) news.push({ kind: 'verdict' })
  const [fixBefore, fixAfter] = [before.fixed_versions[0] ?? null, after.fixed_versions[0] ?? null]
  if (fixBefore !== fixAfter) news.push({ kind: 'fix', before: fixBefore, after: fixAfter })
  const [severityBefore, severityAfter] = [worstSeverity(before), worstSeverity(after)]
  if (severityAfter !== null && rank(severityAfter) > rank(severityBefore)) {
    news.push({ kind: 'severity', before: severityBefore, after: severityAfter })
  }
  if (after.kev && !before.kev) news.push({ kind: 'kev' })
  if (after.has_exploit && !before.has_exploit) news.push({ kind: 'exploit' })
  const score = before.epss ?? 0
  if (after.epss !== null && ((score < EPSS_BOUND && after.epss >= EPSS_BOUND) || after.epss - score >= EPSS_RISE)) {
    news.push({ kind: 'epss', before: before.epss, after: after.epss })
  }
  return news
}

const rank = (severity: Severity | null) => (severity === null ? -1 : SEVERITIES.indexOf(severity))

/** Returns the news in words. */
export function newsText(one: News): string {
  switch (one.kind) {
    case 'not_checked':
      return `the package was not checked then: ${one.reason}`
    case 'advisory':
      return 'new advisory'
    case 'range':
      return 'the advisory did not affect this version then'
    case 'verdict':
      return 'undecided then'
    case 'fix':
      if (one.after === null) return `no fixed version any more, ${one.before} then`
      return `fixed in ${one.after}${one.before === null ? '' : `, ${one.before} then`}`
    case 'severity':
      return `severity ${one.after}, ${one.before ?? 'none'} then`
    case 'kev':
      return 'in KEV'
    case 'exploit':
      return 'an exploit is public'
    case 'epss':
      return `EPSS ${one.after.toFixed(5)}, ${one.before === null ? 'no score' : one.before.toFixed(5)} then`
  }
}
