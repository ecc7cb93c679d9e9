/**
 * What the corpus had of a feed before this ingest, read in one walk along the index: a look-up for each item took four
 * times as long.
 */
import type Database from 'better-sqlite3'

export interface KnownItems {
  /** The item's place in this list; undefined where the corpus did not have it. */
  placeOf(item: string): number | undefined
  /** The digest that it had. */
  digestAt(place: number): Uint8Array
  /** The rows of `claim` that it had, one for each CVE that it is about. */
  rowsAt(place: number): Uint32Array
  /** How many items there are. */
  size: number
}

/** Reads what the corpus has of a feed now. */
export function readKnownItems(database: Database.Database, feed: string): KnownItems {
  // As a text: for each blob SQLite's binding makes a buffer, which takes longer than the rest of the row.
  const rows = database
    .prepare<[string], [id: number, item: string, digest: string]>(
      'SELECT rowid, item, hex(digest) FROM claim INDEXED BY claim_by_feed WHERE feed = ? ORDER BY item, cve_key',
    )
    .raw()
  const places = new Map<string, number>()
  let ids = new Uint32Array(1024)
  let digests = Buffer.alloc(32 << 10)
  /** Where the rows and the digest of an item begin; those of the next one are their end. */
  const firstRows: number[] = []
  const firstBytes: number[] = []
  let [count, bytes] = [0, 0]
  let last: string | null = null
  for (const [id, item, digest] of rows.iterate(feed)) {
    if (count === ids.length) ids = enlarged(ids, new Uint32Array(2 * count))
    if (item !== last) {
      places.set(item, firstRows.length)
      firstRows.push(count)
      firstBytes.push(bytes)
      if (bytes + digest.length / 2 > digests.length) digests = enlarged(digests, Buffer.alloc(2 * digests.length))
      bytes += digests.write(digest, bytes, 'hex')
      last = item
    }
    ids[count++] = id
  }
  const { length: size } = firstRows
  firstRows.push(count)
  firstBytes.push(bytes)
  return {
    placeOf: (item) => places.get(item),
    digestAt: (place) => digests.subarray(firstBytes[place]!, firstBytes[place + 1]!),
    rowsAt: (place) => ids.subarray(firstRows[place]!, firstRows[place + 1]!),
    size,
  }
}

function enlarged<Array extends Uint8Array | Uint32Array>(old: Array, larger: Array): Array {
  larger.set(old)
  return larger
}
