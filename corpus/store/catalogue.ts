/** Entries of the feeds that are catalogues: about no single CVE, and each about as many as it names. */
import type Database from 'better-sqlite3'

/** The entries of a feed, each once, by its key. */
export function readCatalogue<Entry>(database: Database.Database, feed: string): Entry[] {
  const bodies = database
    .prepare<[string], string>('SELECT min(body) FROM claim WHERE feed = ? GROUP BY item ORDER BY item')
    .pluck()
  return bodies.all(feed).map((body) => JSON.parse(body) as Entry)
}
