/** Finds NVD's files and their dates: yearly feeds, the modified feed, API pages. */
import { utcTimestamp } from '../../model/values/date.ts'
import type { FeedFile } from '../feed.ts'
import { dateInName, findFiles } from '../files/choice.ts'
import { headOf } from '../files/plain-file.ts'

const FOLDER = 'nvd'
/** Excludes NVD's CPE dictionaries. */
const FILE_NAME = /^(?!nvdcpe|cpe).*\.json(?:\.gz)?$/i

/**
 * Returns all files, because each contains other records. The part is the name without dates, so only the newest
 * `page-3-<date>.json` is read. Between copies of a record, its own date decides.
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

/** Returns the creation time from the envelope before the records; null when missing. */
function statedTime(path: string): string | null {
  const envelope = headOf({ path }).split('"vulnerabilities"', 1)[0]!
  const stated = /"timestamp"\s*:\s*"([^"]*)"/.exec(envelope)?.[1]
  return stated ? utcTimestamp(stated) : null
}
