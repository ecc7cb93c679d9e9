/**
 * `query.db`: what substring search needs, as SQLite. SPEC.md, "Query". For every string of one to three UTF-16 units
 * that occurs in an id or a title it lists the CVEs; longer strings are looked for among those that have all of its
 * threes, the rarest first.
 */

import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import { fold } from '../fold.ts'

/** Ids and titles by ordinal. */
export interface QueryTexts {
  ids: string[]
  titles: (string | null)[]
}

const SCHEMA = `
  CREATE TABLE cve (ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL);
  CREATE TABLE gram (key INTEGER PRIMARY KEY, count INTEGER NOT NULL, ordinals BLOB NOT NULL);
`
const MAX_GRAM = 3
const UNIT = 0x10000

/** The key of a string of one to three UTF-16 units: its units as the digits of a number in base 65536. */
function gramKey(text: string, at: number, length: number): number {
  let key = 0
  for (let i = 0; i < length; i++) key = key * UNIT + text.charCodeAt(at + i)
  // Shorter strings get keys that begin above all those of their length with a leading zero unit.
  return key * 4 + length
}

/** The ordinals of one gram as they are collected: differences, seven bits to a byte, the lowest first. */
interface Collected {
  bytes: Uint8Array
  length: number
  last: number
  count: number
}

/** Takes the rows of `query.db`, in the order in which its content digest goes over them. */
interface QueryRows {
  cve(ordinal: number, id: string, title: string): void
  gram(key: number, count: number, ordinals: Uint8Array): void
}

const NO_ROWS: QueryRows = { cve: () => {}, gram: () => {} }

/**
 * Writes `query.db` at `path`, which must not exist.
 * @returns its content digest, and how many CVEs it holds
 */
export function buildQueryDb(path: string, texts: QueryTexts): { content: string; count: number } {
  const database = new Database(path)
  try {
    database.pragma('page_size = 8192')
    database.pragma('journal_mode = OFF')
    database.pragma('synchronous = OFF')
    database.exec(SCHEMA)
    database.exec('BEGIN')
    const insertCve = database.prepare('INSERT INTO cve VALUES (?, ?, ?)')
    const insertGram = database.prepare('INSERT INTO gram VALUES (?, ?, ?)')
    const content = queryContent(texts, {
      cve: (ordinal, id, title) => void insertCve.run(ordinal, id, title),
      gram: (key, count, ordinals) => void insertGram.run(key, count, ordinals),
    })
    database.exec('COMMIT')
    return { content, count: texts.ids.length }
  } finally {
    database.close()
  }
}

/** The content digest of the `query.db` of these texts; `rows` takes what it is made of. */
export function queryContent({ ids, titles }: QueryTexts, rows: QueryRows = NO_ROWS): string {
  const digest = createHash('sha256')
  const grams = new Map<number, Collected>()
  for (let ordinal = 0; ordinal < ids.length; ordinal++) {
    const id = fold(ids[ordinal]!)
    const title = fold(titles[ordinal] ?? '')
    rows.cve(ordinal, id, title)
    digest.update(`${id}\t${title}\n`)
    collect(grams, id, ordinal)
    collect(grams, title, ordinal)
  }
  for (const key of [...grams.keys()].sort((a, b) => a - b)) {
    const { bytes, length, count } = grams.get(key)!
    const ordinals = bytes.subarray(0, length)
    rows.gram(key, count, ordinals)
    digest.update(`${key}\t${count}\t`).update(ordinals)
  }
  return digest.digest('hex')
}

/** The content digest of a `query.db`, as `buildQueryDb` gave it. */
export function queryDigest(database: Database.Database): { content: string; count: number } {
  const digest = createHash('sha256')
  let count = 0
  const cves = database.prepare<[], { id: string; title: string }>('SELECT id, title FROM cve ORDER BY ordinal')
  for (const { id, title } of cves.iterate()) {
    digest.update(`${id}\t${title}\n`)
    count++
  }
  const grams = database.prepare<[], { key: number; count: number; ordinals: Buffer }>(
    'SELECT * FROM gram ORDER BY key',
  )
  for (const gram of grams.iterate()) digest.update(`${gram.key}\t${gram.count}\t`).update(gram.ordinals)
  return { content: digest.digest('hex'), count }
}

function collect(grams: Map<number, Collected>, text: string, ordinal: number): void {
  for (let length = 1; length <= MAX_GRAM; length++) {
    for (let at = 0; at + length <= text.length; at++) add(grams, gramKey(text, at, length), ordinal)
  }
}

function add(grams: Map<number, Collected>, key: number, ordinal: number): void {
  let gram = grams.get(key)
  if (!gram) {
    gram = { bytes: new Uint8Array(8), length: 0, last: -1, count: 0 }
    grams.set(key, gram)
  }
  if (gram.last === ordinal) return
  if (gram.length + 5 > gram.bytes.length) {
    const larger = new Uint8Array(gram.bytes.length * 2)
    larger.set(gram.bytes)
    gram.bytes = larger
  }
  let difference = ordinal - gram.last
  for (; difference >= 0x80; difference >>>= 7) gram.bytes[gram.length++] = (difference & 0x7f) | 0x80
  gram.bytes[gram.length++] = difference
  gram.last = ordinal
  gram.count++
}

function decodeOrdinals(count: number, bytes: Uint8Array): Uint32Array {
  const ordinals = new Uint32Array(count)
  let last = -1
  for (let i = 0, at = 0; i < count; i++) {
    let difference = 0
    let shift = 0
    let byte: number
    do {
      byte = bytes[at++]!
      difference |= (byte & 0x7f) << shift
      shift += 7
    } while (byte >= 0x80)
    last += difference
    ordinals[i] = last
  }
  return ordinals
}

/** Searches in an open `query.db`. */
export interface Query {
  /** The ordinals of all CVEs whose id or title has `q` in it, ascending. */
  matches(q: string): Uint32Array
}

export function openQuery(database: Database.Database): Query {
  const gram = database.prepare<[number], { count: number; ordinals: Buffer }>(
    'SELECT count, ordinals FROM gram WHERE key = ?',
  )
  const text = database.prepare<[number], { id: string; title: string }>('SELECT id, title FROM cve WHERE ordinal = ?')
  const none = new Uint32Array(0)

  return {
    matches(q) {
      const wanted = fold(q)
      const length = Math.min(MAX_GRAM, wanted.length)
      const keys = new Set<number>()
      for (let at = 0; at + length <= wanted.length; at++) keys.add(gramKey(wanted, at, length))
      const lists = []
      for (const key of keys) {
        const list = gram.get(key)
        if (!list) return none
        lists.push(list)
      }
      lists.sort((a, b) => a.count - b.count)
      let found = decodeOrdinals(lists[0]!.count, lists[0]!.ordinals)
      if (wanted.length <= MAX_GRAM) return found
      for (const list of lists.slice(1)) found = intersect(found, decodeOrdinals(list.count, list.ordinals))
      return found.filter((ordinal) => {
        const { id, title } = text.get(ordinal)!
        return id.includes(wanted) || title.includes(wanted)
      })
    },
  }
}

function intersect(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(Math.min(a.length, b.length))
  let length = 0
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const difference = a[i]! - b[j]!
    if (difference === 0) both[length++] = a[i]!
    if (difference <= 0) i++
    if (difference >= 0) j++
  }
  return both.subarray(0, length)
}
