/** Where NVD's files lie and when each was made: yearly feeds, the feed of what was modified, pages of the API. */
import { utcTimestamp } from '../../model/date.ts'
import type { FeedFile } from '../feed.ts'
import { dateInName, findFiles } from '../files/choice.ts'
import { headOf } from '../files/plain-file.ts'

const FOLDER = 'nvd'
/** Not NVD's dictionaries of products and of what their names match. */
const FILE_NAME = /^(?!nvdcpe|cpe).*\.json(?:\.gz)?$/i

/**
 * Every file is read, for each holds other records: its part is its name without dates, so that of `page-3-<date>.json`
 * the newest counts. Which copy of a record counts is for its own date to say.
 */
export function findNvd(feedsFolder: string): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) => entry.isFile() && FILE_NAME.test(entry.name))
  return found.map(({ path, name }) => ({
    path,
    name,
    role: 'baseline',
    part: partOf(name),
    date: statedTime(path) ?? dateInName(name),
    version: null,
    folder: false,
  }))
}

function partOf(name: string): string {
  return name
    .split('/')
    .at(-1)!
    .replace(/\.json(?:\.gz)?$/i, '')
    .replace(/[-_.]?\d{4}-\d{2}-\d{2}/g, '')
}

/** When the answer or the feed was made, as the envelope before the records says; null where it does not. */
function statedTime(path: string): string | null {
  const envelope = headOf({ path }).split('"vulnerabilities"', 1)[0]!
  const stated = /"timestamp"\s*:\s*"([^"]*)"/.exec(envelope)?.[1]
  return stated ? utcTimestamp(stated) : null
}
