/** GitHub's advisory database: one advisory a file in the OSV schema, from a zip or a checkout of its repository. */

import { claimText, type FeedFile, type FeedItem, type OpenFeed, type ReadOptions } from '../feed.ts'
import { dateInName, findFiles } from '../files/choice.ts'
import { openTree, readTreeBatch, type TreeBatch, type TreeFormat } from '../files/tree.ts'
import { addNote } from '../notes.ts'
import { cveIdsOf, openEntry } from '../osv/entry.ts'
import { readAdvisory } from './advisory.ts'

/** Raise it with every change in what is made of the same bytes. */
export const GHSA_ADAPTER = 1

const FOLDER = 'ghsa'
const ARCHIVE = /^advisory-database.*\.zip$/
const ADVISORY_NAME = /(?:^|[/\\])(GHSA(?:-[0-9a-z]{4}){3})\.json$/

/** Zips of the repository, and folders called `advisories`, which a checkout of it has. */
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

/** The advisories of a file in the order in which they lie there. Throws `FeedError` where it cannot be opened. */
export function openGhsa(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  return openTree(file, options, FORMAT)
}

export function readGhsaBatch(batch: TreeBatch): FeedItem[] {
  return readTreeBatch(batch, FORMAT)
}
