/** Reads GitHub's advisory database from a zip or a checkout: one file per advisory, in the OSV schema. */

import { claimText, type FeedFile } from '../feed.ts'
import { fileDatedByName, findFiles } from '../files/choice.ts'
import { treeFeed } from '../files/tree.ts'
import { cveIdsOf, openEntry } from '../osv/entry.ts'
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
  /** Increase it with every change of the result for the same bytes. */
  adapter: 1,
  keyOf: (path) => ADVISORY_NAME.exec(path)?.[1] ?? null,
  read(json, key) {
    const entry = openEntry(json, key)
    const { notes, modified, published } = entry
    if (modified === null && published === null) addNote(notes, { code: 'date-missing', detail: `no date in ${key}` })
    const cveIds = cveIdsOf([entry.json.aliases], notes)
    return { cveIds, statedAt: modified, body: claimText(readAdvisory(entry)), notes }
  },
})
