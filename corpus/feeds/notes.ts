/** Notes on an item: what about it is odd, and was kept, mended or left out all the same. */
import type { RecordNote } from '../model/claim.ts'

/** The most notes on an item: one of 32 MiB could have millions, and the corpus keeps all notes of a feed in one text. */
const MAX_NOTES = 100
/** The longest detail of a note, in characters. */
const MAX_DETAIL = 200

/** Adds a note, unless the item has too many. */
export function addNote(notes: RecordNote[], { code, detail }: RecordNote): void {
  if (notes.length >= MAX_NOTES) return
  notes.push({ code, detail: detail.length > MAX_DETAIL ? `${detail.slice(0, MAX_DETAIL).toWellFormed()}…` : detail })
}
