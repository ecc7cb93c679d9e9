/** Compares two versions of a record field by field and sorts the changes into timeline categories. */

import { CISA_CATALOG } from '../evidence/kev.ts'
import type { MergedParts } from '../merge.ts'
import type { Advisory, CveCore, KevCatalogEntry } from '../record.ts'
import { CORE_FIELDS, type CoreField, type Field, FLAGS, UPDATED } from './difference-fields.ts'
import {
  AFFECTED,
  ALL_EVIDENCE,
  EVIDENCE,
  EXPLOITS,
  GUIDANCE,
  KEV_CATALOGS,
  KEV_ENTRY,
  type ListRule,
  METRICS,
  REFERENCES,
  REPORTS,
} from './difference-lists.ts'
import type { TimelineCategory } from './timeline-table.ts'

export interface FieldChange {
  category: TimelineCategory
  operation: 'add' | 'modify' | 'remove'
  /** The source that states the change. Null if the parts of the record do not identify it (attribution.ts). */
  provider: string | null
  /** Identity of the changed thing, independent of its position and of the changed field. */
  item: string
  /** JSONPath into the CVE detail. List indexes are those of the new version, or of the old one for removed items. */
  path: string
  /** Readable name of the changed thing. */
  subject: string
  oldValue: string | null
  newValue: string | null
}

/** Maximum length of a value in UTF-16 code units. The record itself has the complete value. */
const VALUE_LIMIT = 2000

/**
 * Returns the changes in table order, then list order. It covers every visible difference, except the order of lists
 * and fields that only follow from a reported change. EPSS is not part of a record and never appears.
 */
export function differences(previous: MergedParts, next: MergedParts): FieldChange[] {
  const changes: FieldChange[] = []
  addCore(changes, CORE_FIELDS, previous.core, next.core)
  addKev(changes, previous.kev, next.kev)
  addWeaknesses(changes, previous.facets.weaknesses, next.facets.weaknesses)
  addList(changes, METRICS, previous.cvss.metrics, next.cvss.metrics)
  addList(changes, AFFECTED, previous.affected, next.affected)
  addList(changes, REFERENCES, previous.references, next.references)
  addList(changes, GUIDANCE, previous.guidance.entries, next.guidance.entries)
  addField(changes, NVD_STATUS, previous.guidance.nvd_status, next.guidance.nvd_status)
  addList(changes, EXPLOITS, previous.exploits, next.exploits)
  addList(changes, EVIDENCE, previous.evidence, next.evidence)
  addField(changes, ANALYSIS, previous.analysis, next.analysis)
  addAdvisory(changes, ADVISORY_FIELDS, previous.advisory, next.advisory)
  addList(changes, REPORTS, previous.report_texts, next.report_texts)
  // The date moves with every change, so report it only if nothing else changed.
  if (changes.length === 0) changes.push(...dateChange(previous, next))
  if (changes.length === 0) addSecondary(changes, previous, next)
  return changes
}

/** Returns the change of the record's update date. */
export function dateChange(previous: MergedParts, next: MergedParts): FieldChange[] {
  const changes: FieldChange[] = []
  addCore(changes, [UPDATED], previous.core, next.core)
  return changes
}

/** Adds secondary changes: dates of claims, derived flags and evidence, names from the catalog. */
function addSecondary(changes: FieldChange[], previous: MergedParts, next: MergedParts): void {
  addCore(changes, FLAGS, previous.core, next.core)
  addList(changes, secondary(METRICS), previous.cvss.metrics, next.cvss.metrics)
  addList(changes, secondary(AFFECTED), previous.affected, next.affected)
  addList(changes, secondary(EXPLOITS), previous.exploits, next.exploits)
  addList(changes, secondary(ALL_EVIDENCE), previous.evidence, next.evidence)
  if (previous.advisory && next.advisory) {
    const fields = Object.keys(next.advisory) as (keyof Advisory)[]
    addAdvisory(changes, fields, previous.advisory, next.advisory)
  }
  addList(changes, secondary(REPORTS), previous.report_texts, next.report_texts)
}

const secondary = <Item>(rule: ListRule<Item>): ListRule<Item> => ({ ...rule, fields: rule.secondary })

const NVD_STATUS: Field = {
  category: 'nvd',
  provider: 'nvd',
  item: '$.guidance.nvd_status',
  path: '$.guidance.nvd_status',
  subject: 'NVD status',
}

const ANALYSIS: Field = {
  category: 'svc_analysis',
  provider: 'svc',
  item: '$.analysis',
  path: '$.analysis',
  subject: 'Analysis',
}

function addCore(changes: FieldChange[], fields: readonly CoreField[], before: CveCore, after: CveCore): void {
  for (const { read, provider, ...field } of fields) {
    addField(changes, { ...field, provider: provider(after, before) }, read(before), read(after))
  }
}

/** Adds changes of catalogs. CISA's listing itself and its date are fields of the core. */
function addKev(changes: FieldChange[], before: readonly KevCatalogEntry[], after: readonly KevCatalogEntry[]): void {
  const [old, now] = [before.filter(isOfCisa), after.filter(isOfCisa)]
  if (old.length > 0 && now.length > 0) addList(changes, KEV_ENTRY, old, now)
  const isOther = (entry: KevCatalogEntry) => !isOfCisa(entry)
  addList(changes, KEV_CATALOGS, before.filter(isOther), after.filter(isOther))
}

const isOfCisa = ({ catalog }: KevCatalogEntry) => catalog === CISA_CATALOG

/** Fields of the linked advisory that no other list of the record shows. */
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

function addAdvisory(
  changes: FieldChange[],
  fields: readonly (keyof Advisory)[],
  before: Advisory | null,
  after: Advisory | null,
): void {
  const path = '$.advisory'
  const whole: Field = { category: 'advisory', provider: 'advisory', item: path, path, subject: 'Linked advisory' }
  if (before === null || after === null) {
    addField(changes, whole, before?.advisory_id, after?.advisory_id)
    return
  }
  for (const name of fields) {
    const field = { ...whole, path: `${path}.${name}`, subject: `Advisory ${name.replaceAll('_', ' ')}` }
    addField(changes, field, before[name], after[name])
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
    const old = left.get(rule.key(item))?.shift()
    const field = fieldOf(rule, item, index, old?.item ?? null)
    if (field === null) continue
    if (!old) addField(changes, field, null, shown(rule, item))
    else {
      for (const name of rule.fields) {
        const [path, subject] = [`${field.path}.${name}`, `${field.subject}, ${name.replaceAll('_', ' ')}`]
        addField(changes, { ...field, path, subject }, old.item[name], item[name])
      }
    }
  }
  for (const rest of left.values()) {
    for (const { item, index } of rest) {
      const field = fieldOf(rule, item, index, null)
      if (field !== null) addField(changes, field, shown(rule, item), null)
    }
  }
}

function fieldOf<Item>(rule: ListRule<Item>, item: Item, index: number, old: Item | null): Field | null {
  const category = rule.category(item)
  if (category === null) return null
  const [provider, subject] = [rule.provider(item, old), rule.subject(item)]
  return { category, provider, item: `${rule.path} ${rule.key(item)}`, path: `${rule.path}[${index}]`, subject }
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function content<Item>(rule: ListRule<Item>, item: Item): string {
  return `${rule.key(item)}\n${JSON.stringify(rule.fields.map((name) => inOneOrder(item[name])))}`
}

/** Returns the text of an added or removed item in a message. */
function shown<Item>(rule: ListRule<Item>, item: Item): string {
  if (rule.shown) return rule.shown(item)
  const fields: Record<string, unknown> = {}
  for (const name of ['vendor', 'product', 'package_name', ...rule.fields] as (keyof Item & string)[]) {
    const value = item[name]
    if (value !== null && value !== undefined) fields[name] = value
  }
  return JSON.stringify(fields)
}

function addWeaknesses(changes: FieldChange[], before: readonly string[], after: readonly string[]): void {
  const path = '$.weaknesses'
  const field = (id: string): Field => ({
    category: 'weakness',
    provider: null,
    item: `${path} ${id}`,
    path,
    subject: 'Weakness',
  })
  for (const id of after) if (!before.includes(id)) addField(changes, field(id), null, id)
  for (const id of before) if (!after.includes(id)) addField(changes, field(id), id, null)
}

function addField(changes: FieldChange[], field: Field, before: unknown, after: unknown): void {
  if (asText(inOneOrder(before)) === asText(inOneOrder(after))) return
  const [oldValue, newValue] = [asText(before), asText(after)]
  const operation = oldValue === null ? 'add' : newValue === null ? 'remove' : 'modify'
  changes.push({ ...field, operation, oldValue: cut(oldValue), newValue: cut(newValue) })
}

/** Sorts lists of strings (versions, platforms, CPEs, tags): their order has no meaning. */
function inOneOrder(value: unknown): unknown {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.toSorted() : value
}

function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns a value as a message shows it: cut to `VALUE_LIMIT`. */
export function cut<Text extends string | null>(text: Text): Text | string {
  return text !== null && text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT).toWellFormed()}…` : text
}
