/** The sets of values of `fields`, in the order of the answers, and of `severity`. */
import { SEVERITIES } from '../../model/record.ts'

/** Values of the filter `severity`, highest first. */
export const SEVERITY_FILTERS = [...SEVERITIES.toReversed(), 'unscored'] as const

/** The fields of a summary record. */
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

/** The fields of a row of `/cves`. A row has `epss_change` only if it is asked for. */
export const CVE_LIST_FIELDS = [...CVE_FIELDS, 'epss_change'] as const

/** The fields of a weakness. */
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

/** The fields of an attack pattern. */
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

/** The fields of a row of `/cwes`. */
export const CWE_ROW_FIELDS = [
  'cwe_id',
  'slug',
  'numeric_id',
  'name',
  'abstraction',
  'status',
  'likelihood',
  'cve_count',
  'kev_count',
] as const

/** The fields of a row of `/capecs`. */
export const CAPEC_ROW_FIELDS = [
  'capec_id',
  'capec_id_string',
  'name',
  'description',
  'abstraction',
  'status',
  'likelihood_of_attack',
  'typical_severity',
  'prerequisites',
  'skills_required',
  'resources_required',
  'mitigations',
  'consequences',
  'execution_flow',
  'related_weaknesses',
  'related_attack_patterns',
] as const

/** The fields of a row of `/cnas`. */
export const CNA_FIELDS = [
  'slug',
  'cna_name',
  'grade',
  'activity_status',
  'total_cves',
  'recent_cves',
  'years_active',
  'overall_completeness',
  'avg_cvss_score',
  'vendor_diversity',
  'latest_cve_date',
] as const

/** The fields of a row of `/vendors`. */
export const VENDOR_FIELDS = ['slug', 'display', 'product_count', 'cve_count', 'spellings'] as const

/** The fields of a row of `/vendors/{vendorSlug}/products`. */
export const VENDOR_PRODUCT_FIELDS = ['slug', 'display', 'vendor', 'cve_count'] as const

/** The fields of a row of `/products`. */
export const PRODUCT_FIELDS = ['slug', 'display', 'vendor', 'vendor_display', 'cve_count', 'spellings'] as const

/** The fields of a row of `/exploits`. */
export const EXPLOIT_FIELDS = [
  'source',
  'source_id',
  'name',
  'description',
  'authors',
  'platform',
  'date_published',
  'source_url',
  'module_type',
  'module_class',
  'verified',
  'exploit_rank',
  'cve_ids',
] as const

/** The fields of a row of `/kev`. */
export const KEV_FIELDS = [
  'cve_id',
  'catalog',
  'date_added',
  'due_date',
  'required_action',
  'ransomware',
  'notes',
  'vendor_project',
  'product',
  'vulnerability_name',
  'short_description',
  'cve',
] as const

/** The fields of a row of `/advisories`. */
export const ADVISORY_FIELDS = [
  'advisory_id',
  'summary',
  'severity',
  'ecosystems',
  'cve_ids',
  'cve_count',
  'is_malware',
  'is_withdrawn',
  'published_at',
  'modified_at',
  'withdrawn_at',
] as const

/** The fields of a row of `/rejected`. */
export const REJECTED_FIELDS = ['cve_id', 'date_rejected', 'reason', 'replaced_by'] as const

/** The fields of a row of `/packages`. */
export const PACKAGE_FIELDS = ['ecosystem', 'name', 'purl', 'advisory_count'] as const

/** The fields of a row of `/affected`. */
export const AFFECTED_FIELDS = [
  'advisory_id',
  'aliases',
  'cve_ids',
  'summary',
  'severity',
  'cvss_score',
  'kev',
  'epss',
  'has_exploit',
  'stated_severity',
  'urgency',
  'verdict',
  'undecided_reason',
  'matched_by',
  'fixed_versions',
  'published_at',
  'modified_at',
] as const
