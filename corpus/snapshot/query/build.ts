/** Builds `query.db` from sets of texts: its rows, its file, its content digest. SPEC.md, "Query". */
import Database from 'better-sqlite3'
import { MAX_ROW_BYTES } from '../bounds.ts'
import { type Gram, gramCollector } from './grams.ts'
import { encodeItems, ITEMS_PER_ROW } from './items.ts'
import { encodeSetHead, QUERY_TABLES, type QueryRow, rowCrc, rowKey, rowsDigest, tableSql } from './rows.ts'
import { allSets, isSearchType, type ReadSet } from './sets.ts'
import { blockBytes, ENTRIES_PER_BLOCK, foldTexts } from './texts.ts'

function* queryRows(given: readonly ReadSet[]): Generator<QueryRow> {
  const collect = gramCollector()
  for (const [number, set] of allSets(given).entries()) {
    const row = (table: QueryRow['table'], of: number, bytes: Uint8Array) => ({ table, key: rowKey(number, of), bytes })
    const texts = foldTexts(set)
    for (let block = 0; block * ENTRIES_PER_BLOCK < texts.count; block++) {
      yield row('texts', block, blockBytes(texts, block))
    }
    if (isSearchType(set.name)) {
      for (let from = 0; from < texts.count; from += ITEMS_PER_ROW) {
        yield row('items', from / ITEMS_PER_ROW, encodeItems(set, from))
      }
    }
    const grams: Pick<Gram, 'gram' | 'count'>[] = []
    for (const { gram, count, postings, best } of collect(texts, set)) {
      grams.push({ gram, count })
      yield row('grams', gram, postings)
      if (best) yield row('bests', gram, littleEndian(best))
    }
    const head = encodeSetHead(set.name, {
      count: texts.count,
      first: bitsOf(set.first, texts.count),
      grams: Uint32Array.from(grams, ({ gram }) => gram),
      gramCounts: Uint32Array.from(grams, ({ count }) => count),
      cves: set.cves ?? null,
    })
    yield row('sets', 0, head)
  }
}

/**
 * Writes `query.db` at `path`, which must not exist.
 * @returns its content digest, and the number of entries of all sets
 * @throws RangeError when a row exceeds `MAX_ROW_BYTES`
 */
export function buildQueryDb(path: string, sets: readonly ReadSet[]): { content: string; count: number } {
  const database = new Database(path)
  try {
    database.pragma('page_size = 8192')
    database.pragma('journal_mode = OFF')
    database.pragma('synchronous = OFF')
    for (const table of QUERY_TABLES) database.exec(tableSql(table))
    database.exec('BEGIN')
    const inserts = new Map(
      QUERY_TABLES.map((table) => [table, database.prepare(`INSERT INTO ${table} VALUES (?, ?, ?)`)]),
    )
    const digest = rowsDigest()
    for (const row of queryRows(sets)) {
      if (row.bytes.length > MAX_ROW_BYTES)
        throw new RangeError(`a row of ${row.table} has ${row.bytes.length} bytes; the limit is ${MAX_ROW_BYTES}`)
      inserts.get(row.table)!.run(row.key, rowCrc(row), row.bytes)
      digest.add(row)
    }
    database.exec('COMMIT')
    return { content: digest.hex(), count: countOf(sets) }
  } finally {
    database.close()
  }
}

/** Returns the content digest of the `query.db` of these sets, without writing it. */
export function queryContent(sets: readonly ReadSet[]): string {
  const digest = rowsDigest()
  for (const row of queryRows(sets)) digest.add(row)
  return digest.hex()
}

const countOf = (sets: readonly ReadSet[]) => sets.reduce((sum, { keys }) => sum + keys.length, 0)

function bitsOf(first: Uint8Array | undefined, count: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8))
  first?.forEach((flag, i) => {
    if (flag === 1) bits[i >>> 3]! |= 1 << (i & 7)
  })
  return bits
}

function littleEndian(values: Uint32Array): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => void bytes.writeUInt32LE(value, i * 4))
  return bytes
}
