/** The types of the API's answers. */
import type { z } from 'zod'
import type * as catalogs from '../../../answers/schemas/catalogs.ts'
import type * as changes from '../../../answers/schemas/changes.ts'
import type * as detail from '../../../answers/schemas/cve-detail.ts'
import type * as documents from '../../../answers/schemas/cve-documents.ts'
import type * as kev from '../../../answers/schemas/cve-kev.ts'
import type * as scores from '../../../answers/schemas/cve-scores.ts'
import type * as signals from '../../../answers/schemas/cve-signals.ts'
import type * as summary from '../../../answers/schemas/cve-summary.ts'
import type * as directory from '../../../answers/schemas/directory.ts'
import type * as packages from '../../../answers/schemas/packages.ts'
import type * as search from '../../../answers/schemas/search.ts'
import type * as snapshot from '../../../answers/schemas/snapshot.ts'
import type * as figures from '../../../answers/schemas/stats.ts'

export interface Page<T> {
  data: T[]
  /** `total` only with `count`. */
  pagination: { limit: number; next_cursor: string | null; total?: number }
}

export type Severity = z.infer<typeof summary.severity>
export type CveSummary = z.infer<typeof summary.cveSummary>
/** A row of `/cves`. It has the change of the EPSS score if `fields` names it. */
export type CveRow = CveSummary & Pick<z.infer<typeof summary.cveListFields>, 'epss_change'>
export type RejectedRow = z.infer<typeof summary.rejectedRow>
export type CveDetail = z.infer<typeof detail.cveDetail>
export type EpssHistory = z.infer<typeof scores.cveEpssHistory>
export type EpssPoint = EpssHistory['points'][number]
export type KevRow = z.infer<typeof kev.kevRow>
export type AffectedEntry = NonNullable<CveDetail['affected']>[number]
export type Advisory = z.infer<typeof documents.cveAdvisory>
export type Reports = z.infer<typeof documents.cveReports>
export type CweEntry = z.infer<typeof catalogs.cweEntry>
export type CapecEntry = z.infer<typeof catalogs.capecEntry>
export type CnaDetail = z.infer<typeof directory.cnaDetail>
export type CnaStats = z.infer<typeof directory.cnaStats>
export type VendorRow = z.infer<typeof directory.vendorRow>
export type ProductRow = z.infer<typeof directory.productRow>
export type ExploitModule = z.infer<typeof signals.exploitModule>
export type ExploitDetail = z.infer<typeof directory.exploitDetail>
export type PackageDetail = z.infer<typeof packages.packageDetail>
export type AffectedRow = z.infer<typeof packages.affectedRow>
export interface Affected extends Page<AffectedRow> {
  query: z.infer<typeof packages.affectedRequest>
}
/** The answer for several purls. */
export interface AffectedGroups {
  groups: Affected[]
}
export type AdvisoryRow = z.infer<typeof packages.advisoryRow>
export type OsvRecord = z.infer<typeof packages.osvRecord>
export type Changes = z.infer<typeof changes.changes>
export type SearchResults = z.infer<typeof search.searchResults>
export type Suggestions = z.infer<typeof search.suggestions>
export type Snapshot = z.infer<typeof snapshot.snapshot>
export type Stats = z.infer<typeof figures.stats>
export type SeverityCounts = Stats['totals']['severity']
export type TopEntries = Stats['vendors']
export type TopEntry = TopEntries['all_time'][number]
export type CnaScores = Stats['cna_scores'][number]
export type LastUpdate = NonNullable<Stats['last_update']>
export type UpdatedCves = LastUpdate['added']
export type Snapshots = z.infer<typeof snapshot.snapshots>

/** The members of a record in the OSV schema that pages show. Publishers may omit each of them. */
export interface OsvAdvisory extends OsvRecord {
  summary?: string
  details?: string
  published?: string
  withdrawn?: string
  related?: string[]
  upstream?: string[]
  severity?: OsvSeverity[]
  affected?: OsvAffected[]
  references?: { type?: string; url: string }[]
  credits?: { name?: string; type?: string; contact?: string[] }[]
  database_specific?: Record<string, unknown>
}

export interface OsvSeverity {
  type?: string
  score?: string
}

export interface OsvAffected {
  package?: { ecosystem?: string; name?: string; purl?: string }
  severity?: OsvSeverity[]
  ranges?: OsvRange[]
  versions?: string[]
}

export type OsvEvent = Partial<Record<'introduced' | 'fixed' | 'last_affected' | 'limit', string>>

export interface OsvRange {
  type?: string
  repo?: string
  events?: OsvEvent[]
}
