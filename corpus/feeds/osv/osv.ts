/** OSV's exports: zips of one entry a file, for each ecosystem or for all of them. */

import { claimText, type FeedFile, type FeedItem, type OpenFeed, type ReadOptions } from '../feed.ts'
import { dateInName, findFiles } from '../files/choice.ts'
import { openTree, readTreeBatch, type TreeBatch, type TreeFormat } from '../files/tree.ts'
import { addNote } from '../notes.ts'
import { claimOf, cveIdsOf, openEntry } from './entry.ts'

/** Raise it with every change in what is made of the same bytes. */
export const OSV_ADAPTER = 1

const FOLDER = 'osv'
/** `all.zip`, as upstream calls it, or with a date before or behind it; unpacked it is a folder `all`. */
const ARCHIVE = /^(?:[\d-]+[-_])?all(?:[-_][\d-]+)?\.zip$/
/** An id has a hyphen: what else may lie beside the entries has none. */
const ENTRY_NAME = /(?:^|[/\\])([^/\\]*-[^/\\]*)\.json$/

/** `osv/all.zip` is the whole, `osv/<ecosystem>/all.zip` a part that is called after its ecosystem. */
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
    // A withdrawn entry, or one that is merely `related`, makes no claim on a CVE (rule 29).
    const ids = withdrawn === null ? cveIdsOf([[stated.id], stated.aliases, stated.upstream], notes) : []
    // What is about no CVE is kept by its key alone: exports hold hundreds of thousands of malicious packages.
    if (ids.length === 0) return { cveIds: [], statedAt: modified, body: 'null', notes }
    if (modified === null && entry.published === null) {
      addNote(notes, { code: 'date-missing', detail: `no date in ${key}, so it is of ${updatedAt}` })
    }
    const { claim } = claimOf(entry, 'osv')
    return { cveIds: ids, statedAt: modified, body: claimText(claim), notes }
  },
}

/** The entries of a file in the order in which they lie there. Throws `FeedError` where it cannot be opened. */
export function openOsv(file: FeedFile, options: ReadOptions): Promise<OpenFeed> {
  return openTree(file, options, FORMAT)
}

export function readOsvBatch(batch: TreeBatch): FeedItem[] {
  return readTreeBatch(batch, FORMAT)
}
