/** The entries of the weakness and attack pattern catalogs (gateway/API.md, sections 18 to 22). */

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

/** The full entry of a weakness. Names of attack patterns are null if no CAPEC feed states them. */
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
  /** Paragraphs. A list is one paragraph with one item per line. */
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
  /** `cve_id` is the reference as stated. It may be something else than a CVE id. */
  observed_examples: { cve_id: string; description: string | null; link: string | null }[]
  modes_of_introduction: { phase: string; note: string | null }[]
  platforms: { label: string; items: { name: string; prevalence: string | null }[] }[]
  taxonomy_mappings: TaxonomyMapping[]
  /** `CAPEC-66`, sorted by number. */
  attack_patterns: string[]
  attack_patterns_detailed: { capec_id: string; slug: string; name: string | null }[]
  /** Relationships of view 1000 (rule 27): parents, children, peers, others. `name` is null for unknown ids. */
  relationships: { cwe_id: string; slug: string; name: string | null; nature: string }[]
  catalog_version: string
  updated_at: string
}

/** The full entry of an attack pattern. Names of weaknesses are null if no CWE feed states them. */
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
  /** `Low: required knowledge`, lowest level first. */
  skills: string[]
  resources: string[]
  indicators: string[]
  mitigations: string[]
  examples: string[]
  alternate_terms: AlternateTerm[]
  consequences: Consequence[]
  taxonomy_mappings: TaxonomyMapping[]
  /** `id` is `cwe-<n>`, `display` is `CWE-<n>`. */
  related_weaknesses: { id: string; display: string; name: string | null }[]
  /** Natures and order as for CWE. `CanPrecede` and `CanFollow` are each derived from the other. */
  related_attack_patterns: { capec_id: string; slug: string; name: string | null; nature: string }[]
  catalog_version: string
  updated_at: string
}
