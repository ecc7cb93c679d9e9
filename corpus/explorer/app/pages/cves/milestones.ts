/** The days that matter in the course of a CVE. */
import type { Advisory, CveDetail } from '../../data/answers.ts'
import { catalogName, sourceName } from '../../parts/sources.ts'

/** The parts of a record that state days. */
export type Milestoned = Pick<CveDetail, 'date_published' | 'date_updated'> & {
  [Part in 'cvss' | 'evidence' | 'guidance' | 'kev_detail' | 'timeline']-?: NonNullable<CveDetail[Part]>
}

export interface Milestone {
  /** `YYYY-MM-DD`, in UTC. */
  day: string
  events: string[]
}

const FIRST_EXPLOITS: Readonly<Record<string, string>> = {
  poc_public: 'first proof of concept',
  weaponized_exploit: 'weaponized exploit',
}

/** Returns the days in their order, each with its events. Days that no source states are left out. */
export function milestones(cve: Milestoned, advisory: Advisory | null): Milestone[] {
  const events: (readonly [at: string | null | undefined, event: string])[] = []
  const earliest = (times: readonly (string | null)[]) => times.filter((time) => time !== null).sort()[0]
  events.push([earliest(cve.guidance.entries.map(({ date_public }) => date_public)), 'public'])
  events.push([cve.date_published, 'CVE published'])
  for (const [type, event] of Object.entries(FIRST_EXPLOITS)) {
    const seen = cve.evidence.filter(({ evidence_type }) => evidence_type === type)
    events.push([earliest(seen.map(({ first_seen }) => first_seen)), event])
  }
  for (const { catalog, date_added, due_date } of cve.kev_detail.catalogs) {
    events.push([date_added, `in ${catalogName(catalog)}`], [due_date, `due by ${catalogName(catalog)}`])
  }
  if (advisory !== null) {
    const hasFix = advisory.affected_packages.some(({ first_patched_version }) => first_patched_version !== null)
    events.push([advisory.published_at, hasFix ? 'advisory with a fix' : 'advisory'])
  }
  const assessed = cve.timeline.filter(({ category }) => category === 'ssvc')
  events.push([earliest(assessed.map(({ changed_at }) => changed_at)), 'SSVC assessed'])
  const primary = cve.cvss.metrics.find(({ is_primary }) => is_primary)
  if (primary) events.push([primary.captured_at, `CVSS ${primary.base_score} by ${sourceName(primary.source_type)}`])
  events.push([cve.date_updated, 'record updated'])
  const days = Map.groupBy(
    events.filter(([at]) => at && !Number.isNaN(Date.parse(at))),
    ([at]) => new Date(at!).toISOString().slice(0, 10),
  )
  return [...days]
    .map(([day, members]) => ({ day, events: [...new Set(members.map(([, event]) => event))] }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

const DAY_MS = 86_400_000

/** Returns the time between two days in words: `9 days`, `4 months`, `2 years`. */
export function distanceText(from: string, to: string): string {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
  const [count, unit] =
    days < 60 ? [days, 'day'] : days < 730 ? [Math.round(days / 30.44), 'month'] : [Math.round(days / 365.25), 'year']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
