/** Reads the entries of catalog feeds. An entry is not about one CVE; it may name any number. */
import type Database from 'better-sqlite3'

/** Returns the entries of a feed, unique and sorted by key. */
export function readCatalog<Entry>(database: Database.Database, feed: string): Entry[] {
  const bodies = database
    .prepare<[string], string>('SELECT min(body) FROM claim WHERE feed = ? GROUP BY item ORDER BY item')
    .pluck()
  return bodies.all(feed).map((body) => JSON.parse(body) as Entry)
}
