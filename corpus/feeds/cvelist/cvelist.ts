/** Reads the CVE list v5, record by record, from a zip or a folder. */
import { parseCveId } from '../../model/ids/cve-id.ts'
import { PACKAGE_RULES } from '../../model/packages/package-advisory.ts'
import { FeedError } from '../error.ts'
import { claimFacets } from '../facets.ts'
import { claimText } from '../feed.ts'
import { treeFeed } from '../files/tree.ts'
import { packageAdvisory } from './package-advisory.ts'
import { parseCveRecord } from './record.ts'

/** Increase it with every change of what `parseCveRecord` or `packageAdvisory` returns for the same bytes. */
export const CVE_LIST_ADAPTER = 13

/** All other files (`delta.json`, `deltaLog.json`) and folders are no items of the feed. */
const RECORD_NAME = /(?:^|\/)(CVE-\d{4}-\d{4,19})\.json$/i

export const cveList = treeFeed({
  adapter: CVE_LIST_ADAPTER + PACKAGE_RULES,
  keyOf(path) {
    const name = RECORD_NAME.exec(path)?.[1]
    return name ? parseCveId(name) : null
  },
  read(json, key) {
    const record = parseCveRecord(json)
    if (record.cveId !== key) {
      throw new FeedError('id_differs_from_name', `the file of ${key} contains ${record.cveId}`)
    }
    const statedAt = [record.dateUpdated, record.datePublished, record.dateRejected].reduce(
      (newest, date) => (date !== null && (newest === null || date > newest) ? date : newest),
      null,
    )
    return {
      cveIds: [record.cveId],
      statedAt,
      body: claimText(record),
      notes: record.notes,
      advisory: packageAdvisory(record),
      facets: record.state === 'PUBLISHED' ? claimFacets(record.claims) : null,
    }
  },
})
