/** Finds the operator's files: `first-party/<feed>*.ndjson`, plain or gzipped (FORMAT.md, "Files"). */

import { FeedError } from '../error.ts'
import type { FeedFile } from '../feed.ts'
import { fileDatedByName, findFiles } from '../files/choice.ts'

export const FIRST_PARTY = ['reports', 'report-types', 'analyses', 'service-scores', 'detections', 'exploited'] as const
export type FirstPartyName = (typeof FIRST_PARTY)[number]

const FOLDER = 'first-party'
const FORM = /\.(?:ndjson|jsonl)(?:\.gz)?$/
const ENDING = /\.ndjson(?:\.gz)?$/
const DATE = /\d{4}-\d{2}-\d{2}/g

/**
 * Returns the files of one feed.
 * @throws FeedError when a file belongs to no feed, because it would otherwise be ignored without notice
 */
export function findFirstParty(feedsFolder: string, feed: FirstPartyName): FeedFile[] {
  const found = findFiles(feedsFolder, FOLDER, (entry) => entry.isFile() && FORM.test(entry.name))
  return found.flatMap((file) => {
    const { name } = file
    const owner = feedOf(name.split('/').at(-1)!)
    if (owner === null) throw new FeedError('file_invalid', `${name} belongs to no feed; rename it to ${EXPECTED}`)
    return owner === feed ? [fileDatedByName(file, partOf(name))] : []
  })
}

const EXPECTED = `<feed>.ndjson or <feed>-<anything>.ndjson (.gz), where <feed> is one of ${FIRST_PARTY.join(', ')}`

/**
 * Matches `reports.ndjson`, `reports-2024-10-24.ndjson.gz`, `reports.team-a.ndjson`. No feed name followed by a
 * separator begins another.
 */
function feedOf(fileName: string): FirstPartyName | null {
  if (!ENDING.test(fileName)) return null
  return FIRST_PARTY.find((feed) => fileName.startsWith(feed) && /^[-._]/.test(fileName.slice(feed.length))) ?? null
}

/** Returns the path below the folder without dates and extension. Files with the same part are editions of one file. */
function partOf(name: string): string {
  const steps = name
    .slice(FOLDER.length + 1)
    .replace(ENDING, '')
    .split('/')
  return steps
    .map((step) => step.replace(DATE, '').replace(/^[-._]+|(?<![-._])[-._]+$/g, ''))
    .filter((step) => step !== '')
    .join('/')
}
