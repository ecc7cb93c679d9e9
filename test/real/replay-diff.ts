/** The plain diff of dated CVE lists (replay.py), and the timeline messages that follow from its facts. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type VersionStatement, versionLists } from '../../corpus/model/affected/ranges.ts'
import { REAL_FEEDS } from '../support/needs.ts'

interface Changed<Name extends string, Value> {
  fact: Name
  old: Value
  new: Value
}

type Text = string | null

interface UpstreamScore {
  container: 'cna' | 'adp'
  name: string
  version: string
  score: number
  severity: Text
  vector: string
}

interface UpstreamEntry {
  container: 'cna' | 'adp'
  entry: Record<string, unknown> & { versions?: Partial<VersionStatement>[] }
}

interface UpstreamReference {
  name: Text
  tags: string[]
  sources: string[]
}

export type Fact =
  | Changed<'state' | 'published' | 'updated' | 'assigner' | 'title' | 'description' | 'kev' | 'cwe', Text>
  | Changed<'workaround', boolean>
  | Changed<'ssvc', Record<string, Text> | null>
  | Changed<'cvss', UpstreamScore | null>
  | Changed<'affected', UpstreamEntry | null>
  | (Changed<'reference', UpstreamReference | null> & { url: string })

export interface ChangedRecord {
  /** Whether the CNA gave a title before and after. */
  titled: boolean
  /** `dateUpdated` of the newer record. */
  updated: string
  facts: Fact[]
  /** Paths of all other differences. */
  other: string[]
}

export interface ListDiff {
  added: string[]
  removed: string[]
  same: number
  changed: Record<string, ChangedRecord>
}

/** Returns the diffs between consecutive dated lists. */
export async function plainDiffs(dates: readonly string[]): Promise<ListDiff[]> {
  const script = join(import.meta.dirname, 'replay.py')
  const lists = dates.map((date) => join(REAL_FEEDS, `cvelistv5/${date}_all_CVEs.zip`))
  const { stdout } = await promisify(execFile)('python3', [script, ...lists], { maxBuffer: 1 << 28 })
  return JSON.parse(stdout) as ListDiff[]
}

/** An expected message of the timeline; its path has no list indexes. */
export interface BitConstraint {
  category: string
  path: string
  old: Text
  new: Text
}

/** Returns the messages that follow from the record's own facts, one per fact, if nothing else applies. */
export function toldByFacts(facts: readonly Fact[]): BitConstraint[] {
  const told: BitConstraint[] = []
  for (const fact of facts) {
    switch (fact.fact) {
      case 'published':
      case 'assigner':
      case 'title':
      case 'description':
        told.push({ ...SINGLE[fact.fact], old: cut(fact.old), new: cut(fact.new) })
        break
      case 'kev':
        if ((fact.old === null) !== (fact.new === null)) {
          const [old, now] = [String(fact.old !== null), String(fact.new !== null)]
          told.push({ category: 'kev', path: '$.kev.listed', old, new: now })
        }
        told.push({ category: 'kev', path: '$.kev.date_added', old: fact.old, new: fact.new })
        break
      case 'workaround':
        told.push({ ...SINGLE.workaround, old: String(fact.old), new: String(fact.new) })
        break
      case 'ssvc':
        for (const [point, path] of POINTS) {
          told.push({ category: 'ssvc', path, old: fact.old?.[point] ?? null, new: fact.new?.[point] ?? null })
        }
        break
      case 'cwe':
        told.push({ category: 'weakness', path: '$.weaknesses', old: fact.old, new: fact.new })
        break
      case 'reference':
        told.push(...toldOfReference(fact.url, fact.old, fact.new))
    }
  }
  const scores = facts.flatMap((fact) => (fact.fact === 'cvss' ? [fact] : []))
  const entries = facts.flatMap((fact) => (fact.fact === 'affected' ? [fact] : []))
  told.push(...toldOfItems('cvss', '$.cvss.metrics[]', scores, scoreItem))
  told.push(...toldOfItems('affected_versions', '$.affected[]', entries, entryItem))
  return told.filter((one) => one.old !== one.new)
}

const SINGLE = {
  published: { category: 'publication', path: '$.date_published' },
  assigner: { category: 'publication', path: '$.assigner' },
  title: { category: 'description', path: '$.title' },
  description: { category: 'description', path: '$.description' },
  workaround: { category: 'description', path: '$.has_workaround' },
} as const

const POINTS = [
  ['Exploitation', '$.ssvc.exploitation'],
  ['Automatable', '$.ssvc.automatable'],
  ['Technical Impact', '$.ssvc.technical_impact'],
] as const

function toldOfReference(url: string, old: UpstreamReference | null, now: UpstreamReference | null): BitConstraint[] {
  const [category, path] = ['references', '$.references[]']
  if (old === null || now === null) return [{ category, path, old: old && url, new: now && url }]
  const fields = (['name', 'tags', 'sources'] as const).filter((name) => !saysTheSame(old[name], now[name]))
  return fields.map((name) => ({ category, path: `${path}.${name}`, old: printed(old[name]), new: printed(now[name]) }))
}

/** An item of a list in the API's terms: its key, its displayed value, its fields. */
interface Item {
  key: string
  shown: Record<string, unknown>
  fields: Record<string, unknown>
}

function scoreItem({ container, name, version, score, severity, vector }: UpstreamScore): Item {
  const fields = { base_score: score, base_severity: severity?.toUpperCase(), vector_string: vector }
  return { key: `${container} ${name} ${version}`, shown: {}, fields }
}

/** Another test compares ranges with the records; here they only must have changed when the statements did. */
function entryItem({ container, entry }: UpstreamEntry): Item {
  const shown = { vendor: named(entry.vendor), product: named(entry.product), package_name: text(entry.packageName) }
  const statements = (entry.versions ?? []).map(({ version, status, lessThan, lessThanOrEqual, ...rest }) => ({
    version: text(version) ?? '',
    status: status ?? 'unknown',
    lessThan: text(lessThan),
    lessThanOrEqual: text(lessThanOrEqual),
    versionType: text(rest.versionType),
    changes: rest.changes ?? [],
  }))
  const lists = versionLists(statements, text(entry.defaultStatus))
  const fields = {
    platforms: filled(entry.platforms),
    default_status: text(entry.defaultStatus),
    affected_versions: lists.affected_versions,
    affected_ranges: lists.affected_ranges,
    patched_versions: lists.patched_versions,
    cpes: filled(entry.cpes),
    repo_url: text(entry.repo),
    collection_url: text(entry.collectionURL),
    package_url: text(entry.packageURL),
  }
  return { key: [container, ...Object.values(shown)].join('\n'), shown, fields }
}

const text = (value: unknown): Text => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null)
/** An empty list counts as absent. */
const filled = (list: unknown): unknown => (Array.isArray(list) && list.length > 0 ? list : null)
/** `n/a` is no name (rule 24). */
const named = (value: unknown): Text => (/^n\/a$/i.test(text(value) ?? 'n/a') ? null : text(value))

/** Unchanged items are omitted. Items of the same name are paired in order; the others were added or removed. */
function toldOfItems<Value>(
  category: string,
  path: string,
  facts: readonly { old: Value | null; new: Value | null }[],
  itemOf: (value: Value) => Item,
): BitConstraint[] {
  const left = facts.flatMap(({ old }) => (old === null ? [] : [itemOf(old)]))
  const came: Item[] = []
  for (const item of facts.flatMap(({ new: now }) => (now === null ? [] : [itemOf(now)]))) {
    const same = left.findIndex((one) => one.key === item.key && saysTheSame(one.fields, item.fields))
    if (same < 0) came.push(item)
    else left.splice(same, 1)
  }
  const told: BitConstraint[] = []
  for (const item of came) {
    const before = left.findIndex(({ key }) => key === item.key)
    if (before < 0) told.push({ category, path, old: null, new: shownAs(item) })
    else {
      const [old] = left.splice(before, 1)
      for (const [name, now] of Object.entries(item.fields)) {
        const was = old!.fields[name]
        if (saysTheSame(was, now)) continue
        told.push({ category, path: `${path}.${name}`, old: printed(was), new: printed(now) })
      }
    }
  }
  return [...told, ...left.map((item) => ({ category, path, old: shownAs(item), new: null }))]
}

const shownAs = ({ shown, fields }: Item): Text =>
  printed(Object.fromEntries(Object.entries({ ...shown, ...fields }).filter(([, value]) => value !== null)))

/** Compares values; the order of lists of plain texts does not matter. */
function saysTheSame(a: unknown, b: unknown): boolean {
  const sorted = (_: string, value: unknown) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.toSorted() : value
  return JSON.stringify(a, sorted) === JSON.stringify(b, sorted)
}

/** A value as a message has it. */
export function printed(value: unknown): Text {
  if (value === null || value === undefined) return null
  return cut(typeof value === 'string' ? value : JSON.stringify(value))
}

/** The timeline shows the first 2000 characters of a value. */
export const cut = (value: Text): Text =>
  value !== null && value.length > 2000 ? `${value.slice(0, 2000).toWellFormed()}…` : value
