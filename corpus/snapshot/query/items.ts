/** The search results of entries, several entries per row. SPEC.md, "Query". */
import { SnapshotError } from '../error.ts'
import type { ReadSet } from './sets.ts'

export const ITEMS_PER_ROW = 16

export interface Item {
  /** The id in answers, and the key that searches match. A product has the id of its list and its slug. */
  id: string
  key: string
  label: string
  subtitle: string
}

/**
 * Returns the items from `from` on as JSON: `[id, label, subtitle]`, followed by the key when it differs from the id.
 */
export function encodeItems({ ids, keys, labels, subtitles }: ReadSet, from: number): Buffer {
  const items: string[][] = []
  for (let i = from; i < Math.min(from + ITEMS_PER_ROW, ids.length); i++) {
    const id = ids.at(i)!
    const item = [id, labels.at(i)!, subtitles.at(i)!]
    items.push(keys.at(i) === id ? item : [...item, keys.at(i)!])
  }
  return Buffer.from(JSON.stringify(items))
}

/** @throws SnapshotError `malformed` when the row has no such item */
export function decodeItem(bytes: Uint8Array, position: number): Item {
  const item = itemOf(parse(bytes)[position])
  return { ...item, label: item.label === '' ? item.id : item.label }
}

/**
 * Returns the items of a row, with the labels that searches match: empty ones too.
 * @throws SnapshotError `malformed`
 */
export const storedItems = (bytes: Uint8Array): Item[] => parse(bytes).map(itemOf)

function itemOf(item: unknown): Item {
  if (!Array.isArray(item) || item.length < 3 || !item.every((field) => typeof field === 'string')) throw malformed()
  const [id, label, subtitle, key = id] = item as [string, string, string, string?]
  return { id, key, label, subtitle }
}

function parse(bytes: Uint8Array): unknown[] {
  let items: unknown
  try {
    items = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    throw malformed()
  }
  if (!Array.isArray(items)) throw malformed()
  return items
}

const malformed = () => new SnapshotError('malformed', 'items of query.db cannot be decoded')
