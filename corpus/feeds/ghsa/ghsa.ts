/** Reads GitHub's advisory database from a zip or a checkout: one file per advisory, in the OSV schema. */

import { claimText, type FeedFile, type FeedItem, type OpenFeed, type ReadOptions } from '../feed.ts'
import { dateInName, findFiles } from '../files/choice.ts'
import { openTree, readTreeBatch, type TreeBatch, type TreeFormat } from '../files/tree.ts'
import { cveIdsOf, openEntry } from '../osv/entry.ts'
import { addNote } from '../statements.ts'
import { readAdvisory } from './advisory.ts'

/** Increase it with every change of the result for the same bytes. */
export const GHSA_ADAPTER = 1

const FOLDER = 'ghsa'
const ARCHIVE = /^advisory-database.*\.zip$/
const ADVISORY_NAME = /(?:^|[/\\])(GHSA(?:-[0-9a-z]{4}){3})\.json$/

/** Finds zips of the repository and the `advisories` folders of checkouts. */
export function findGhsa(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) =>
    entry.isDirectory() ? entry.name === 'advisories' : entry.isFile() && ARCHIVE.test(entry.name),
  )
  return found.map(({ path, name, directory }) => {
    const date = dateInName(name)
    return { path, name, role: 'baseline', part: '', date, version: date, folder: directory }
  })
}

const FORMAT: TreeFormat = {
  adapter: GHSA_ADAPTER,
  keyOf: (path) => ADVISORY_NAME.exec(path)?.[1] ?? null,
  read(json, key) {
    const entry = openEntry(json, key)
    const { notes, modified, published } = entry
    if (modified === null && published === null) addNote(notes, { code: 'date-missing', detail: `no date in ${key}` })
    const cveIds = cveIdsOf([entry.json.aliases], notes)
    return { cveIds, statedAt: modified, body: claimText(readAdvisory(entry)), notes }
  },
}

/**
 * Opens the advisories of a file in stored order.
 * @throws FeedError when the file cannot be opened
 */
export function openGhsa(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  return openTree(file, options, FORMAT)
}

export function readGhsaBatch(batch: TreeBatch): FeedItem[] {
  return readTreeBatch(batch, FORMAT)
}
