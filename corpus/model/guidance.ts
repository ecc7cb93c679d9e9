/** What the claims of a CVE advise. Nothing is merged: each container keeps its own entry. */
import type { CveClaim } from './claim.ts'
import type { GuidanceEntry, GuidanceSection } from './record.ts'

export function guidanceOf(claims: readonly CveClaim[]): GuidanceSection {
  return {
    nvd_status: claims.find(({ nvdStatus }) => nvdStatus != null)?.nvdStatus ?? null,
    entries: claims.flatMap(({ source, sourceName, guidance }): GuidanceEntry[] =>
      guidance && (source === 'cna' || source === 'adp')
        ? [{ source, source_short_name: sourceName, ...guidance }]
        : [],
    ),
  }
}
