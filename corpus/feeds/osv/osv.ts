/** Reads OSV's exports: zips with one entry per file, per ecosystem or for all. */

import { PACKAGE_RULES } from '../../model/packages/package-advisory.ts'
import { claimText, type FeedFile } from '../feed.ts'
import { fileDatedByName, findFiles } from '../files/choice.ts'
import { treeFeed } from '../files/tree.ts'
import { addNote } from '../statements.ts'
import { claimOf, cveIdsOf, entryFacets, openEntry } from './entry.ts'
import { publishedAdvisory } from './published.ts'

const FOLDER = 'osv'
/** `all.zip` as upstream names it, optionally with a date before or after; unpacked, a folder `all`. */
const ARCHIVE = /^(?:[\d-]+[-_])?all(?:[-_][\d-]+)?\.zip$/
/** Entry ids contain a hyphen; other files do not. */
const ENTRY_NAME = /(?:^|[/\\])(?=[^/\\]*-)([^/\\]*)\.json$/

/** What replaces the colon of `RLSA-2024:9016` in the name of a file: systems without colons in names, URLs. */
const COLON = /(?<=-\d{4})(?:_|%3A)(?=\d)/i

const idOf = (path: string): string | null => ENTRY_NAME.exec(path)?.[1]?.replace(COLON, ':') ?? null

/** Finds `osv/all.zip`, which is the whole feed, and `osv/<ecosystem>/all.zip`, which is the part of its ecosystem. */
export function findOsv(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) =>
    entry.isDirectory() ? entry.name === 'all' : entry.isFile() && ARCHIVE.test(entry.name),
  )
  return found.map((file) => fileDatedByName(file, file.name.split('/').slice(1, -1).join('/')))
}

export const osv = treeFeed({
  /** Increase the first number with every other change of the result for the same bytes. */
  adapter: 3 + PACKAGE_RULES,
  keyOf: idOf,
  read(json, key, text) {
    const entry = openEntry(json, key)
    const { json: stated, withdrawn, modified, updatedAt, notes } = entry
    // A withdrawn entry, or one with the CVE only in `related`, makes no claim on a CVE (rule 29).
    const ids = withdrawn === null ? cveIdsOf([[stated.id], stated.aliases, stated.upstream], notes) : []
    const advisory = publishedAdvisory(entry, text)
    // Without a CVE there is no claim. Exports contain hundreds of thousands of malicious packages.
    const facets = entryFacets(stated)
    if (ids.length === 0) return { cveIds: [], statedAt: modified, body: 'null', notes, advisory, facets }
    if (modified === null && entry.published === null) {
      addNote(notes, { code: 'date-missing', detail: `no date in ${key}, so it is of ${updatedAt}` })
    }
    const { claim } = claimOf(entry, 'osv')
    return { cveIds: ids, statedAt: modified, body: claimText(claim), notes, advisory, facets }
  },
})
