/** The metadata of a snapshot. SPEC.md, "About". */
import { asLastUpdate, type LastUpdate } from '../../model/last-update.ts'
import { utcTimestamp } from '../../model/values/date.ts'
import { hasReleases, type IndexedEcosystems } from '../../model/versions/ecosystems.ts'
import { SnapshotError } from '../error.ts'

export interface About extends IndexedEcosystems {
  corpus_date: string | null
  epss_date: string | null
  /** Number of entries per kind: `cves`, `cwes`, … (API 27.1). */
  counts: Record<string, number>
  /** Null if unknown. */
  last_update: LastUpdate | null
  feeds: Record<string, AboutFeed>
}

interface AboutFeed {
  version: string | null
  /** Timestamp or day, as the feed states it. `decodeAbout` converts both to a timestamp. */
  updated_at: string | null
  records: number
  licence: string
  attribution: string
}

/**
 * Returns the metadata, with each `updated_at` as an RFC 3339 timestamp in UTC; a day becomes its first instant (rule
 * 29). The file keeps the feed's form, because a conversion would change snapshot ids.
 * @throws SnapshotError `malformed`
 */
export function decodeAbout(bytes: Uint8Array): About {
  let about: Partial<About> | null
  try {
    about = JSON.parse(Buffer.from(bytes).toString()) as Partial<About> | null
  } catch (cause) {
    throw new SnapshotError('malformed', 'the metadata of the snapshot is not JSON', { cause })
  }
  if (!about?.counts || !about.feeds)
    throw new SnapshotError('malformed', 'the metadata of the snapshot has no counts or feeds')
  const feeds = Object.entries(about.feeds).map(([name, feed]) => [name, withTimestamp(feed)])
  const { ecosystems, releases, last_update: stated = null } = about
  const lastUpdate = asLastUpdate(stated)
  const isSound = isTexts(ecosystems) && ecosystems.filter(hasReleases).every((name) => isTexts(releases?.[name]))
  if (!isSound || (lastUpdate === null && stated !== null))
    throw new SnapshotError('malformed', 'the metadata of the snapshot is damaged')
  return { ...(about as About), last_update: lastUpdate, feeds: Object.fromEntries(feeds) }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

const withTimestamp = (feed: AboutFeed): AboutFeed => ({
  ...feed,
  updated_at: typeof feed?.updated_at === 'string' ? utcTimestamp(feed.updated_at) : null,
})
