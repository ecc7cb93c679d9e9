/** Converts an entry in the OSV schema (1.3 to 1.7) to a claim, with its severities and references. Used for GitHub's advisories and OSV's exports. */
import type { CveClaim, CvssClaim, RecordNote, ReferenceClaim } from '../../model/claim.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import { weaknessId } from '../../model/ids/weakness.ts'
import { severityOf } from '../../model/scores/cvss.ts'
import { isObject, type JsonObject, objects, text, texts } from '../../model/values/json-value.ts'
import { FeedError } from '../error.ts'
import { type ExpectedFields, type ExpectedType, noteTypes } from '../expected-types.ts'
import { facetBits } from '../facets.ts'
import { boundedWeaknesses } from '../feed.ts'
import { shown } from '../json.ts'
import { addNote, NO_DATE, readCveIds, readDate, readUrl, scoreOfStated } from '../statements.ts'
import { type AffectedPackageStatement, readAffected } from './affected.ts'

export interface OsvEntry {
  json: JsonObject
  id: string
  published: string | null
  modified: string | null
  withdrawn: string | null
  /** `modified`, else `published`, else the epoch. */
  updatedAt: string
  notes: RecordNote[]
}

const SEVERITIES: ExpectedType = [{ type: 'text', score: 'text' }]

const TYPES: ExpectedFields = {
  published: 'text',
  modified: 'text',
  withdrawn: 'text',
  summary: 'text',
  details: 'text',
  aliases: 'texts',
  upstream: 'texts',
  severity: SEVERITIES,
  affected: [
    {
      package: { ecosystem: 'text', name: 'text', purl: 'text' },
      severity: SEVERITIES,
      ranges: [{ type: 'text', repo: 'text', events: [{}] }],
      versions: 'texts',
    },
  ],
  references: [{ type: 'text', url: 'text' }],
}

/**
 * Returns the entry with its id, which must equal its file name, and its dates.
 * @throws FeedError when it is no valid entry
 */
export function openEntry(json: unknown, key: string): OsvEntry {
  if (!isObject(json)) throw new FeedError('item_invalid', `it is not an object: ${shown(json)}`)
  const id = text(json.id)
  if (id === null) throw new FeedError('item_invalid', `its id is not a string: ${shown(json.id)}`)
  if (id !== key) throw new FeedError('id_differs_from_name', `the file of ${key} contains ${id}`)
  const notes: RecordNote[] = []
  noteTypes(json, TYPES, notes)
  const [published, modified, withdrawn] = (['published', 'modified', 'withdrawn'] as const).map((name) =>
    isPlaceholder(json[name]) ? null : readDate(json[name], name, notes),
  ) as [string | null, string | null, string | null]
  return { json, id, published, modified, withdrawn, updatedAt: modified ?? published ?? NO_DATE, notes }
}

/** Withdrawn entries and those without a CVE count too: this shows fields that their publisher has renamed. */
export function entryFacets(entry: JsonObject): number {
  const members = objects(entry.affected)
  const specific = isObject(entry.database_specific) ? entry.database_specific : {}
  return facetBits({
    CVSS: [entry, ...members].some(({ severity }) => objects(severity).some(({ score }) => text(score) !== null)),
    affected: members.some(({ ranges, versions }) => objects(ranges).length > 0 || texts(versions).length > 0),
    references: objects(entry.references).some(({ url }) => text(url) !== null),
    CWE: texts(specific.cwe_ids).length > 0,
    description: text(entry.details) !== null,
    name: members.some((member) => isObject(member.package) && text(member.package.name) !== null),
    'CVE ids': [entry.id, ...texts(entry.aliases), ...texts(entry.upstream)].some((id) => /^CVE-/i.test(String(id))),
    date: text(entry.modified) !== null,
  })
}

/** Whether a date is Go's zero time. The Go database repository uses it for missing dates; it is no error. */
function isPlaceholder(date: unknown): boolean {
  return typeof date === 'string' && date.startsWith('0001-01-01')
}

/** Returns the CVE ids in lists of ids (`aliases`, `upstream`), by year and number. */
export function cveIdsOf(lists: readonly unknown[], notes: RecordNote[]): CveId[] {
  return readCveIds(lists.flatMap(texts), notes)
}

export interface OsvClaim {
  claim: CveClaim
  packages: AffectedPackageStatement[]
  references: TypedReference[]
}

export function claimOf(entry: OsvEntry, source: 'advisory' | 'osv'): OsvClaim {
  const { json, id, updatedAt, notes } = entry
  const packages = readAffected(json, { source, updatedAt, notes })
  const references = readReferences(json, notes)
  const specific = isObject(json.database_specific) ? json.database_specific : {}
  return {
    packages,
    references,
    claim: {
      source,
      sourceName: id,
      updatedAt,
      title: text(json.summary),
      description: text(json.details),
      metrics: readSeverities(json, notes),
      weaknesses: boundedWeaknesses(texts(specific.cwe_ids).flatMap((stated) => weaknessId(stated) ?? [])),
      affected: packages.map((one) => one.entry),
      references: references.map(({ url, name, tags }) => ({ url, name, tags })),
      ssvc: null,
      kevDateAdded: null,
    },
  }
}

/** Returns unique vectors with their scores. Ignores severities that are no CVSS (`Ubuntu`: a word). */
function readSeverities(entry: JsonObject, notes: RecordNote[]): CvssClaim[] {
  const byVector = new Map<string, CvssClaim>()
  const stated = [entry, ...objects(entry.affected)].flatMap(({ severity }) => objects(severity))
  for (const { type, score: statedVector } of stated) {
    const vector = text(statedVector)
    const typeName = text(type) ?? ''
    if (!/^CVSS_/.test(typeName) || (vector !== null && byVector.has(vector))) continue
    const version = vector === null ? null : versionOf(vector, typeName)
    const score = vector === null || version === null ? null : scoreOfStated(vector, version, notes)
    if (vector === null || version === null || score === null) {
      addNote(notes, { code: 'cvss-unreadable', detail: `${shown(type)} ${shown(statedVector)}` })
      continue
    }
    byVector.set(vector, {
      version,
      baseScore: score,
      baseSeverity: severityOf(score, version).toUpperCase(),
      vector,
      statedAt: null,
      scoredBy: null,
    })
  }
  return [...byVector.values()]
}

/** The version that a vector states, else the newest one of its type. */
function versionOf(vector: string, type: string): CvssClaim['version'] | null {
  const stated = /^\s*CVSS:(3\.[01]|4\.0)/i.exec(vector)?.[1] as CvssClaim['version'] | undefined
  return stated ?? VERSION_OF_TYPE[type] ?? null
}

const VERSION_OF_TYPE: Record<string, CvssClaim['version']> = { CVSS_V2: '2.0', CVSS_V3: '3.1', CVSS_V4: '4.0' }

export interface TypedReference extends ReferenceClaim {
  /** Types of the OSV schema: `ADVISORY`, `FIX`, `PACKAGE`, `WEB`, … */
  types: string[]
}

/** Returns the tag of a type: `patch` for `FIX`, none for the default type `WEB`, otherwise the type in lower case. */
function tagOf(type: string): string | null {
  if (type === 'WEB') return null
  return type === 'FIX' ? 'patch' : type.toLowerCase()
}

function readReferences(entry: JsonObject, notes: RecordNote[]): TypedReference[] {
  const typesOf = new Map<string, Set<string>>()
  for (const reference of objects(entry.references)) {
    const stated = text(reference.url)
    if (stated === null) continue
    const url = readUrl(withScheme(stated), notes)
    if (url === null) continue
    const type = text(reference.type)?.toUpperCase() ?? 'WEB'
    const types = typesOf.get(url) ?? new Set()
    typesOf.set(url, types)
    types.add(type)
  }
  return Array.from(typesOf, ([url, set]) => {
    const types = [...set]
    return { url, name: null, tags: types.map(tagOf).filter((tag) => tag !== null), types }
  })
}

/** GitHub's advisories link some packages as `github.com/owner/name` or `owner/name`. */
function withScheme(url: string): string {
  if (/^[\w-]+(?:\.[\w-]+)+\//.test(url)) return `https://${url}`
  return /^[\w-]+\/[\w.-]+$/.test(url) ? `https://github.com/${url}` : url
}
