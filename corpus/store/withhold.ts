/** Restores earlier claims on a CVE whose new claims are too large for a record (rule 29). */
import type Database from 'better-sqlite3'
import type { CommittedCorpus } from './committed-corpus.ts'
import { type PackedText, plainLength } from './packed-text.ts'

export interface Withheld {
  feed: string
  /** `isNew`: the corpus had no claim of the item before. */
  items: { item: string; isNew: boolean }[]
}

/**
 * Restores the claims on a CVE of the feed that changed the most bytes in this ingest. Deletes its new claims, and takes the others
 * from `former`. Advisories stay as the feed states them. Returns the feed and its items, or null if no claim changed.
 */
export type Withhold = (cveKey: string, committed: Pick<CommittedCorpus, 'claimAt'> | null) => Withheld | null

interface ChangedClaim {
  id: number
  feed: string
  item: string
  body: PackedText
  isNew: 0 | 1
}

/** The SQL uses the marks of staging. */
export function openWithholding(database: Database.Database): Withhold {
  const changed = database.prepare<[string], ChangedClaim>(
    `SELECT rowid AS id, feed, item, body, is_new(rowid) AS isNew FROM claim
      WHERE cve_key = ? AND (is_new(rowid) OR rowid IN (SELECT id FROM altered)) ORDER BY feed, item`,
  )
  const hadBefore = database.prepare('SELECT 1 FROM claim WHERE feed = ? AND item = ? AND NOT is_new(rowid)')
  const remove = database.prepare('DELETE FROM claim WHERE rowid = ?')
  const restore = database.prepare(
    'UPDATE claim SET digest = $digest, stated_at = $statedAt, facets = $facets, body = $body WHERE rowid = $id',
  )
  const forget = database.prepare('UPDATE claim SET digest = zeroblob(length(digest)) WHERE feed = ? AND item = ?')

  return (cveKey, committed) => {
    const byFeed = [...Map.groupBy(changed.all(cveKey), ({ feed }) => feed)].map(([feed, claims]) => ({
      feed,
      claims,
      bytes: claims.reduce((sum, { body }) => sum + plainLength(body), 0),
    }))
    const [most] = byFeed.sort((a, b) => b.bytes - a.bytes)
    if (!most) return null
    const { feed, claims } = most
    const items = claims.map(({ id, item, isNew }) => {
      const isNewItem = hadBefore.get(feed, item) === undefined
      if (isNew === 1) remove.run(id)
      else restore.run({ id, ...committed!.claimAt(id) })
      // Without a digest, the next ingest reads and reports the item again, also if other CVEs have a claim of it, or if
      // the feed states again what was restored: the item's advisory was not.
      forget.run(feed, item)
      return { item, isNew: isNewItem }
    })
    return { feed, items }
  }
}
