/** The state of each feed in the corpus, and the corpus's single values. */
import type Database from 'better-sqlite3'
import type { LastUpdate } from '../model/last-update.ts'

export interface FeedFileState {
  /** Relative to the feeds folder, separated by `/`. */
  path: string
  /** Null for a folder. */
  bytes: number | null
  /** SHA-256 in hex. Null for a folder. */
  sha256: string | null
  /** The part of the feed in this file (a year, an ecosystem); '' for the whole feed. */
  part: string
  /** The date that the file or its name states, as in `FeedState`. Null if it states none. */
  date: string | null
  /** The newest date of its items. Null if they state none. */
  newest: string | null
}

/** Items that were read and not kept, by reason. */
export interface FeedSkips {
  reason: string
  items: { key: string; detail: string }[]
}

/** Statistics of the reading behind the corpus's data. `read` is `kept` plus the skipped items. */
export interface FeedReading {
  read: number
  kept: number
  /** Skipped items for which the corpus keeps its previous claims. */
  held: number
  /** Items that stay because their file is missing, broken or older than the corpus. */
  retained: number
  skipped: FeedSkips[]
  /** Notes on kept items, including items that were not parsed again because their bytes were known. */
  notes: FeedSkips[]
}

/** The state of a feed in the corpus. It changes only together with the feed's data. */
export interface FeedState {
  name: string
  /** The upstream's edition number. Null if it has none. */
  version: string | null
  /** The newest date in the feed, ISO 8601: a timestamp in UTC or a day. */
  date: string | null
  /**
   * Publication date of the edition by its newest file, in the form of `date`. Older editions are rejected. For the CVE
   * list, `date` is the newest record date and may be later than this. Null if unknown.
   */
  published: string | null
  /** In the order of reading. */
  files: FeedFileState[]
  /** Number of claims of this feed in the corpus. */
  records: number
  licence: string
  attribution: string
  /** Version of the adapter. With another version, every item is parsed again. */
  adapter: number
  reading: FeedReading
}

/**
 * Names of values in `meta`. `merge_rules` contains the settings of the last merge, `written_by` the version of the
 * program that wrote last, `last_update` what the last ingest that changed records brought (model/last-update.ts).
 */
export type MetaName = 'corpus_date' | 'last_update' | 'merge_rules' | 'written_by'

export function readFeedStates(database: Database.Database): FeedState[] {
  const rows = database.prepare<[], string>('SELECT state FROM feed ORDER BY name').pluck().all()
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

/** Null if no ingest changed an existing corpus. */
export function readLastUpdate(database: Database.Database): LastUpdate | null {
  const text = readMeta(database, 'last_update')
  return text === null ? null : (JSON.parse(text) as LastUpdate)
}

export function readCorpusDate(database: Database.Database): string | null {
  return readMeta(database, 'corpus_date')
}
