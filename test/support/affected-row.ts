/** A row of `/affected` with few facts. */
import type { AffectedRow } from '../../corpus/model/packages/affected-row.ts'
import type { Severity } from '../../corpus/model/record.ts'

export const affectedRow = (
  advisory_id: string,
  severity: Severity | null,
  more: Partial<AffectedRow> = {},
): AffectedRow => ({
  advisory_id,
  aliases: [],
  cve_ids: [],
  summary: null,
  severity,
  cvss_score: null,
  kev: false,
  epss: null,
  has_exploit: false,
  stated_severity: null,
  urgency: null,
  verdict: 'affected',
  undecided_reason: null,
  matched_by: null,
  fixed_versions: [],
  published_at: null,
  modified_at: null,
  ...more,
})
