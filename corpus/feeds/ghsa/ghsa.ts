/** Reads GitHub's advisory database from a zip or a checkout: one file per advisory, in the OSV schema. */

import { PACKAGE_RULES } from '../../model/packages/package-advisory.ts'
import { claimText, type FeedFile } from '../feed.ts'
import { fileDatedByName, findFiles } from '../files/choice.ts'
import { treeFeed } from '../files/tree.ts'
import { cveIdsOf, entryFacets, openEntry } from '../osv/entry.ts'
import { publishedAdvisory } from '../osv/published.ts'
import { addNote } from '../statements.ts'
import { readAdvisory } from './advisory.ts'

const FOLDER = 'ghsa'
const ARCHIVE = /^advisory-database.*\.zip$/
const ADVISORY_NAME = /(?:^|[/\\])(GHSA(?:-[0-9a-z]{4}){3})\.json$/

/** Finds zips of the repository and the `advisories` folders of checkouts. */
export function findGhsa(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) =>
    entry.isDirectory() ? entry.name === 'advisories' : entry.isFile() && ARCHIVE.test(entry.name),
  )
  return found.map((file) => fileDatedByName(file))
}

export const ghsa = treeFeed({
  /** Increase the first number with every other change of the result for the same bytes. */
  adapter: 3 + PACKAGE_RULES,
  keyOf: (path) => ADVISORY_NAME.exec(path)?.[1] ?? null,
  read(json, key, text) {
    const entry = openEntry(json, key)
    const { notes, modified, published } = entry
    if (modified === null && published === null) addNote(notes, { code: 'date-missing', detail: `no date in ${key}` })
    const cveIds = cveIdsOf([entry.json.aliases], notes)
    const advisory = publishedAdvisory(entry, text)
    const facets = entryFacets(entry.json)
    return { cveIds, statedAt: modified, body: claimText(readAdvisory(entry)), notes, advisory, facets }
  },
})
