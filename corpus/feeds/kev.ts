/** Reads CISA's catalog of known exploited vulnerabilities: one JSON file. */
import type { KevEntry, RecordNote } from '../model/claim.ts'
import { CISA_CATALOG } from '../model/evidence/kev.ts'
import { parseCveId } from '../model/ids/cve-id.ts'
import { utcDate, utcTimestamp } from '../model/values/date.ts'
import { isObject, type JsonObject, text } from '../model/values/json-value.ts'
import { FeedError } from './error.ts'
import { type ExpectedFields, noteTypes } from './expected-types.ts'
import { facetBits } from './facets.ts'
import {
  claimText,
  type FeedFile,
  type FeedItem,
  isSameDigest,
  jsonItemDigest,
  MAX_ENTRY_LENGTH,
  type ReadOptions,
  skipOf,
} from './feed.ts'
import { dateInName, findFiles } from './files/choice.ts'
import { readJsonFile } from './files/plain-file.ts'
import { shown } from './json.ts'
import { addNote } from './statements.ts'

export const KEV_ADAPTER = 3

const TYPES: ExpectedFields = {
  vendorProject: 'text',
  product: 'text',
  vulnerabilityName: 'text',
  shortDescription: 'text',
  requiredAction: 'text',
  dueDate: 'text',
  knownRansomwareCampaignUse: 'text',
  notes: 'text',
}

/** Excludes the CSV of the same content, and the schema. */
const FILE_NAME = /^known_exploited_vulnerabilities(?!_schema).*\.json$/

export function findKev(feedsFolder: string): FeedFile[] {
  return findFiles(feedsFolder, 'kev', (entry) => entry.isFile() && FILE_NAME.test(entry.name)).map(
    ({ path, name }) => {
      const named = dateInName(name)
      const file = { path, name, role: 'baseline', part: '', folder: false } as const
      try {
        const catalog = readCatalog(path, name)
        const released = text(catalog.dateReleased)
        const date = released === null ? null : utcTimestamp(released)
        return { ...file, date: date ?? named, version: text(catalog.catalogVersion) }
      } catch (cause) {
        // Use the date in the name. Reading reports the error if this file is chosen.
        if (named !== null) return { ...file, date: named, version: null }
        throw cause
      }
    },
  )
}

function readCatalog(path: string, name: string): JsonObject & { vulnerabilities: unknown[] } {
  const json = readJsonFile(path, name)
  if (!isObject(json) || !Array.isArray(json.vulnerabilities)) {
    throw new FeedError('file_invalid', `${name} is not a KEV catalog: it has no list "vulnerabilities"`)
  }
  return json as JsonObject & { vulnerabilities: unknown[] }
}

/**
 * Yields the entries in file order. The digest covers an entry's JSON, because its byte range in the file is unknown.
 */
export function* readKev(file: FeedFile, options: ReadOptions): Iterable<FeedItem> {
  const { vulnerabilities, count } = readCatalog(file.path, file.name)
  if (typeof count === 'number' && count !== vulnerabilities.length) {
    const detail = `its count is ${count}, but it has ${vulnerabilities.length} entries`
    yield { kind: 'skip', key: file.name, reason: 'item_invalid', detail }
  }
  for (const [index, json] of vulnerabilities.entries()) {
    const stated = isObject(json) ? text(json.cveID) : null
    const cveId = stated === null ? null : parseCveId(stated)
    const key = cveId ?? stated ?? `entry ${index + 1}`
    try {
      if (!isObject(json)) throw new FeedError('item_invalid', `it is not an object: ${shown(json)}`)
      if (!cveId) throw new FeedError('item_invalid', `cveID is not a CVE id: ${shown(json.cveID)}`)
      const digest = jsonItemDigest(KEV_ADAPTER, json)
      if (isSameDigest(options.digestOf(key), digest)) {
        yield { kind: 'known', key, digest }
        continue
      }
      const dateAdded = text(json.dateAdded)
      const date = dateAdded === null ? null : utcDate(dateAdded)
      if (!date) throw new FeedError('item_invalid', `dateAdded is not a date: ${shown(json.dateAdded)}`)
      const notes: RecordNote[] = []
      noteTypes(json, TYPES, notes)
      const claim: KevEntry = {
        cveId,
        catalog: CISA_CATALOG,
        dateAdded: date,
        dueDate: statedDay(json.dueDate, 'dueDate', notes),
        requiredAction: text(json.requiredAction),
        ransomware: ransomwareUse(json.knownRansomwareCampaignUse, 'knownRansomwareCampaignUse', notes),
        notes: text(json.notes),
        vendor: text(json.vendorProject),
        product: text(json.product),
        name: text(json.vulnerabilityName),
        description: text(json.shortDescription),
      }
      const facets = facetBits({
        name: claim.vendor !== null && claim.product !== null,
        description: claim.name !== null,
        date: claim.dueDate !== null,
        'ransomware use': claim.ransomware !== null,
      })
      yield {
        kind: 'claim',
        key,
        cveIds: [cveId],
        digest,
        statedAt: date,
        body: claimText(claim, MAX_ENTRY_LENGTH),
        notes,
        facets,
      }
    } catch (cause) {
      yield skipOf(key, cause)
    }
  }
}

/** Returns a stated day, or null with a note if it is impossible. */
export function statedDay(stated: unknown, field: string, notes: RecordNote[]): string | null {
  const found = text(stated)
  if (found === null) return null
  const day = utcDate(found)
  if (day === null) addNote(notes, { code: 'date-impossible', detail: `${field} ${shown(found)}` })
  return day
}

/** Returns `known` or `unknown`, in any case; null with a note for another text. */
export function ransomwareUse(stated: unknown, field: string, notes: RecordNote[]): KevEntry['ransomware'] {
  const use = text(stated)?.toLowerCase() ?? null
  if (use === null || use === 'known' || use === 'unknown') return use
  addNote(notes, { code: 'type-wrong', detail: `${field} is not Known or Unknown: ${shown(stated)}` })
  return null
}
