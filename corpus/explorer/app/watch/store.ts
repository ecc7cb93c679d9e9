/** The watch list of this browser: one for all pages of its origin, and for all tabs. */
import { identityOf, type WatchEntry } from './entries.ts'
import { decodeWatchFile, encodeWatchFile, MOST_ENTRIES, mergedEntries, WatchFileError } from './file.ts'
import { watchText } from './kept-text.ts'

export interface WatchList {
  entries: readonly WatchEntry[]
  /** Why the browser's text cannot be read. The list is empty then, and the text stays until a new list begins. */
  damage: string | null
  /** False after the browser refused to store the list: it lasts as long as the page. */
  isStored: boolean
}

let isStored = true
const listeners = new Set<() => void>()

/** Calls `listener` after each change in this tab. Returns a function that ends this. */
export function onWatchChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function readWatchList(): WatchList {
  const text = watchText.read()
  if (text === null) return { entries: [], damage: null, isStored }
  try {
    return { entries: decodeWatchFile(text), damage: null, isStored }
  } catch (error) {
    if (!(error instanceof WatchFileError)) throw error
    return { entries: [], damage: error.message, isStored }
  }
}

function write(entries: readonly WatchEntry[]): void {
  isStored = watchText.store(encodeWatchFile(entries))
  for (const listener of listeners) listener()
}

/** Adds entries. Returns why it did not, or null. */
export function watch(added: readonly WatchEntry[]): string | null {
  const { entries, damage } = readWatchList()
  if (damage !== null) return `The watch list of this browser cannot be read: ${damage}.`
  const merged = mergedEntries(entries, added)
  if (merged.length > MOST_ENTRIES)
    return `The watch list would have ${merged.length} entries; the limit is ${MOST_ENTRIES}. Remove some first.`
  write(merged)
  return null
}

export function unwatch(entry: WatchEntry): void {
  const identity = identityOf(entry)
  write(readWatchList().entries.filter((one) => identityOf(one) !== identity))
}

/** Begins a new list. */
export const clearWatchList = (): void => write([])
