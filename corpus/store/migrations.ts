/** Brings a corpus of an earlier schema to the current one, in a new file. */
import Database from 'better-sqlite3'
import { PART_NAMES, type PartName } from '../model/record.ts'
import { packText } from './packed-text.ts'
import { type PartTexts, packParts } from './record-parts.ts'
import { createSchema, openDatabase, PAGE_BYTES } from './schema.ts'

/** Fills the tables of the current schema in the main database from those of an earlier one, attached as `old`. */
type Migration = (database: Database.Database) => void

const copy = (database: Database.Database, tables: readonly string[], order = '') =>
  tables.forEach((table) => void database.exec(`INSERT INTO ${table} SELECT * FROM old.${table} ${order}`))

/** These have not changed since schema 4. */
const UNCHANGED = ['meta', 'feed', 'rejected', 'review', 'epss']

/** The key is the version that a migration begins with. */
const MIGRATIONS: Readonly<Record<number, Migration>> = {
  // Claims had plain texts, and records a column per part.
  4(database) {
    const ofColumns = (...texts: string[]) =>
      packParts(Object.fromEntries(PART_NAMES.map((name: PartName, i) => [name, texts[i]!])) as PartTexts)
    const columns = PART_NAMES.map((name) => `"${name}"`).join(', ')
    database.function('pack_text', { deterministic: true }, (text) => packText(text as string))
    database.function('pack_parts', { deterministic: true, varargs: true }, (...texts) =>
      ofColumns(...(texts as string[])),
    )
    copy(database, UNCHANGED)
    database.exec(`
      INSERT INTO claim SELECT cve_key, feed, item, digest, stated_at, pack_text(body) FROM old.claim ORDER BY rowid;
      INSERT INTO record SELECT cve_key, cve_id, block, version, digest, pack_parts(${columns}) FROM old.record ORDER BY rowid;
      INSERT INTO gone SELECT cve_key, version, pack_parts(${columns}) FROM old.gone ORDER BY rowid;
    `)
  },
  // There were no advisories. The next ingest reads them, because the adapters of their feeds have new numbers.
  5(database) {
    copy(database, UNCHANGED)
    copy(database, ['claim', 'record', 'gone'], 'ORDER BY rowid')
  },
}

/**
 * Writes the corpus at `path`, which has an earlier schema, with the current schema to the new file `to`. No other
 * connection can write to the corpus until `done` has run.
 * @throws StoreError if it cannot be migrated
 */
export function writeMigrated(path: string, to: string): { from: number; done(): void } {
  const former = openDatabase(path, { readonly: false, older: true })
  try {
    former.pragma('busy_timeout = 1000')
    // Its log would later be taken for that of the new file.
    former.pragma('journal_mode = DELETE')
    former.exec('BEGIN IMMEDIATE')
    const from = Number(former.pragma('user_version', { simple: true }))
    const database = new Database(to)
    try {
      database.pragma(`page_size = ${PAGE_BYTES}`)
      database.pragma('journal_mode = MEMORY')
      database.pragma('synchronous = OFF')
      createSchema(database)
      database.prepare('ATTACH ? AS old').run(path)
      database.exec('BEGIN')
      MIGRATIONS[from]!(database)
      database.exec('COMMIT; DETACH old')
      database.pragma('journal_mode = WAL')
    } finally {
      database.close()
    }
    return { from, done: () => void former.close() }
  } catch (cause) {
    former.close()
    throw cause
  }
}
