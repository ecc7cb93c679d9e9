/** Notes on an item: oddities that were kept, corrected or ignored. */
import type { RecordNote } from '../model/claim.ts'

/**
 * Maximum notes per item. An item of 32 MiB could have millions, and the corpus stores all notes of a feed in one text.
 */
const MAX_NOTES = 100
const MAX_DETAIL = 200

/** Adds a note, unless the item has too many. Truncates a long detail. */
export function addNote(notes: RecordNote[], { code, detail }: RecordNote): void {
  if (notes.length >= MAX_NOTES) return
  notes.push({ code, detail: detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL).toWellFormed()}…` : detail })
}
