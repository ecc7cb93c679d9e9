/** Joins the CWE and CAPEC catalogs, which supply names for each other. Builds the rows of their lists. */
import type { CapecEntry, CweEntry } from './catalog.ts'

/** An entry of `GET /cwes` (gateway/API.md, section 18). */
export interface CweListEntry {
  /** `CWE-79`. */
  cwe_id: string
  /** `cwe-79`. */
  slug: string
  numeric_id: number
  name: string
  abstraction: string
  status: string
  likelihood: string | null
  /** CVEs mapped to it with `scope=any` (rule 27). */
  cve_count: number
  /** The CVEs among them that KEV lists. */
  kev_count: number
}

/** An entry of `GET /capecs` (gateway/API.md, section 21). Rule 27 defines which fields may be null. */
export interface CapecListEntry {
  capec_id: number
  /** `CAPEC-66`. */
  capec_id_string: string
  name: string | null
  description: string
  abstraction: string | null
  status: string | null
  likelihood_of_attack: string | null
  typical_severity: string | null
  prerequisites: string[]
  skills_required: string[]
  resources_required: string[]
  mitigations: string[]
  consequences: CapecEntry['consequences']
  execution_flow: CapecEntry['execution_flow']
  related_weaknesses: CapecEntry['related_weaknesses']
  related_attack_patterns: CapecEntry['related_attack_patterns']
}

export interface Catalogs {
  cwes: readonly CweEntry[]
  capecs: readonly CapecEntry[]
}

/** Returns the entries with names from the other catalog (null for unknown ids). Relations are not completed. */
export function joinCatalogs({ cwes, capecs }: Catalogs): { cwes: CweEntry[]; capecs: CapecEntry[] } {
  const cweNames = new Map(cwes.map(({ slug, name }) => [slug, name]))
  const capecNames = new Map(capecs.map(({ id, name }) => [id, name]))
  return {
    cwes: cwes.map((entry) => ({
      ...entry,
      attack_patterns_detailed: entry.attack_patterns_detailed.map((pattern) => ({
        ...pattern,
        name: capecNames.get(pattern.slug) ?? null,
      })),
    })),
    capecs: capecs.map((entry) => ({
      ...entry,
      related_weaknesses: entry.related_weaknesses.map((weakness) => ({
        ...weakness,
        name: cweNames.get(weakness.id) ?? null,
      })),
    })),
  }
}

export function cweListEntry(entry: CweEntry, counts: { cve_count: number; kev_count: number }): CweListEntry {
  const { cwe_id, slug, numeric_id, name, abstraction, status, likelihood } = entry
  const { cve_count, kev_count } = counts
  return { cwe_id, slug, numeric_id, name, abstraction, status, likelihood, cve_count, kev_count }
}

export function capecListEntry(entry: CapecEntry): CapecListEntry {
  return {
    capec_id: entry.numeric_id,
    capec_id_string: entry.display,
    name: entry.name,
    description: entry.description,
    abstraction: entry.abstraction,
    status: entry.status,
    likelihood_of_attack: entry.likelihood,
    typical_severity: entry.severity,
    prerequisites: entry.prerequisites,
    skills_required: entry.skills,
    resources_required: entry.resources,
    mitigations: entry.mitigations,
    consequences: entry.consequences,
    execution_flow: entry.execution_flow,
    related_weaknesses: entry.related_weaknesses,
    related_attack_patterns: entry.related_attack_patterns,
  }
}
