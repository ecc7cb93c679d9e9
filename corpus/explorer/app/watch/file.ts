/** The file of a watch list: JSON with a list of names for each kind. The browser keeps the same text. */
import { identityOf, KINDS, type WatchEntry, type WatchKind, WatchNameError, watchEntry } from './entries.ts'

export const WATCH_FILE = 'vulnshelf.watch.json'

/** Bounds of a list, so that it fits into the storage of a browser and is matched at once. */
export const MOST_ENTRIES = 1000
export const MOST_BYTES = 512 * 1024

/** The member of each kind. */
const MEMBERS: Readonly<Record<WatchKind, string>> = {
  vendor: 'vendors',
  product: 'products',
  package: 'packages',
  cve: 'cves',
}

/** The file is no watch list. The message names the fault and its place. */
export class WatchFileError extends Error {
  override readonly name = 'WatchFileError'
}

export function encodeWatchFile(entries: readonly WatchEntry[]): string {
  const members = KINDS.map((kind) => [
    MEMBERS[kind],
    entries.flatMap((entry) => (entry.kind === kind ? [entry.name] : [])),
  ])
  return `${JSON.stringify(Object.fromEntries(members), null, 2)}\n`
}

/**
 * Returns the entries of a file, each once.
 * @throws WatchFileError
 */
export function decodeWatchFile(text: string): WatchEntry[] {
  if (text.length > MOST_BYTES)
    throw new WatchFileError(`it has more than ${MOST_BYTES >> 10} KiB, the limit of a watch list`)
  const lists = listsOf(text)
  const entries: WatchEntry[] = []
  for (const [member, names] of Object.entries(lists)) {
    const kind = KINDS.find((one) => MEMBERS[one] === member)
    if (kind === undefined)
      throw new WatchFileError(
        `“${member.slice(0, 60)}” is unknown. Its members are ${Object.values(MEMBERS).join(', ')}`,
      )
    if (!Array.isArray(names)) throw new WatchFileError(`“${member}” must be a list of names`)
    for (const [i, name] of names.entries()) entries.push(entryAt(kind, name, `${member}[${i}]`))
  }
  const merged = mergedEntries([], entries)
  if (merged.length > MOST_ENTRIES)
    throw new WatchFileError(`it has ${merged.length} entries; a watch list can have ${MOST_ENTRIES}`)
  return merged
}

function listsOf(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new WatchFileError(`it is not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WatchFileError(`it must be a JSON object with the members ${Object.values(MEMBERS).join(', ')}`)
  return value as Record<string, unknown>
}

function entryAt(kind: WatchKind, name: unknown, where: string): WatchEntry {
  if (typeof name !== 'string') throw new WatchFileError(`${where} must be a text`)
  try {
    return watchEntry(kind, name)
  } catch (error) {
    if (!(error instanceof WatchNameError)) throw error
    throw new WatchFileError(`${where} is “${name.slice(0, 60)}”: ${error.message}`)
  }
}

/** Returns the entries of both lists, each once: of two spellings of a name, the first one stays. */
export function mergedEntries(first: readonly WatchEntry[], second: readonly WatchEntry[]): WatchEntry[] {
  const byIdentity = new Map<string, WatchEntry>()
  for (const entry of [...first, ...second]) {
    const identity = identityOf(entry)
    if (!byIdentity.has(identity)) byIdentity.set(identity, entry)
  }
  return [...byIdentity.values()]
}
