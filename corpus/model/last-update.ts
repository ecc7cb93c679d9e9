/** The result of the last ingest that changed records. The ingest stores it in the corpus, a build in the snapshot. */
import type { CveId } from './ids/cve-id.ts'
import { SEVERITIES, type Severity } from './record.ts'

/** A number of CVEs, and the ids of the first `MAX_UPDATE_IDS` of them: as many as the filter `ids` accepts. */
export interface UpdatedCves {
  cves: number
  cve_ids: CveId[]
}

/** The names are those of the API (gateway/API.md, section 32). */
export interface LastUpdate {
  /** Corpus dates before and after. */
  since: string
  until: string
  added: UpdatedCves
  changed: UpdatedCves
  removed: UpdatedCves
  rejected: UpdatedCves
  kev_added: UpdatedCves
  /** CVEs with a higher or lower severity, and those that got their first one. */
  severity_up: UpdatedCves
  severity_down: UpdatedCves
  severity_new: UpdatedCves
}

export const MAX_UPDATE_IDS = 100

export const UPDATES = [
  'added',
  'changed',
  'removed',
  'rejected',
  'kev_added',
  'severity_up',
  'severity_down',
  'severity_new',
] as const satisfies readonly Exclude<keyof LastUpdate, 'since' | 'until'>[]

export interface RecordUpdates {
  added: CveId[]
  changed: CveId[]
  removed: CveId[]
  rejected: CveId[]
  kevAdded: CveId[]
  severity: { cveId: CveId; from: Severity | null; to: Severity | null }[]
}

/** Returns null if no record changed. */
export function lastUpdate(changes: RecordUpdates, since: string, until: string): LastUpdate | null {
  const { added, changed, removed, rejected, kevAdded, severity } = changes
  if ([added, changed, removed, rejected, kevAdded, severity].every((ids) => ids.length === 0)) return null
  const moved = (passes: (from: number, to: number) => boolean) =>
    updated(severity.filter(({ from, to }) => passes(rank(from), rank(to))).map(({ cveId }) => cveId))
  return {
    since,
    until,
    added: updated(added),
    changed: updated(changed),
    removed: updated(removed),
    rejected: updated(rejected),
    kev_added: updated(kevAdded),
    severity_up: moved((from, to) => from >= 0 && to > from),
    severity_down: moved((from, to) => to >= 0 && to < from),
    severity_new: moved((from) => from < 0),
  }
}

const rank = (severity: Severity | null): number => (severity === null ? -1 : SEVERITIES.indexOf(severity))

const updated = (ids: readonly CveId[]): UpdatedCves => ({ cves: ids.length, cve_ids: ids.slice(0, MAX_UPDATE_IDS) })

/** Returns the value of a stored JSON, or null if it has another form. */
export function asLastUpdate(value: unknown): LastUpdate | null {
  const update = value as LastUpdate | null
  const isSound =
    typeof update === 'object' &&
    update !== null &&
    isTime(update.since) &&
    isTime(update.until) &&
    UPDATES.every((name) => isUpdated(update[name]))
  return isSound ? update : null
}

const isTime = (value: unknown) => typeof value === 'string' && !Number.isNaN(Date.parse(value))

function isUpdated(value: unknown): value is UpdatedCves {
  const { cves, cve_ids: ids } = (value ?? {}) as Partial<UpdatedCves>
  return (
    Number.isSafeInteger(cves) &&
    Array.isArray(ids) &&
    ids.length <= cves! &&
    ids.length <= MAX_UPDATE_IDS &&
    ids.every((id) => typeof id === 'string')
  )
}
