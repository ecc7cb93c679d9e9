/** Builds `query.db`: first the words of CVEs, then the entries of all sets. SPEC.md, "Query". */
import Database from 'better-sqlite3'
import type { CveCore } from '../../model/record.ts'
import { MAX_ENTRIES } from '../bounds.ts'
import type { Texts } from '../codec/stored-texts.ts'
import { type TextColumn, textsIn } from '../codec/text-column.ts'
import type { RowTexts } from '../derive/pages.ts'
import { queryDigest } from './digest.ts'
import { appendPageCrcs } from './page-crcs.ts'
import { INDEXES, type IndexName, SCHEMA } from './schema.ts'
import { entryNumber, indexOf } from './search.ts'
import type { AdvisoryIds, SearchTexts, TextSet } from './sets.ts'
import { entryTokens, searchable, shownText, storedText, wordsIn } from './tokens.ts'

/** The words of CVEs: their cores without the closing brace, and the names in each row. */
export interface WordSource {
  cores: RowTexts
  /** The row of each ordinal. */
  rows: Uint32Array
  /** Names of vendors and products. Those of row `i` are at `named[namedAt[i] … namedAt[i + 1])`. */
  names: TextColumn
  named: Uint32Array
  namedAt: Uint32Array
}

const PAGE_BYTES = 8192
const INDEX_OPTIONS = {
  /** A page of an index fits into one of the database. */
  pgsz: 8000,
  /** Bytes of tokens in memory before a part of an index is written. All parts are merged at the end. */
  hashsize: 64 * 1024 * 1024,
  automerge: 0,
  crisismerge: 1000,
}

/** Creates `query.db` at `path`, which must not exist, with the index of words. */
export function writeWords(path: string, source: WordSource): void {
  const database = openForWriting(path)
  try {
    for (const statement of SCHEMA) database.exec(statement)
    for (const name of INDEXES) {
      const set = database.prepare(`INSERT INTO ${name}(${name}, rank) VALUES (?, CAST(? AS INTEGER))`)
      for (const [option, value] of Object.entries(INDEX_OPTIONS)) set.run(option, value)
    }
    fillIndex(database, 'words', (add) => {
      for (const [ordinal, words] of wordsOfCves(source)) add(entryNumber('words', ordinal), words)
    })
  } finally {
    database.close()
  }
}

function* wordsOfCves({ cores, rows, names, named, namedAt }: WordSource): Generator<[number, string]> {
  const nameTexts = textsIn(names)
  for (const [ordinal, row] of rows.entries()) {
    const bytes = cores.chunks[cores.chunkOf ? cores.chunkOf[row]! : 0]!.subarray(cores.from[row], cores.to[row])
    const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()
    const { cve_id, title, description } = JSON.parse(`${json}}`) as CveCore
    const texts = [cve_id, title ?? '', description ?? '']
    for (let at = namedAt[row]!; at < namedAt[row + 1]!; at++) texts.push(nameTexts.at(named[at]!)!)
    yield [ordinal, wordsIn(texts.join(' ')).join(' ')]
  }
}

/**
 * Adds all entries to the file of `writeWords`.
 * @returns its content digest, and the number of entries and ids
 * @throws RangeError when a set is too large
 */
export function writeEntries(
  path: string,
  { sets, advisories }: SearchTexts<Texts>,
): { content: string; count: number } {
  const database = openForWriting(path)
  try {
    const insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)')
    for (const index of INDEXES) {
      fillIndex(database, index, (add) => {
        for (const set of sets) if (indexOf(set.name) === index) writeSet(set, (values) => insert.run(values), add)
      })
    }
    writeAdvisories(database, advisories)
    // Rows of one table become neighbors, which readers of ranges need.
    database.exec('VACUUM')
    const digest = queryDigest(database)
    database.close()
    appendPageCrcs(path)
    return digest
  } finally {
    database.close()
  }
}

function openForWriting(path: string): Database.Database {
  const database = new Database(path)
  database.pragma(`page_size = ${PAGE_BYTES}`)
  database.pragma('journal_mode = OFF')
  database.pragma('synchronous = OFF')
  return database
}

type AddTokens = (n: number, tokens: string) => void

function fillIndex(database: Database.Database, index: IndexName, fill: (add: AddTokens) => void): void {
  const insert = database.prepare(`INSERT INTO ${index}(rowid, tokens) VALUES (?, ?)`)
  database.exec('BEGIN')
  fill((n, tokens) => void insert.run(n, tokens))
  database.exec(`INSERT INTO ${index}(${index}) VALUES ('optimize')`)
  database.exec('COMMIT')
}

function writeSet(set: TextSet<Texts>, insert: (values: (string | number | null)[]) => void, add: AddTokens): void {
  const { name, keys, ids, labels, spellings, subtitles, first } = set
  if (keys.length > MAX_ENTRIES)
    throw new RangeError(`the set ${name} has ${keys.length} entries; the limit is ${MAX_ENTRIES}`)
  const tokensOf = entryTokens()
  for (let ordinal = 0; ordinal < keys.length; ordinal++) {
    const n = entryNumber(name, ordinal)
    const [key, id, label] = [keys, ids, labels].map((texts) => texts.at(ordinal)!) as [string, string, string]
    const matched = [searchable(key), searchable(label + (spellings?.at(ordinal) ?? ''))] as const
    const leads = first?.[ordinal] === 1
    const text = storedText(...matched)
    const shown = [id, key === id ? null : key, label === key ? null : label, subtitles.at(ordinal)!]
    insert([n, leads ? 1 : 0, text, ...shown.map((one) => (one === null ? null : shownText(one)))])
    add(n, tokensOf(matched, leads))
  }
}

function writeAdvisories(database: Database.Database, { ids, cves }: AdvisoryIds<Texts>): void {
  const found = new Map<string, number>()
  for (let i = 0; i < ids.length; i++) {
    const id = searchable(ids.at(i)!)
    if (!found.has(id)) found.set(id, entryNumber('cve', cves[i]!))
  }
  const insert = database.prepare('INSERT INTO advisories VALUES (?, ?)')
  database.exec('BEGIN')
  for (const [id, n] of found) insert.run(id, n)
  database.exec('COMMIT')
}
