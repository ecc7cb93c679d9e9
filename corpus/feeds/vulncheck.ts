/** Reads VulnCheck KEV, a catalog of exploited vulnerabilities: one JSON list. An entry can be about several CVEs. */
import type { KevEntry, RecordNote } from '../model/claim.ts'
import { type CveId, parseCveId } from '../model/ids/cve-id.ts'
import { isObject, type JsonObject, text, texts } from '../model/values/json-value.ts'
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
import { fileDatedByName, findFiles } from './files/choice.ts'
import { readJsonFile } from './files/plain-file.ts'
import { shown } from './json.ts'
import { ransomwareUse, statedDay } from './kev.ts'

export const VULNCHECK_ADAPTER = 1

/** Each CVE repeats the texts of its entry. */
const MAX_CVES = 100

/** The name of this catalog. */
export const VULNCHECK_CATALOG = 'vulncheck'

const TYPES: ExpectedFields = {
  cve: 'texts',
  vendorProject: 'text',
  product: 'text',
  vulnerabilityName: 'text',
  shortDescription: 'text',
  required_action: 'text',
  date_added: 'text',
  dueDate: 'text',
  knownRansomwareCampaignUse: 'text',
}

const FILE_NAME = /^vulncheck_known_exploited_vulnerabilities.*\.json(?:\.gz)?$/

/** The file states no date of its own. */
export const findVulnCheck = (feedsFolder: string): FeedFile[] =>
  findFiles(feedsFolder, 'vulncheck', (entry) => entry.isFile() && FILE_NAME.test(entry.name)).map((file) =>
    fileDatedByName(file),
  )

/** Yields one item for each CVE of each entry, in file order. */
export function* readVulnCheck(file: FeedFile, options: ReadOptions): Iterable<FeedItem> {
  const list = readJsonFile(file.path, file.name)
  if (!Array.isArray(list)) throw new FeedError('file_invalid', `${file.name} is not a JSON array`)
  for (const [index, json] of list.entries()) {
    try {
      if (!isObject(json)) throw new FeedError('item_invalid', `it is not an object: ${shown(json)}`)
      yield* itemsOf(json, options)
    } catch (cause) {
      yield skipOf(`entry ${index + 1}`, cause)
    }
  }
}

function* itemsOf(json: JsonObject, options: ReadOptions): Iterable<FeedItem> {
  const stated = texts(json.cve)
  if (stated.length === 0) throw new FeedError('item_invalid', `cve is not a list of CVE ids: ${shown(json.cve)}`)
  if (stated.length > MAX_CVES) {
    throw new FeedError('item_invalid', `it is about ${stated.length} CVEs; the limit is ${MAX_CVES}`)
  }
  let digest: Uint8Array | undefined
  for (const key of new Set(stated.map((id) => parseCveId(id) ?? id))) {
    const cveId = parseCveId(key)
    try {
      if (!cveId) throw new FeedError('item_invalid', `cve has a text that is not a CVE id: ${shown(key)}`)
      digest ??= jsonItemDigest(VULNCHECK_ADAPTER, json)
      if (isSameDigest(options.digestOf(key), digest)) yield { kind: 'known', key, digest }
      else yield { kind: 'claim', key, cveIds: [cveId], digest, ...claimOf(json, cveId) }
    } catch (cause) {
      yield skipOf(key, cause)
    }
  }
}

function claimOf(json: JsonObject, cveId: CveId) {
  const notes: RecordNote[] = []
  noteTypes(json, TYPES, notes)
  const dateAdded = statedDay(json.date_added, 'date_added', [])
  if (dateAdded === null) throw new FeedError('item_invalid', `date_added is not a date: ${shown(json.date_added)}`)
  const claim: KevEntry = {
    cveId,
    catalog: VULNCHECK_CATALOG,
    dateAdded,
    dueDate: statedDay(json.dueDate, 'dueDate', notes),
    requiredAction: text(json.required_action),
    ransomware: ransomwareUse(json.knownRansomwareCampaignUse, 'knownRansomwareCampaignUse', notes),
    notes: null,
    vendor: text(json.vendorProject),
    product: text(json.product),
    name: text(json.vulnerabilityName),
    description: text(json.shortDescription),
  }
  const facets = facetBits({
    name: claim.vendor !== null && claim.product !== null,
    description: claim.name !== null,
    'ransomware use': claim.ransomware !== null,
  })
  return { statedAt: dateAdded, body: claimText(claim, MAX_ENTRY_LENGTH), notes, facets }
}
