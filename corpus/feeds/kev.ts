/** Reads CISA's catalog of known exploited vulnerabilities: one JSON file. */
import { CISA_CATALOG } from '../model/evidence/kev.ts'
import { utcTimestamp } from '../model/values/date.ts'
import { isObject, type JsonObject, text } from '../model/values/json-value.ts'
import { FeedError } from './error.ts'
import type { FeedFile, FeedItem, ReadOptions } from './feed.ts'
import { dateInName, findFiles } from './files/choice.ts'
import { readJsonFile } from './files/plain-file.ts'
import { shown } from './json.ts'
import { type KevCatalog, kevItems } from './kev-catalog.ts'

export const KEV_ADAPTER = 3

const KEV: KevCatalog = {
  name: CISA_CATALOG,
  adapter: KEV_ADAPTER,
  cve: 'cveID',
  idsOf(json) {
    const id = text(json.cveID)
    if (id === null) throw new FeedError('item_invalid', `cveID is not a CVE id: ${shown(json.cveID)}`)
    return [id]
  },
  fields: {
    dateAdded: 'dateAdded',
    dueDate: 'dueDate',
    requiredAction: 'requiredAction',
    ransomware: 'knownRansomwareCampaignUse',
    notes: 'notes',
    vendor: 'vendorProject',
    product: 'product',
    name: 'vulnerabilityName',
    description: 'shortDescription',
  },
  facets: ['name', 'description', 'date', 'ransomware use'],
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

/** Yields the entries in file order. */
export function* readKev(file: FeedFile, options: ReadOptions): Iterable<FeedItem> {
  const { vulnerabilities, count } = readCatalog(file.path, file.name)
  if (typeof count === 'number' && count !== vulnerabilities.length) {
    const detail = `its count is ${count}, but it has ${vulnerabilities.length} entries`
    yield { kind: 'skip', key: file.name, reason: 'item_invalid', detail }
  }
  yield* kevItems(vulnerabilities, KEV, options)
}
