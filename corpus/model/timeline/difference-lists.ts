/** Rules for comparing the items of a record's lists: identity, compared fields, category and name. */
import { namesToShow } from '../affected/products.ts'
import type {
  AffectedEntry,
  CvssMetric,
  EvidenceItem,
  ExploitModule,
  GuidanceEntry,
  KevCatalogEntry,
  Reference,
  Report,
} from '../record.ts'
import type { TimelineCategory } from './timeline-table.ts'

export interface ListRule<Item> {
  path: string
  /** Items with the same key are versions of the same thing. Several with one key are paired in order. */
  key(item: Item): string
  fields: readonly (keyof Item & string)[]
  /** Fields that follow other changes. They count only if nothing else changed. */
  secondary: readonly (keyof Item & string)[]
  /** Null for items that only follow from a change reported elsewhere. */
  category(item: Item): TimelineCategory | null
  /** Returns the source of the item, or of its change since `old`. Null if the item does not identify it. */
  provider(item: Item, old: Item | null): string | null
  /** Returns a readable name of the item. */
  subject(item: Item): string
  /** Returns the text of an added or removed item. Default: its names and the compared fields that are not null. */
  shown?(item: Item): string
}

const METRIC_CATEGORY: Record<CvssMetric['source_type'], TimelineCategory> = {
  svc: 'svc_metrics_analysis',
  cna: 'cvss',
  adp: 'cvss',
  nvd: 'nvd',
  advisory: 'advisory',
}

export const METRICS: ListRule<CvssMetric> = {
  path: '$.cvss.metrics',
  key: (metric) => `${metric.source_type}\n${metric.source_short_name}\n${metric.cvss_version}`,
  fields: ['base_score', 'base_severity', 'vector_string'],
  secondary: ['captured_at', 'is_primary'],
  category: (metric) => METRIC_CATEGORY[metric.source_type],
  provider: (metric) => metric.source_type,
  subject: (metric) => `CVSS ${metric.cvss_version} by ${metric.source_short_name}`,
}

const AFFECTED_CATEGORY: Record<AffectedEntry['source'], TimelineCategory> = {
  cna: 'affected_versions',
  adp: 'affected_versions',
  nvd: 'nvd',
  advisory: 'advisory',
  osv: 'advisory',
  svc_analysis: 'svc_analysis',
}

export const AFFECTED: ListRule<AffectedEntry> = {
  path: '$.affected',
  key: (entry) => [entry.source, entry.vendor, entry.product, entry.ecosystem, entry.package_name].join('\n'),
  fields: [
    'platforms',
    'default_status',
    'affected_versions',
    'affected_ranges',
    'patched_versions',
    'cpes',
    'repo_url',
    'collection_url',
    'package_url',
  ],
  secondary: ['updated_at'],
  category: (entry) => AFFECTED_CATEGORY[entry.source],
  provider: (entry) => (entry.source === 'svc_analysis' ? 'svc' : entry.source),
  subject: ({ vendor, product, ecosystem, package_name }) =>
    [...new Set([...namesToShow(vendor, product), ecosystem, package_name])].filter(Boolean).join(' ') ||
    'Unnamed product',
}

/** Returns the first source of a new reference, or the source added or removed. Otherwise the only source, or null. */
function citing({ sources }: Reference, old: Reference | null): string | null {
  if (old === null) return sources[0] ?? null
  const moved = [
    ...sources.filter((one) => !old.sources.includes(one)),
    ...old.sources.filter((one) => !sources.includes(one)),
  ]
  return moved[0] ?? (sources.length === 1 ? sources[0]! : null)
}

export const REFERENCES: ListRule<Reference> = {
  path: '$.references',
  key: (reference) => reference.url,
  fields: ['url', 'name', 'tags', 'sources'],
  secondary: [],
  category: () => 'references',
  provider: citing,
  subject: (reference) => `Reference ${reference.url}`,
  shown: (reference) => reference.url,
}

export const GUIDANCE: ListRule<GuidanceEntry> = {
  path: '$.guidance.entries',
  key: (entry) => `${entry.source}\n${entry.source_short_name}`,
  fields: [
    'date_public',
    'tags',
    'workarounds',
    'solutions',
    'configurations',
    'exploits',
    'impacts',
    'credits',
    'timeline',
  ],
  secondary: [],
  category: () => 'guidance',
  provider: (entry) => entry.source,
  subject: (entry) => `Guidance of ${entry.source_short_name}`,
  shown({ source: _, source_short_name: name, ...stated }) {
    const filled = Object.entries(stated).filter(([, value]) => value !== null && value.length > 0)
    return JSON.stringify({ source_short_name: name, ...Object.fromEntries(filled) })
  },
}

/** CISA's entry while it is listed. The core has the listing and its date. */
export const KEV_ENTRY: ListRule<KevCatalogEntry> = {
  path: '$.kev_detail.catalogs',
  key: (entry) => entry.catalog,
  fields: [
    'due_date',
    'required_action',
    'ransomware',
    'notes',
    'vendor_project',
    'product',
    'vulnerability_name',
    'short_description',
  ],
  secondary: [],
  category: () => 'kev',
  provider: () => 'agency_kev',
  subject: () => 'KEV entry',
}

/** The entries of other catalogs. */
export const KEV_CATALOGS: ListRule<KevCatalogEntry> = {
  ...KEV_ENTRY,
  fields: ['date_added', ...KEV_ENTRY.fields],
  provider: (entry) => entry.catalog,
  subject: (entry) => `Entry in the catalog ${entry.catalog}`,
}

export const EXPLOITS: ListRule<ExploitModule> = {
  path: '$.exploits',
  key: (module) => `${module.source}\n${module.source_id}`,
  fields: ['source_id', 'name', 'description', 'source_url', 'verified', 'exploit_rank'],
  secondary: ['authors', 'platform', 'date_published', 'module_type', 'module_class'],
  category: () => 'exploits',
  provider: (module) => module.source,
  subject: (module) => `Exploit ${module.name ?? module.source_id}`,
}

/** Evidence names some sources in its own way. */
const EVIDENCE_PROVIDER: Record<string, string> = { agency_adp: 'adp', supplier_adp: 'adp', svc_analysis: 'svc' }

/** Returns whether the evidence is original, not derived from another part of the record. */
const isOwn = ({ type, source }: EvidenceItem) => type === 'detection' || source === 'code_host_poc_search'

export const EVIDENCE: ListRule<EvidenceItem> = {
  path: '$.evidence',
  key: (item) => `${item.source}\n${item.evidence_type}\n${item.evidence_url}`,
  fields: ['evidence_type', 'confidence', 'evidence_url', 'explanation'],
  secondary: [],
  category: (item) => (isOwn(item) ? 'evidence' : null),
  provider: (item) => EVIDENCE_PROVIDER[item.source] ?? item.source,
  subject: (item) => `Evidence ${item.explanation ?? item.evidence_url ?? item.evidence_type}`,
}

/** All evidence, for records without a change in the parts that evidence is derived from. */
export const ALL_EVIDENCE: ListRule<EvidenceItem> = {
  ...EVIDENCE,
  secondary: ['confidence', 'explanation', 'first_seen', 'last_seen'],
  category: () => 'evidence',
}

/** A new report replaces the previous one of its type. `char_count` represents its text. */
export const REPORTS: ListRule<Report> = {
  path: '$.reports',
  key: (report) => report.report_type,
  fields: ['id', 'model', 'created_at', 'char_count'],
  secondary: ['report_text'],
  category: () => 'svc_report',
  provider: () => 'svc',
  subject: (report) => `Report ${report.report_type}`,
}
