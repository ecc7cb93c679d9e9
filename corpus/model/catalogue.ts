/** The entries of the catalogs of weaknesses and attack patterns, as in gateway/API.md, sections 18 to 22. */

export interface Consequence {
  scopes: string[]
  impacts: string[]
  note: string | null
}

export interface TaxonomyMapping {
  taxonomy: string
  entry_name: string | null
  entry_id: string | null
  fit: string | null
}

export interface AlternateTerm {
  term: string
  description: string | null
}

/** The full entry of a weakness. Names of attack patterns are null where there is no CAPEC feed that knows them. */
export interface CweEntry {
  /** `CWE-79`. */
  cwe_id: string
  /** `cwe-79`. */
  slug: string
  numeric_id: number
  name: string
  abstraction: string
  structure: string | null
  status: string
  likelihood: string | null
  description: string
  /** Paragraphs; a list is one of them, with an item a line. */
  extended_description: string[]
  background: string[]
  alternate_terms: AlternateTerm[]
  consequences: Consequence[]
  mitigations: {
    phases: string[]
    strategy: string | null
    paragraphs: string[]
    bullets: string[]
    effectiveness: string | null
    effectiveness_notes: string | null
  }[]
  detection_methods: {
    method: string
    paragraphs: string[]
    bullets: string[]
    effectiveness: string | null
    effectiveness_notes: string | null
  }[]
  demonstrative_examples: {
    intro: string[]
    body: string[]
    snippets: { code: string; language: string | null; nature: string | null }[]
  }[]
  /** `cve_id` is the reference as stated, which may be another than a CVE id. */
  observed_examples: { cve_id: string; description: string | null; link: string | null }[]
  modes_of_introduction: { phase: string; note: string | null }[]
  platforms: { label: string; items: { name: string; prevalence: string | null }[] }[]
  taxonomy_mappings: TaxonomyMapping[]
  /** `CAPEC-66`, by number. */
  attack_patterns: string[]
  attack_patterns_detailed: { capec_id: string; slug: string; name: string | null }[]
  /**
   * Those of view 1000 (rule 27), parents first, then children, peers and others; `name` is null for an id that
   * the catalogue does not have.
   */
  relationships: { cwe_id: string; slug: string; name: string | null; nature: string }[]
  catalog_version: string
  updated_at: string
}

/** The full entry of an attack pattern. Names of weaknesses are null where there is no CWE feed that knows them. */
export interface CapecEntry {
  /** `capec-66`. */
  id: string
  /** `CAPEC-66`. */
  display: string
  numeric_id: number
  name: string | null
  abstraction: string | null
  status: string | null
  severity: string | null
  likelihood: string | null
  description: string
  extended_description: string[]
  execution_flow: { step: number; phase: string | null; description: string | null; techniques: string[] }[]
  prerequisites: string[]
  /** `Low: what it takes`, the least first. */
  skills: string[]
  resources: string[]
  indicators: string[]
  mitigations: string[]
  examples: string[]
  alternate_terms: AlternateTerm[]
  consequences: Consequence[]
  taxonomy_mappings: TaxonomyMapping[]
  /** `cwe-<n>`, `CWE-<n>`. */
  related_weaknesses: { id: string; display: string; name: string | null }[]
  /** Natures and order as for CWE; of `CanPrecede` and `CanFollow` each follows from the other. */
  related_attack_patterns: { capec_id: string; slug: string; name: string | null; nature: string }[]
  catalog_version: string
  updated_at: string
}
