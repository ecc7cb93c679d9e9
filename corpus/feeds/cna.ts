/** The list of CVE numbering authorities from the CVE website: one JSON file. */

import { nameKey } from '../model/affected/products.ts'
import type { CnaEntry } from '../model/claim.ts'
import { isObject, objects, text, texts } from '../model/values/json-value.ts'
import { FeedError } from './error.ts'
import { facetBits } from './facets.ts'
import {
  assertName,
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

export const CNA_ADAPTER = 3

/** The file states no date. Without a date in its name it counts as valid at any time. */
export function findCnaList(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, 'cna', (entry) => entry.isFile() && /^CNAsList.*\.json$/.test(entry.name))
  return found.map((file) => fileDatedByName(file))
}

/** Yields the entries in file order. Their key is the slug: the short name folded like vendor names (rule 27). */
export function* readCnaList(file: FeedFile, options: ReadOptions): Iterable<FeedItem> {
  const list = readJsonFile(file.path, file.name)
  if (!Array.isArray(list))
    throw new FeedError('file_invalid', `${file.name} is not a CNA list: it is not a JSON array`)
  for (const [index, json] of list.entries()) {
    const shortName = isObject(json) ? text(json.shortName) : null
    const slug = shortName === null ? null : nameKey(shortName)
    const key = slug ?? `entry ${index + 1}`
    try {
      if (!isObject(json) || shortName === null || slug === null) {
        throw new FeedError(
          'item_invalid',
          `shortName is not a string: ${shown(isObject(json) ? json.shortName : json)}`,
        )
      }
      assertName(slug)
      const digest = jsonItemDigest(CNA_ADAPTER, json)
      if (isSameDigest(options.digestOf(key), digest)) {
        yield { kind: 'known', key, digest }
        continue
      }
      const types = isObject(json.CNA) ? texts(json.CNA.type) : []
      const advisories = isObject(json.securityAdvisories) ? objects(json.securityAdvisories.advisories) : []
      const claim: CnaEntry = {
        slug,
        shortName,
        name: text(json.organizationName) ?? shortName,
        scope: text(json.scope),
        country: text(json.country),
        organizationTypes: types,
        advisoriesUrl: text(advisories[0]?.url),
      }
      const body = claimText(claim, MAX_ENTRY_LENGTH)
      const facets = facetBits({
        name: text(json.organizationName) !== null,
        description: claim.scope !== null,
        links: claim.advisoriesUrl !== null,
        relations: types.length > 0,
      })
      yield { kind: 'claim', key, cveIds: [], digest, statedAt: null, body, notes: [], facets }
    } catch (cause) {
      yield skipOf(key, cause)
    }
  }
}
