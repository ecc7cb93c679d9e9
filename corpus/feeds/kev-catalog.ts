/** Reads the entries of a catalog of exploited vulnerabilities, each a JSON object about one or more CVEs. */
import type { KevEntry, RecordNote } from '../model/claim.ts'
import { type CveId, parseCveId } from '../model/ids/cve-id.ts'
import { utcDate } from '../model/values/date.ts'
import { isObject, type JsonObject, text } from '../model/values/json-value.ts'
import { FeedError } from './error.ts'
import { type ExpectedFields, noteTypes } from './expected-types.ts'
import { type Facet, facetBits } from './facets.ts'
import {
  claimText,
  type FeedItem,
  isSameDigest,
  jsonItemDigest,
  MAX_ENTRY_LENGTH,
  type ReadOptions,
  skipOf,
} from './feed.ts'
import { readJsonFile } from './files/plain-file.ts'
import { shown } from './json.ts'
import { addNote } from './statements.ts'

export interface KevCatalog {
  /** The name of the catalog. */
  name: string
  adapter: number
  /** The field with the CVE id, or with a list of CVE ids. */
  cve: string
  /**
   * Returns the CVE ids of an entry as stated; none if the entry belongs to another catalog.
   * @throws FeedError `item_invalid`
   */
  idsOf(json: JsonObject): string[]
  /** The names of the other fields. All are texts; one that the catalog lacks is absent. */
  fields: { dateAdded: string } & Partial<Record<Exclude<keyof KevEntry, 'cveId' | 'catalog'>, string>>
  /** Types of further fields that `idsOf` reads. */
  types?: ExpectedFields
  facets: readonly Facet[]
}

/** Returns the entries of a file that is one JSON list. */
export function readEntryList({ path, name }: { path: string; name: string }): unknown[] {
  const list = readJsonFile(path, name)
  if (!Array.isArray(list)) throw new FeedError('file_invalid', `${name} is not a JSON array`)
  return list
}

/**
 * Yields one item for each CVE of each entry, in file order. The digest covers an entry's JSON, because its byte range
 * in the file is unknown.
 */
export function* kevItems(entries: readonly unknown[], catalog: KevCatalog, options: ReadOptions): Iterable<FeedItem> {
  for (const [index, json] of entries.entries()) {
    try {
      if (!isObject(json)) throw new FeedError('item_invalid', `it is not an object: ${shown(json)}`)
      yield* itemsOf(json, catalog, options)
    } catch (cause) {
      yield skipOf(`entry ${index + 1}`, cause)
    }
  }
}

function* itemsOf(json: JsonObject, catalog: KevCatalog, options: ReadOptions): Iterable<FeedItem> {
  let digest: Uint8Array | undefined
  for (const key of new Set(catalog.idsOf(json).map((id) => parseCveId(id) ?? id))) {
    const cveId = parseCveId(key)
    try {
      if (!cveId) throw new FeedError('item_invalid', `${catalog.cve} is not a CVE id: ${shown(key)}`)
      digest ??= jsonItemDigest(catalog.adapter, json)
      if (isSameDigest(options.digestOf(key), digest)) yield { kind: 'known', key, digest }
      else yield { kind: 'claim', key, cveIds: [cveId], digest, ...claimOf(json, cveId, catalog) }
    } catch (cause) {
      yield skipOf(key, cause)
    }
  }
}

function claimOf(json: JsonObject, cveId: CveId, { name: catalog, fields, types, facets }: KevCatalog) {
  const notes: RecordNote[] = []
  noteTypes(json, { ...types, ...Object.fromEntries(Object.values(fields).map((field) => [field, 'text'])) }, notes)
  const stated = (field: string | undefined) => (field === undefined ? null : text(json[field]))
  const dateAdded = utcDate(stated(fields.dateAdded) ?? '')
  if (dateAdded === null) {
    throw new FeedError('item_invalid', `${fields.dateAdded} is not a date: ${shown(json[fields.dateAdded])}`)
  }
  const claim: KevEntry = {
    cveId,
    catalog,
    dateAdded,
    dueDate: fields.dueDate === undefined ? null : statedDay(json[fields.dueDate], fields.dueDate, notes),
    requiredAction: stated(fields.requiredAction),
    ransomware:
      fields.ransomware === undefined ? null : ransomwareUse(json[fields.ransomware], fields.ransomware, notes),
    notes: stated(fields.notes),
    vendor: stated(fields.vendor),
    product: stated(fields.product),
    name: stated(fields.name),
    description: stated(fields.description),
  }
  const has: Partial<Record<Facet, boolean>> = {
    name: claim.vendor !== null && claim.product !== null,
    description: claim.name !== null,
    date: claim.dueDate !== null,
    'ransomware use': claim.ransomware !== null,
  }
  const bits = facetBits(Object.fromEntries(facets.map((facet) => [facet, has[facet]])))
  return { statedAt: dateAdded, body: claimText(claim, MAX_ENTRY_LENGTH), notes, facets: bits }
}

/** Returns a stated day, or null with a note if it is impossible. */
function statedDay(stated: unknown, field: string, notes: RecordNote[]): string | null {
  const found = text(stated)
  if (found === null) return null
  const day = utcDate(found)
  if (day === null) addNote(notes, { code: 'date-impossible', detail: `${field} ${shown(found)}` })
  return day
}

/** Returns `known` or `unknown`, in any case; null with a note for another text. */
function ransomwareUse(stated: unknown, field: string, notes: RecordNote[]): KevEntry['ransomware'] {
  const use = text(stated)?.toLowerCase() ?? null
  if (use === null || use === 'known' || use === 'unknown') return use
  addNote(notes, { code: 'type-wrong', detail: `${field} is not Known or Unknown: ${shown(stated)}` })
  return null
}
