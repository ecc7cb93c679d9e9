/** Converts an entry in the OSV schema (1.3 to 1.7) to a claim. Used for GitHub's advisories and OSV's exports. */
import type { CveClaim, RecordNote } from '../../model/claim.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import { weaknessId } from '../../model/ids/weakness.ts'
import { readCveIds } from '../cve-ids.ts'
import { FeedError } from '../error.ts'
import { boundedWeaknesses } from '../feed.ts'
import { isObject, type JsonObject, shown, text, texts } from '../json.ts'
import { NO_DATE, readDate } from '../statements.ts'
import { type AffectedPackageStatement, readAffected } from './affected.ts'
import { readReferences, type TypedReference } from './references.ts'
import { readSeverities } from './severity.ts'

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

/**
 * Returns the entry with its id, which must equal its file name, and its dates.
 * @throws FeedError when it is no valid entry
 */
export function openEntry(json: unknown, key: string): OsvEntry {
  if (!isObject(json)) throw new FeedError('item_invalid', `it is no object but ${shown(json)}`)
  const id = text(json.id)
  if (id === null) throw new FeedError('item_invalid', `its id is ${shown(json.id)}`)
  if (id !== key) throw new FeedError('id_differs_from_name', `the file of ${key} holds ${id}`)
  const notes: RecordNote[] = []
  const [published, modified, withdrawn] = (['published', 'modified', 'withdrawn'] as const).map((name) =>
    isPlaceholder(json[name]) ? null : readDate(json[name], name, notes),
  ) as [string | null, string | null, string | null]
  return { json, id, published, modified, withdrawn, updatedAt: modified ?? published ?? NO_DATE, notes }
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
  const references = readReferences(json)
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
      hasWorkaround: false,
      ssvc: null,
      kevDateAdded: null,
    },
  }
}
