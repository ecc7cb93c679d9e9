/**
 * The items of a feed in the corpus before an ingest, and their state during it: not requested, requested or staged.
 * Digests and row ids are in typed arrays, because a large feed has 350,000 items.
 */
import type Database from 'better-sqlite3'

export interface FeedItems {
  /** Returns the digest from before this ingest, or null if the corpus did not have the item. */
  digestOf(item: string): Uint8Array | null
  /**
   * As `digestOf`, but only once. Returns null for an item that was already requested or staged, because its first copy
   * is or will be in the corpus.
   */
  ask(item: string): Uint8Array | null
  /** Returns whether the corpus had the item before or has it now. */
  isThere(item: string): boolean
  stage(item: string): void
  /**
   * Stages the corpus's item unchanged and returns its rows in `claim`, one per CVE. Null if there is none or another
   * copy is staged.
   */
  stageOld(item: string): Uint32Array | null
  /** Returns the date that the corpus's item states, in ms since 1970; null if it states none. */
  statedAt(item: string): number | null
  /** Stages the corpus's items that are not staged, unchanged. Yields the rows of each in `claim`. */
  stageRest(): Iterable<Uint32Array>
  /** Returns the number of items, including staged ones. */
  size(): number
}

/** States of an item from before this ingest. 0 is neither requested nor staged. */
const [ASKED, STAGED] = [1, 2]

export function openItems(database: Database.Database, feed: string): FeedItems {
  const known = readKnownItems(database, feed)
  const states = new Uint8Array(known.positions.size)
  const added = new Set<string>()
  return {
    digestOf(item) {
      const position = known.positions.get(item)
      return position === undefined ? null : known.digestAt(position)
    },
    ask(item) {
      const position = known.positions.get(item)
      if (position === undefined || states[position] !== 0) return null
      states[position] = ASKED
      return known.digestAt(position)
    },
    isThere: (item) => known.positions.has(item) || added.has(item),
    stage(item) {
      const position = known.positions.get(item)
      if (position === undefined) added.add(item)
      else states[position] = STAGED
    },
    stageOld(item) {
      const position = known.positions.get(item)
      if (position === undefined || states[position] === STAGED) return null
      states[position] = STAGED
      return known.rowsAt(position)
    },
    statedAt(item) {
      const position = known.positions.get(item)
      const ms = position === undefined ? Number.NaN : known.statedAt(position)
      return Number.isNaN(ms) ? null : ms
    },
    *stageRest() {
      for (const position of known.positions.values()) {
        if (states[position] === STAGED) continue
        states[position] = STAGED
        yield known.rowsAt(position)
      }
    },
    size: () => known.positions.size + added.size,
  }
}

type Row = [id: number, item: string, digest: string, cveKey: string, statedAt: string | null]

/** Rows per query. Reading single rows takes 50 % longer; reading all at once would exhaust the memory. */
const RANGE_ROWS = 4096

function* rowsOf(database: Database.Database, feed: string): Iterable<Row> {
  // The digest is read as text: creating a Buffer per blob takes longer than the rest of the row.
  const range = database
    .prepare<[string, string, string, number], Row>(
      `SELECT rowid, item, hex(digest), cve_key, stated_at FROM claim INDEXED BY claim_by_feed
        WHERE feed = ? AND (item, cve_key, 1) > (?, ?, ?) ORDER BY item, cve_key LIMIT ${RANGE_ROWS}`,
    )
    .raw()
  let [item, cveKey] = ['', '']
  for (let isAfter = 0; ; isAfter = 1) {
    const rows = range.all(feed, item, cveKey, isAfter)
    yield* rows
    if (rows.length < RANGE_ROWS) return
    ;[, item, , cveKey] = rows.at(-1)!
  }
}

function readKnownItems(database: Database.Database, feed: string) {
  /** Position of each item. */
  const positions = new Map<string, number>()
  let ids = new Uint32Array(1024)
  let digests = Buffer.alloc(32 << 10)
  /** Start of each item's rows and digest. The start of the next item is the end. */
  const firstRows: number[] = []
  const firstBytes: number[] = []
  const dates: number[] = []
  let [count, bytes] = [0, 0]
  let last: string | null = null
  for (const [id, item, digest, , statedAt] of rowsOf(database, feed)) {
    if (count === ids.length) ids = enlarged(ids, new Uint32Array(2 * count))
    if (item !== last) {
      positions.set(item, firstRows.length)
      firstRows.push(count)
      firstBytes.push(bytes)
      dates.push(statedAt === null ? Number.NaN : Date.parse(statedAt))
      if (bytes + digest.length / 2 > digests.length) digests = enlarged(digests, Buffer.alloc(2 * digests.length))
      bytes += digests.write(digest, bytes, 'hex')
      last = item
    }
    ids[count++] = id
  }
  firstRows.push(count)
  firstBytes.push(bytes)
  return {
    positions,
    digestAt: (position: number): Uint8Array => digests.subarray(firstBytes[position]!, firstBytes[position + 1]!),
    statedAt: (position: number): number => dates[position]!,
    rowsAt: (position: number) => ids.subarray(firstRows[position]!, firstRows[position + 1]!),
  }
}

function enlarged<Array extends Uint8Array | Uint32Array>(old: Array, larger: Array): Array {
  larger.set(old)
  return larger
}
