/** Selects the linked advisory of a CVE and adds weakness names from the catalog (rule 29). */
import type { AdvisoryClaim } from '../claim.ts'
import type { CveId } from '../ids/cve-id.ts'
import { type WeaknessCatalog, weaknessId } from '../ids/weakness.ts'
import type { Advisory } from '../record.ts'
import { compareText } from '../sources.ts'

/** Returns the claims in order of precedence. The first one is linked. */
export function rankedAdvisories(claims: readonly AdvisoryClaim[]): AdvisoryClaim[] {
  return claims.toSorted(compareClaims)
}

/** Returns the first advisory by: not withdrawn, reviewed, earliest published, lowest id. Null if there is none. */
export function linkedAdvisory(
  cveId: CveId,
  claims: readonly AdvisoryClaim[],
  catalog: WeaknessCatalog | null,
): Advisory | null {
  const [first] = rankedAdvisories(claims)
  if (!first) return null
  const { advisory_id, html_url, summary, description, severity, cvss_v3, cvss_v4, cwe_ids, ...rest } = first.advisory
  return {
    advisory_id,
    cve_id: cveId,
    html_url,
    summary,
    description,
    severity,
    cvss_v3,
    cvss_v4,
    cwe_ids,
    cwe_names: namesOf(cwe_ids, catalog),
    ...rest,
  }
}

function compareClaims(a: AdvisoryClaim, b: AdvisoryClaim): number {
  return (
    Number(a.advisory.withdrawn_at !== null) - Number(b.advisory.withdrawn_at !== null) ||
    Number(b.reviewed) - Number(a.reviewed) ||
    compareText(a.advisory.published_at, b.advisory.published_at) ||
    compareText(a.advisory.advisory_id, b.advisory.advisory_id)
  )
}

function namesOf(ids: readonly string[], catalog: WeaknessCatalog | null): Record<string, string> {
  const names: Record<string, string> = {}
  for (const id of ids) {
    const known = weaknessId(id)
    const name = known && catalog?.weaknessName(known)
    if (name) names[id] = name
  }
  return names
}
