/**
 * Which claims of the corpus an ingest has seen, by the rows' numbers: 4 bytes each, where a table of items took 100.
 * On the connection SQL asks for it as `is_seen(rowid)` and `is_new(rowid)`.
 */
import type Database from 'better-sqlite3'

/** Of a claim that stays although what it was read from cannot be read today. */
export const HELD = 0xffffffff

export interface Marks {
  /** The file that the claim was seen in, counted from 0, `HELD`, or null where it was not seen. */
  fileOf(id: number): number | null
  see(id: number, file: number): void
  unsee(id: number): void
  /** Whether the row is younger than these marks. */
  isNew(id: number): boolean
}

/** Begins with nothing seen. The rows of `claim` that are there now are old; until staging is over none may go. */
export function openMarks(database: Database.Database): Marks {
  const last = database.prepare<[], number>('SELECT coalesce(max(rowid), 0) FROM claim').pluck().get()!
  // 0 is a row that was not seen, others are the file's number and 1.
  let files = new Uint32Array(Math.max(1024, 2 * last))
  const at = (id: number) => files[id] ?? 0
  const put = (id: number, value: number) => {
    if (id >= files.length) {
      const larger = new Uint32Array(2 * id)
      larger.set(files)
      files = larger
    }
    files[id] = value
  }
  const isNew = (id: number) => id > last
  database.function('is_seen', { directOnly: true }, (id: number) => (at(id) === 0 ? 0 : 1))
  database.function('is_new', { directOnly: true }, (id: number) => (isNew(id) ? 1 : 0))
  return {
    fileOf: (id) => (at(id) === 0 ? null : at(id) === HELD ? HELD : at(id) - 1),
    see: (id, file) => put(id, file === HELD ? HELD : file + 1),
    unsee: (id) => put(id, 0),
    isNew,
  }
}
