/** What the corpus remembers of each feed, and the few values it has only one of. */
import type Database from 'better-sqlite3'

/** A file that a feed was read from. */
export interface FeedFileState {
  /** Relative to the feeds folder, with `/`. */
  path: string
  /** Null for a folder, which has no bytes of its own. */
  bytes: number | null
  /** SHA-256 in hex, null for a folder. */
  sha256: string | null
}

/** What was read and not kept, by reason, each by name. */
export interface FeedSkips {
  reason: string
  items: { key: string; detail: string }[]
}

/** How the reading went whose data the corpus holds. `read` = `kept` + the skipped ones. */
export interface FeedReading {
  read: number
  kept: number
  /** Skipped ones of which the corpus keeps what it had. */
  held: number
  skipped: FeedSkips[]
  /** Oddities of what was kept, also of items that were not read anew because their bytes were known. */
  notes: FeedSkips[]
}

/** A feed as the corpus has it. It moves on only together with the feed's data (facts, complaint 4). */
export interface FeedState {
  name: string
  /** As the upstream counts its editions; null where it does not. */
  version: string | null
  /** The newest date that the feed states, ISO 8601: a timestamp in UTC or a day. */
  date: string | null
  /**
   * When the edition was published, by the newest of its files, in the form of `date`: an older one is refused. Of the
   * CVE list `date` says how far its records reach, and may lie after its release. Null where nothing says so.
   */
  published: string | null
  /** In the order in which they were read. */
  files: FeedFileState[]
  /** How many claims of this feed the corpus has. */
  records: number
  licence: string
  attribution: string
  /** Version of the adapter that read it: another one reads every item anew. */
  adapter: number
  reading: FeedReading
}

/** Values of `meta`. `merge_rules` says under which settings the records were merged. */
export type MetaName = 'corpus_date' | 'merge_rules'

export function readFeedStates(database: Database.Database): FeedState[] {
  const rows = database.prepare<[], string>('SELECT state FROM feed ORDER BY name').pluck().all()
  // A corpus of before editions were remembered has none to compare with.
  return rows.map((text) => JSON.parse(text) as FeedState)
}

export function writeFeedState(database: Database.Database, state: FeedState): void {
  const upsert =
    'INSERT INTO feed VALUES (?, ?) ON CONFLICT DO UPDATE SET state = excluded.state WHERE state <> excluded.state'
  database.prepare(upsert).run(state.name, JSON.stringify(state))
}

export function readMeta(database: Database.Database, name: MetaName): string | null {
  return database.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck().get(name) ?? null
}

export function writeMeta(database: Database.Database, name: MetaName, value: string): void {
  const upsert =
    'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value'
  database.prepare(upsert).run(name, value)
}

export function readCorpusDate(database: Database.Database): string | null {
  return readMeta(database, 'corpus_date')
}
