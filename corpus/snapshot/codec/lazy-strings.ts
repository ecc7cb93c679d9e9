/**
 * Table texts that stay in the file, because 777,000 ids as strings take 65 MB and 300 ms, and few are requested.
 * Memory contains position and CRC-32 of each group.
 */
import { crc32 } from '../../runtime/crc32.ts'
import { SnapshotError } from '../error.ts'

/** Positions of an array's texts in a file; only numbers, so that threads can transfer it. */
export interface TextOffsets {
  count: number
  /** Start of each group of `TEXTS_PER_GROUP` in the file, and the end of the array. */
  starts: Uint32Array
  /** CRC-32 of each group. Computed when the whole file was verified. */
  crcs: Uint32Array
  /** Indices of texts that take more than `LONG_BYTES` as JSON. */
  long: Uint32Array
}

/** A list of texts, in memory or in a file. An array of strings matches it. */
export interface Texts {
  readonly length: number
  /** @throws SnapshotError when the file cannot be read or has changed */
  at(index: number): string | undefined
}

/** Texts of a decoded table. Short arrays stay arrays. */
export type TableTexts = readonly string[] | TextOffsets

export const isTextOffsets = (texts: unknown): texts is TextOffsets =>
  typeof texts === 'object' && texts !== null && 'starts' in texts && texts.starts instanceof Uint32Array

/** Reading a group from the file takes 2 µs, about as long as decoding 16 texts. */
export const TEXTS_PER_GROUP = 16
export const LONG_BYTES = 100

const [QUOTE, BACKSLASH, OPENING, CLOSING, COMMA] = ['"', '\\', '[', ']', ','].map((one) => one.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]

function textEnd(json: Uint8Array, at: number): number {
  for (at++; json[at] !== QUOTE; at++) {
    if (at >= json.length) throw new SnapshotError('malformed', 'the header of a table has an unterminated string')
    if (json[at] === BACKSLASH) at++
  }
  return at + 1
}

/** Returns the texts of the array at `at` and its end, or null when an item is no text. */
function positionsAt(json: Uint8Array, at: number, fileOffset: number): { positions: TextOffsets; end: number } | null {
  const starts: number[] = []
  const crcs: number[] = []
  const long: number[] = []
  const endGroup = (end: number) => crcs.push(crc32(json.subarray(starts.at(-1)! - fileOffset, end)))
  let count = 0
  for (at++; json[at] === QUOTE; at++) {
    if (count % TEXTS_PER_GROUP === 0) {
      // The comma before it belongs to no group.
      if (count > 0) endGroup(at - 1)
      starts.push(at + fileOffset)
    }
    const end = textEnd(json, at)
    if (end - at > LONG_BYTES + 2) long.push(count)
    count++
    at = end
    if (json[at] === COMMA) continue
    if (json[at] !== CLOSING) return null
    endGroup(at)
    starts.push(at + 1 + fileOffset)
    const [u32, crc, longOnes] = [starts, crcs, long].map((numbers) => Uint32Array.from(numbers)) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ]
    return { positions: { count, starts: u32, crcs: crc, long: longOnes }, end: at + 1 }
  }
  return null
}

/**
 * Cuts arrays of at least `least` texts out of JSON at `fileOffset`, and replaces them by `{"kept":<n>}`.
 * @throws SnapshotError `malformed`
 */
export function cutTexts(json: Buffer, fileOffset: number, least: number): { rest: string; kept: TextOffsets[] } {
  const kept: TextOffsets[] = []
  let rest = ''
  let from = 0
  for (let at = 0; at < json.length; ) {
    if (json[at] === QUOTE) at = textEnd(json, at)
    else if (json[at] !== OPENING || json[at + 1] !== QUOTE) at++
    else {
      const found = positionsAt(json, at, fileOffset)
      if (found && found.positions.count >= least) {
        rest += `${json.toString('utf8', from, at)}{"kept":${kept.length}}`
        kept.push(found.positions)
        from = found.end
      }
      at = found?.end ?? at + 1
    }
  }
  return { rest: rest + json.toString('utf8', from), kept }
}

/** Returns the texts at `places`. `read` reads `length` bytes of the file at `at`. */
export function lazyStrings(
  { count, starts, crcs }: TextOffsets,
  read: (at: number, length: number) => Uint8Array,
): Texts {
  // Caches the last group, because sequential readers request neighbors.
  let last = { group: -1, texts: [] as unknown[] }
  const textsOf = (group: number) => {
    const at = starts[group]!
    const bytes = read(at, starts[group + 1]! - 1 - at)
    if (crc32(bytes) !== crcs[group]) throw new SnapshotError('digest', 'texts of a table are damaged')
    return { group, texts: textsIn(bytes) }
  }
  return {
    length: count,
    at(index) {
      if (index < 0 || index >= count) return undefined
      const group = Math.floor(index / TEXTS_PER_GROUP)
      if (last.group !== group) last = textsOf(group)
      const text = last.texts[index % TEXTS_PER_GROUP]
      if (typeof text !== 'string') throw new SnapshotError('malformed', 'a table has a wrong number of texts')
      return text
    },
  }
}

function textsIn(bytes: Uint8Array): unknown[] {
  try {
    return JSON.parse(`[${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()}]`) as unknown[]
  } catch (cause) {
    throw new SnapshotError('malformed', 'texts of a table are not JSON', { cause })
  }
}

/**
 * Returns a function that returns the index of a text, else of the first text with its key. Its first call reads all
 * texts.
 */
export function textLookup(texts: Texts, keyOf?: TextKey): (text: string) => number | undefined {
  let indexes: { byText: Map<string, number>; byKey: Map<string, number> } | undefined
  return (text) => {
    indexes ??= indexesOf(texts, keyOf)
    return indexes.byText.get(text) ?? (keyOf && indexes.byKey.get(keyOf(text)))
  }
}

function indexesOf(texts: Texts, keyOf?: TextKey) {
  const byText = new Map<string, number>()
  const byKey = new Map<string, number>()
  for (let index = 0; index < texts.length; index++) {
    const text = texts.at(index)!
    byText.set(text, index)
    const key = keyOf?.(text)
    if (key !== undefined && !byKey.has(key)) byKey.set(key, index)
  }
  return { byText, byKey }
}

export type TextKey = (text: string) => string
