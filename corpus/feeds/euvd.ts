/**
 * Reads the catalog of exploited vulnerabilities of EUVD, the vulnerability database of ENISA: one JSON list. The list
 * repeats CISA's catalog; `sources` states the catalogs that list the CVE.
 */
import { text, texts } from '../model/values/json-value.ts'
import { FeedError } from './error.ts'
import type { FeedFile, FeedItem, ReadOptions } from './feed.ts'
import { fileDatedByName, findFiles } from './files/choice.ts'
import { shown } from './json.ts'
import { type KevCatalog, kevItems, readEntryList } from './kev-catalog.ts'

export const EUVD_ADAPTER = 1

/** The name of this catalog. */
export const EUVD_CATALOG = 'euvd'

const OWN_SOURCE = 'eukev_kev'
const CISA_SOURCE = 'cisa_kev'

const EUVD: KevCatalog = {
  name: EUVD_CATALOG,
  adapter: EUVD_ADAPTER,
  cve: 'cveId',
  idsOf(json) {
    const sources = texts(json.sources)
    // Another name can be the new name of this catalog.
    if (!sources.includes(OWN_SOURCE) && !sources.includes(CISA_SOURCE)) {
      const detail = `sources has neither ${OWN_SOURCE} nor ${CISA_SOURCE}: ${shown(json.sources)}`
      throw new FeedError('item_invalid', detail)
    }
    if (!sources.includes(OWN_SOURCE)) return []
    const id = text(json.cveId)
    if (id === null) throw new FeedError('item_invalid', `cveId is not a CVE id: ${shown(json.cveId)}`)
    return [id]
  },
  fields: { dateAdded: 'dateAdded', vendor: 'vendorProject', product: 'product', name: 'vulnerabilityName' },
  types: { sources: 'texts' },
  facets: ['name', 'description'],
}

const FILE_NAME = /^euvd_kev.*\.json(?:\.gz)?$/

/** The file states no date of its own. */
export const findEuvd = (feedsFolder: string): FeedFile[] =>
  findFiles(feedsFolder, 'euvd', (entry) => entry.isFile() && FILE_NAME.test(entry.name)).map((file) =>
    fileDatedByName(file),
  )

export const readEuvd = (file: FeedFile, options: ReadOptions): Iterable<FeedItem> =>
  kevItems(readEntryList(file), EUVD, options)
