/** What differs between two versions of a record, field by field, sorted into the categories of the timeline. */
import type { MergedParts } from './merge.ts'
import type {
  Advisory,
  AffectedEntry,
  CveCore,
  CvssMetric,
  EvidenceItem,
  ExploitModule,
  Reference,
  Report,
} from './record.ts'
import type { TimelineCategory } from './timeline-table.ts'

export interface FieldChange {
  category: TimelineCategory
  operation: 'add' | 'modify' | 'remove'
  /** Who stated it: a source of claims, or the record itself. */
  provider: string
  /** JSONPath into the CVE detail; list indexes are those of the version that has the item, the new one first. */
  path: string
  oldValue: string | null
  newValue: string | null
}

/** Longer values are cut: a timeline shows what changed, the record itself holds the rest. */
const VALUE_LIMIT = 2000

/** Changes in table order, then list order. EPSS is not part of a record and never appears. */
export function differences(previous: MergedParts, next: MergedParts): FieldChange[] {
  const changes: FieldChange[] = []
  for (const field of CORE_FIELDS) {
    addField(
      changes,
      field.category,
      field.provider,
      `$.${field.path}`,
      field.read(previous.core),
      field.read(next.core),
    )
  }
  addWeaknesses(changes, previous.facets.weaknesses, next.facets.weaknesses)
  addList(changes, METRICS, previous.cvss.metrics, next.cvss.metrics)
  addList(changes, AFFECTED, previous.affected, next.affected)
  addList(changes, REFERENCES, previous.references, next.references)
  addList(changes, EXPLOITS, previous.exploits, next.exploits)
  addList(changes, EVIDENCE, previous.evidence, next.evidence)
  if (JSON.stringify(previous.analysis) !== JSON.stringify(next.analysis)) {
    addField(changes, 'svc_analysis', 'svc', '$.analysis', previous.analysis, next.analysis)
  }
  addAdvisory(changes, previous.advisory, next.advisory)
  addList(changes, REPORTS, previous.report_texts, next.report_texts)
  // The date moves with every change, so it counts only where it is all that changed.
  if (changes.length === 0) {
    const [before, after] = [previous.core.date_updated, next.core.date_updated]
    addField(changes, 'publication', 'cna', '$.date_updated', before, after)
  }
  return changes
}

interface CoreField {
  path: string
  category: TimelineCategory
  provider: string
  read(core: CveCore): unknown
}

function coreField(path: keyof CveCore, category: TimelineCategory, provider = 'cna'): CoreField {
  return { path, category, provider, read: (core) => core[path] }
}

function kevField(name: keyof CveCore['kev']): CoreField {
  return { path: `kev.${name}`, category: 'kev', provider: 'agency_kev', read: (core) => core.kev[name] }
}

function ssvcField(name: keyof CveCore['ssvc']): CoreField {
  return { path: `ssvc.${name}`, category: 'ssvc', provider: 'agency_adp', read: (core) => core.ssvc[name] }
}

/** The other flags of a record follow from evidence and references, which have entries of their own. */
const CORE_FIELDS: readonly CoreField[] = [
  coreField('state', 'publication'),
  coreField('date_published', 'publication'),
  coreField('assigner', 'publication'),
  kevField('listed'),
  kevField('date_added'),
  ssvcField('exploitation'),
  ssvcField('automatable'),
  ssvcField('technical_impact'),
  ssvcField('decision'),
  coreField('severity', 'cvss'),
  coreField('cvss_score', 'cvss'),
  coreField('cvss_score_source', 'cvss'),
  coreField('primary_cwe_id', 'weakness'),
  coreField('title', 'description'),
  coreField('description', 'description'),
  coreField('has_workaround', 'description'),
]

/** How the items of one list are told apart, compared and filed. */
interface ListRule<Item> {
  path: string
  /** Items of one key are versions of the same thing; of several with the same key the first goes with the first. */
  key(item: Item): string
  fields: readonly (keyof Item & string)[]
  /** Null for items that only follow from what is reported elsewhere. */
  category(item: Item): TimelineCategory | null
  provider(item: Item): string
}

const METRIC_CATEGORY: Record<CvssMetric['source_type'], TimelineCategory> = {
  svc: 'svc_metrics_analysis',
  cna: 'cvss',
  adp: 'cvss',
  nvd: 'nvd',
  advisory: 'advisory',
}

/** Without `captured_at` and `is_primary`: they move with the record's date and with the other metrics. */
const METRICS: ListRule<CvssMetric> = {
  path: '$.cvss.metrics',
  key: (metric) => `${metric.source_type}\n${metric.source_short_name}\n${metric.cvss_version}`,
  fields: ['base_score', 'base_severity', 'vector_string'],
  category: (metric) => METRIC_CATEGORY[metric.source_type],
  provider: (metric) => metric.source_short_name,
}

const AFFECTED_CATEGORY: Record<AffectedEntry['source'], TimelineCategory> = {
  cna: 'affected_versions',
  adp: 'affected_versions',
  nvd: 'nvd',
  advisory: 'advisory',
  osv: 'advisory',
  svc_analysis: 'svc_analysis',
}

const AFFECTED: ListRule<AffectedEntry> = {
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
  category: (entry) => AFFECTED_CATEGORY[entry.source],
  provider: (entry) => entry.source,
}

const REFERENCES: ListRule<Reference> = {
  path: '$.references',
  key: (reference) => reference.url,
  fields: ['url', 'name', 'tags', 'sources'],
  category: () => 'references',
  provider: (reference) => reference.sources[0] ?? 'cna',
}

const EXPLOITS: ListRule<ExploitModule> = {
  path: '$.exploits',
  key: (module) => `${module.source}\n${module.source_id}`,
  fields: ['source_id', 'name', 'description', 'source_url', 'verified', 'exploit_rank'],
  category: () => 'exploits',
  provider: (module) => module.source,
}

/** Whether evidence is not a view of something else in the record. */
const isOwn = ({ type, source }: EvidenceItem) => type === 'detection' || source === 'code_host_poc_search'

const EVIDENCE: ListRule<EvidenceItem> = {
  path: '$.evidence',
  key: (item) => `${item.source}\n${item.evidence_type}\n${item.evidence_url}`,
  fields: ['evidence_type', 'confidence', 'evidence_url', 'explanation'],
  category: (item) => (isOwn(item) ? 'evidence' : null),
  provider: (item) => item.source,
}

/** Of a report a new one of its type takes the place; its text is told by its length. */
const REPORTS: ListRule<Report> = {
  path: '$.reports',
  key: (report) => report.report_type,
  fields: ['id', 'model', 'created_at', 'char_count'],
  category: () => 'svc_report',
  provider: (report) => report.model,
}

/** The fields of the linked advisory that its claims do not bring in elsewhere. */
const ADVISORY_FIELDS = [
  'advisory_id',
  'summary',
  'description',
  'severity',
  'source_repo_url',
  'reviewed_at',
  'withdrawn_at',
  'credits',
] as const satisfies readonly (keyof Advisory)[]

function addAdvisory(changes: FieldChange[], before: Advisory | null, after: Advisory | null): void {
  const provider = after?.advisory_id ?? before?.advisory_id ?? ''
  if (before === null || after === null) {
    const [old, now] = [before?.advisory_id, after?.advisory_id]
    addField(changes, 'advisory', provider, '$.advisory', old, now)
    return
  }
  for (const field of ADVISORY_FIELDS) {
    addField(changes, 'advisory', provider, `$.advisory.${field}`, before[field], after[field])
  }
}

function addList<Item>(changes: FieldChange[], rule: ListRule<Item>, before: readonly Item[], after: readonly Item[]) {
  const left = new Map<string, { item: Item; index: number }[]>()
  const unchanged = new Set<Item>()
  const contents = new Map<string, Item[]>()
  for (const item of before) push(contents, content(rule, item), item)
  const open: { item: Item; index: number }[] = []
  for (const [index, item] of after.entries()) {
    const same = contents.get(content(rule, item))?.shift()
    if (same === undefined) open.push({ item, index })
    else unchanged.add(same)
  }
  for (const [index, item] of before.entries()) if (!unchanged.has(item)) push(left, rule.key(item), { item, index })
  for (const { item, index } of open) {
    const category = rule.category(item)
    const old = left.get(rule.key(item))?.shift()
    if (category === null) continue
    const path = `${rule.path}[${index}]`
    if (!old) addField(changes, category, rule.provider(item), path, null, named(rule, item))
    else {
      for (const field of rule.fields) {
        addField(changes, category, rule.provider(item), `${path}.${field}`, old.item[field], item[field])
      }
    }
  }
  for (const rest of left.values()) {
    for (const { item, index } of rest) {
      const category = rule.category(item)
      if (category !== null) {
        addField(changes, category, rule.provider(item), `${rule.path}[${index}]`, named(rule, item), null)
      }
    }
  }
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function content<Item>(rule: ListRule<Item>, item: Item): string {
  return `${rule.key(item)}\n${JSON.stringify(rule.fields.map((field) => item[field]))}`
}

/** An added or removed item as a message shows it: its key, and the compared fields that say something. */
function named<Item>(rule: ListRule<Item>, item: Item): string {
  if (rule.path === REFERENCES.path) return rule.key(item)
  const shown: Record<string, unknown> = {}
  for (const field of ['vendor', 'product', 'package_name', ...rule.fields] as (keyof Item & string)[]) {
    const value = item[field]
    if (value !== null && value !== undefined) shown[field] = value
  }
  return JSON.stringify(shown)
}

function addWeaknesses(changes: FieldChange[], before: readonly string[], after: readonly string[]): void {
  for (const id of after) if (!before.includes(id)) addField(changes, 'weakness', 'cna', '$.weaknesses', null, id)
  for (const id of before) if (!after.includes(id)) addField(changes, 'weakness', 'cna', '$.weaknesses', id, null)
}

function addField(
  changes: FieldChange[],
  category: TimelineCategory,
  provider: string,
  path: string,
  before: unknown,
  after: unknown,
): void {
  const [oldValue, newValue] = [asText(before), asText(after)]
  if (oldValue === newValue) return
  const operation = oldValue === null ? 'add' : newValue === null ? 'remove' : 'modify'
  changes.push({ category, operation, provider, path, oldValue: cut(oldValue), newValue: cut(newValue) })
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function cut(text: string | null): string | null {
  return text !== null && text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT).toWellFormed()}…` : text
}
