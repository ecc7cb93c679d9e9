/**
 * Marks the claims that an ingest has seen, by row id. It needs 4 bytes per row, a table of items needed 100. SQL
 * on the same connection reads it with `is_seen(rowid)` and `is_new(rowid)`.
 */
import type Database from 'better-sqlite3'

/** File number of a claim that stays in the corpus although its source is unreadable today. */
export const SOURCE_UNREADABLE = 0xffffffff

export interface SeenRows {
  /** Returns the number of the claim's file from 0, or `HELD`. Null if the claim was not seen. */
  fileOf(id: number): number | null
  see(id: number, file: number): void
  unsee(id: number): void
  /** Returns whether the row was inserted after `openSeenRows`. */
  isNew(id: number): boolean
  /** Returns a function that restores the present marks. */
  save(): () => void
}

/** Returns marks with nothing seen. Existing rows of `claim` are old. No row may be deleted before staging ends. */
export function openSeenRows(database: Database.Database): SeenRows {
  const last = database.prepare<[], number>('SELECT coalesce(max(rowid), 0) FROM claim').pluck().get()!
  // 0 is a row that was not seen; other values are the file number plus 1.
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
    fileOf: (id) => (at(id) === 0 ? null : at(id) === SOURCE_UNREADABLE ? SOURCE_UNREADABLE : at(id) - 1),
    see: (id, file) => put(id, file === SOURCE_UNREADABLE ? SOURCE_UNREADABLE : file + 1),
    unsee: (id) => put(id, 0),
    isNew,
    save() {
      const saved = files.slice()
      return () => {
        files = saved.slice()
      }
    },
  }
}
