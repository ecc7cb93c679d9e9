/** A row of the list of advisories: what a record in the OSV schema states, in short. */
import type { CveId } from '../ids/cve-id.ts'
import type { Severity } from '../record.ts'
import { compareText } from '../sources.ts'
import { cutAtWord } from '../title.ts'
import { utcTimestamp } from '../values/date.ts'
import { isObject, type JsonObject, objects, text } from '../values/json-value.ts'
import { baseEcosystem } from '../versions/ecosystems.ts'
import { advisoryIds, isWithdrawn, statedCveIds } from './advisory-ids.ts'
import { aboutRecord, cvssOf, severityIn } from './package-advisory.ts'

export interface AdvisoryRow {
  advisory_id: string
  /** In code points at most `MAX_SUMMARY`. Null if the record states none. */
  summary: string | null
  /** The band of the first score of the highest version, else the stated rating; that of malware is critical. */
  severity: Severity | null
  /** The ecosystems of its packages, without releases, ascending. */
  ecosystems: string[]
  /** CVEs that the record names, also a withdrawn one: the first `MAX_CVES`, by year and number. */
  cve_ids: CveId[]
  /** The number of all of them. */
  cve_count: number
  /** Whether it states that packages are malicious (`MAL-`). */
  is_malware: boolean
  is_withdrawn: boolean
  /** ISO 8601 in UTC, as the others. Null if not stated, or no date. */
  published_at: string | null
  modified_at: string | null
  withdrawn_at: string | null
}

const MAX_SUMMARY = 500
/** Updates of a distribution's kernel name hundreds. */
const MAX_CVES = 100

/** Returns the row of a record. Null for a record without an id, and for one that was made from a CVE record. */
export function advisoryRow(record: JsonObject): AdvisoryRow | null {
  const ids = advisoryIds(record)
  if (ids === null) return null
  const about = aboutRecord(record, ids)
  if (about.is_cve_record) return null
  const affected = objects(record.affected)
  const ecosystems = affected.flatMap(({ package: named }) => {
    const ecosystem = isObject(named) ? text(named.ecosystem) : null
    return ecosystem === null ? [] : [baseEcosystem(ecosystem)]
  })
  const cveIds = statedCveIds(record)
  return {
    advisory_id: ids.id,
    summary: about.summary === null ? null : cutAtWord(about.summary, MAX_SUMMARY),
    severity: severityIn(cvssOf([record, ...affected]), about),
    ecosystems: [...new Set(ecosystems)].sort(compareText),
    cve_ids: cveIds.slice(0, MAX_CVES),
    cve_count: cveIds.length,
    is_malware: about.is_malware,
    is_withdrawn: isWithdrawn(record),
    published_at: about.published,
    modified_at: about.modified,
    withdrawn_at: utcTimestamp(text(record.withdrawn) ?? ''),
  }
}
