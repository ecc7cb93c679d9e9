/** The values of `fields`, in the order of the answers, and of other sets that schemas repeat. */
import { SEVERITIES } from '../../model/record.ts'

/** Highest first. */
export const SEVERITY_NAMES = SEVERITIES.toReversed()

/** Of a summary record. */
export const CVE_FIELDS = [
  'cve_id',
  'state',
  'title',
  'description',
  'severity',
  'cvss_score',
  'cvss_score_source',
  'date_published',
  'date_updated',
  'assigner',
  'kev',
  'ssvc',
  'epss',
  'has_patch',
  'has_workaround',
  'has_exploit',
  'has_detection',
  'detection_layers',
  'primary_cwe_id',
] as const

/** Of a weakness. */
export const CWE_FIELDS = [
  'cwe_id',
  'slug',
  'numeric_id',
  'name',
  'abstraction',
  'structure',
  'status',
  'likelihood',
  'description',
  'extended_description',
  'background',
  'alternate_terms',
  'consequences',
  'mitigations',
  'detection_methods',
  'demonstrative_examples',
  'observed_examples',
  'modes_of_introduction',
  'platforms',
  'taxonomy_mappings',
  'attack_patterns',
  'attack_patterns_detailed',
  'relationships',
  'catalog_version',
  'updated_at',
] as const

/** Of an attack pattern. */
export const CAPEC_FIELDS = [
  'id',
  'display',
  'numeric_id',
  'name',
  'abstraction',
  'status',
  'severity',
  'likelihood',
  'description',
  'extended_description',
  'execution_flow',
  'prerequisites',
  'skills',
  'resources',
  'indicators',
  'mitigations',
  'examples',
  'alternate_terms',
  'consequences',
  'taxonomy_mappings',
  'related_weaknesses',
  'related_attack_patterns',
  'catalog_version',
  'updated_at',
] as const
