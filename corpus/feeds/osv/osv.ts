/** Reads OSV's exports: zips with one entry per file, per ecosystem or for all. */

import { claimText, type FeedFile, type FeedItem, type OpenFeed, type ReadOptions } from '../feed.ts'
import { dateInName, findFiles } from '../files/choice.ts'
import { openTree, readTreeBatch, type TreeBatch, type TreeFormat } from '../files/tree.ts'
import { addNote } from '../statements.ts'
import { claimOf, cveIdsOf, openEntry } from './entry.ts'

/** Increase it with every change of the result for the same bytes. */
export const OSV_ADAPTER = 1

const FOLDER = 'osv'
/** `all.zip` as upstream names it, optionally with a date before or after; unpacked, a folder `all`. */
const ARCHIVE = /^(?:[\d-]+[-_])?all(?:[-_][\d-]+)?\.zip$/
/** Entry ids contain a hyphen; other files do not. */
const ENTRY_NAME = /(?:^|[/\\])([^/\\]*-[^/\\]*)\.json$/

/** Finds `osv/all.zip`, which is the whole feed, and `osv/<ecosystem>/all.zip`, which is the part of its ecosystem. */
export function findOsv(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) =>
    entry.isDirectory() ? entry.name === 'all' : entry.isFile() && ARCHIVE.test(entry.name),
  )
  return found.map(({ path, name, directory }) => {
    const date = dateInName(name)
    const part = name.split('/').slice(1, -1).join('/')
    return { path, name, role: 'baseline', part, date, version: date, folder: directory }
  })
}

const FORMAT: TreeFormat = {
  adapter: OSV_ADAPTER,
  keyOf: (path) => ENTRY_NAME.exec(path)?.[1] ?? null,
  read(json, key) {
    const entry = openEntry(json, key)
    const { json: stated, withdrawn, modified, updatedAt, notes } = entry
    // A withdrawn entry, or one with the CVE only in `related`, makes no claim on a CVE (rule 29).
    const ids = withdrawn === null ? cveIdsOf([[stated.id], stated.aliases, stated.upstream], notes) : []
    // Entries without a CVE are stored by key only. Exports contain hundreds of thousands of malicious packages.
    if (ids.length === 0) return { cveIds: [], statedAt: modified, body: 'null', notes }
    if (modified === null && entry.published === null) {
      addNote(notes, { code: 'date-missing', detail: `no date in ${key}, so it is of ${updatedAt}` })
    }
    const { claim } = claimOf(entry, 'osv')
    return { cveIds: ids, statedAt: modified, body: claimText(claim), notes }
  },
}

/**
 * Opens the entries of a file in stored order.
 * @throws FeedError when the file cannot be opened
 */
export function openOsv(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  return openTree(file, options, FORMAT)
}

export function readOsvBatch(batch: TreeBatch): FeedItem[] {
  return readTreeBatch(batch, FORMAT)
}
