/** CVSS: severity bands, the order of metrics, and the headline score of a record (rule 18). */
import type { CveClaim, CvssClaim } from '../claim.ts'
import type { CvssMetric, CvssSection, Severity } from '../record.ts'
import { compareText } from '../sources.ts'

type Version = CvssClaim['version']

/** Lowest score of each band, highest band first (CVSS 3.1 section 5; NVD's bands for 2.0). */
const BANDS_3: readonly (readonly [number, Severity])[] = [
  [9, 'critical'],
  [7, 'high'],
  [4, 'medium'],
  [0, 'low'],
]
const BANDS: Record<Version, typeof BANDS_3> = {
  '2.0': BANDS_3.slice(1),
  '3.0': BANDS_3,
  '3.1': BANDS_3,
  '4.0': BANDS_3,
}

/** In order of precedence: the first source backs the headline. */
const SOURCE_ORDER = ['svc', 'cna', 'adp', 'nvd', 'advisory'] as const satisfies readonly CvssMetric['source_type'][]
const VERSION_ORDER = ['4.0', '3.1', '3.0', '2.0'] as const satisfies readonly Version[]

/** Returns the band of a base score from 0 to 10. `none` is exactly 0.0 in every version. */
export function severityOf(score: number, version: Version): Severity {
  if (score === 0) return 'none'
  return BANDS[version].find(([lowest]) => score >= lowest)![1]
}

export interface Headline {
  severity: Severity | null
  cvss_score: number | null
  cvss_score_source: string | null
}

export interface RankedMetric {
  metric: CvssMetric
  version: Version
  /** False for scores that NVD copies from others (rule 29). */
  eligible: boolean
  isSupplier: boolean
}

/**
 * Returns the metrics of all claims in order of precedence. The first eligible one backs the headline. `recordUpdated`
 * is the date of the CVE record, which dates its metrics without a date of their own.
 */
export function rankedMetrics(claims: readonly CveClaim[], recordUpdated: string | null): RankedMetric[] {
  return gather(claims, recordUpdated).sort(compareRanks)
}

/** Returns the metrics of all claims, with the one that backs the headline first, and the headline. */
export function cvssSection(
  claims: readonly CveClaim[],
  recordUpdated: string | null,
): { section: CvssSection; headline: Headline } {
  const ranked = rankedMetrics(claims, recordUpdated)
  const primary = ranked.find((one) => one.eligible)
  if (primary) primary.metric.is_primary = true
  const metrics = ranked.map((one) => one.metric)
  const svc = metrics.find((one) => one.source_type === 'svc')
  return {
    section: {
      metrics,
      svc_assessment: svc
        ? {
            base_score: svc.base_score,
            base_severity: svc.base_severity,
            vector_string: svc.vector_string,
            rescore_timestamp: svc.captured_at,
          }
        : null,
    },
    headline: {
      severity: primary ? severityOf(primary.metric.base_score, primary.version) : null,
      cvss_score: primary?.metric.base_score ?? null,
      cvss_score_source: primary ? scoreSource(primary.metric) : null,
    },
  }
}

function gather(claims: readonly CveClaim[], recordUpdated: string | null): RankedMetric[] {
  const ranked: RankedMetric[] = []
  const seen = new Set<string>()
  const isOfRecord = ({ source }: CveClaim) => source === 'cna' || source === 'adp'
  const ownVectors = new Set(claims.filter(isOfRecord).flatMap(({ metrics }) => metrics.map(({ vector }) => vector)))
  for (const claim of claims) {
    const { source } = claim
    if (source === 'osv') continue
    const ofRecord = isOfRecord(claim)
    for (const stated of claim.metrics) {
      if (stated.scoredBy !== null && stated.vector !== '' && ownVectors.has(stated.vector)) continue
      const name = stated.scoredBy ?? claim.sourceName
      const key = `${source}\n${name}\n${stated.baseScore}\n${stated.vector}`
      if (seen.has(key)) continue
      seen.add(key)
      ranked.push({
        version: stated.version,
        eligible: stated.scoredBy === null,
        isSupplier: claim.isSupplier ?? false,
        metric: {
          source_type: source,
          source_short_name: name,
          cvss_version: stated.version,
          base_score: stated.baseScore,
          base_severity: stated.baseSeverity,
          vector_string: stated.vector,
          is_primary: false,
          captured_at: stated.statedAt ?? (ofRecord ? recordUpdated : null) ?? claim.updatedAt,
        },
      })
    }
  }
  return ranked
}

/**
 * Orders by source, version, newest, higher score, then vector and name for a total order. Suppliers come after all
 * other sources. Scores that NVD copies come last, because they must not precede the metric that backs the headline.
 */
function compareRanks(a: RankedMetric, b: RankedMetric): number {
  const [x, y] = [a.metric, b.metric]
  return (
    Number(b.eligible) - Number(a.eligible) ||
    Number(a.isSupplier) - Number(b.isSupplier) ||
    SOURCE_ORDER.indexOf(x.source_type) - SOURCE_ORDER.indexOf(y.source_type) ||
    VERSION_ORDER.indexOf(a.version) - VERSION_ORDER.indexOf(b.version) ||
    compareText(y.captured_at, x.captured_at) ||
    y.base_score - x.base_score ||
    compareText(x.vector_string, y.vector_string) ||
    compareText(x.source_short_name, y.source_short_name)
  )
}

function scoreSource(metric: CvssMetric): string {
  switch (metric.source_type) {
    case 'svc':
      return 'svc_metrics'
    case 'adp':
      return metric.source_short_name
    default:
      return metric.source_type
  }
}
