/** Selects the served reports of a CVE: the latest final one of each type, newest first (API 16.4). */
import type { ReportClaim } from '../claim.ts'
import type { Report, ReportSummary } from '../record.ts'
import { compareText } from '../sources.ts'
import { cutAtWord } from '../title.ts'

/** Maximum length of an excerpt in code points. */
const EXCERPT_LENGTH = 280

export function latestReports(claims: readonly ReportClaim[]): { reports: ReportSummary[]; report_texts: Report[] } {
  const latest = new Map<string, ReportClaim>()
  for (const claim of claims.filter(({ final }) => final).sort(newestFirst)) {
    if (!latest.has(claim.reportType)) latest.set(claim.reportType, claim)
  }
  const texts = Array.from(latest.values(), ({ id, reportType, model, createdAt, text }) => ({
    id,
    report_type: reportType,
    model,
    created_at: createdAt,
    char_count: codePoints(text),
    report_text: text,
  }))
  return {
    reports: texts.map(({ report_text, ...head }) => ({ ...head, excerpt: cutAtWord(report_text, EXCERPT_LENGTH) })),
    report_texts: texts,
  }
}

const newestFirst = (a: ReportClaim, b: ReportClaim) => compareText(b.createdAt, a.createdAt) || compareText(a.id, b.id)

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
