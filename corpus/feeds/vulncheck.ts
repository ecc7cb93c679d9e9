/** Reads VulnCheck KEV, a catalog of exploited vulnerabilities: one JSON list. An entry can be about several CVEs. */
import { texts } from '../model/values/json-value.ts'
import { FeedError } from './error.ts'
import type { FeedFile, FeedItem, ReadOptions } from './feed.ts'
import { fileDatedByName, findFiles } from './files/choice.ts'
import { shown } from './json.ts'
import { type KevCatalog, kevItems, readEntryList } from './kev-catalog.ts'

export const VULNCHECK_ADAPTER = 1

/** Each CVE repeats the texts of its entry. */
const MAX_CVES = 100

/** The name of this catalog. */
export const VULNCHECK_CATALOG = 'vulncheck'

const VULNCHECK: KevCatalog = {
  name: VULNCHECK_CATALOG,
  adapter: VULNCHECK_ADAPTER,
  cve: 'cve',
  idsOf(json) {
    const stated = texts(json.cve)
    if (stated.length === 0) throw new FeedError('item_invalid', `cve is not a list of CVE ids: ${shown(json.cve)}`)
    if (stated.length > MAX_CVES) {
      throw new FeedError('item_invalid', `it is about ${stated.length} CVEs; the limit is ${MAX_CVES}`)
    }
    return stated
  },
  fields: {
    dateAdded: 'date_added',
    dueDate: 'dueDate',
    requiredAction: 'required_action',
    ransomware: 'knownRansomwareCampaignUse',
    vendor: 'vendorProject',
    product: 'product',
    name: 'vulnerabilityName',
    description: 'shortDescription',
  },
  types: { cve: 'texts' },
  facets: ['name', 'description', 'ransomware use'],
}

const FILE_NAME = /^vulncheck_known_exploited_vulnerabilities.*\.json(?:\.gz)?$/

/** The file states no date of its own. */
export const findVulnCheck = (feedsFolder: string): FeedFile[] =>
  findFiles(feedsFolder, 'vulncheck', (entry) => entry.isFile() && FILE_NAME.test(entry.name)).map((file) =>
    fileDatedByName(file),
  )

export const readVulnCheck = (file: FeedFile, options: ReadOptions): Iterable<FeedItem> =>
  kevItems(readEntryList(file), VULNCHECK, options)
