/**
 * Texts of a table that stay where they lie: an array of 777,000 ids takes 65 MB and 300 ms as strings, and most of them
 * are never asked for. What is held in memory says where each group of texts lies, and its CRC-32.
 */
import { hash, randomBytes } from 'node:crypto'
import { crc32 } from './crc32.ts'
import { SnapshotError } from './error.ts'

/** Where the texts of an array lie in a file; nothing but numbers, so that a thread can hand it over. */
export interface TextPlaces {
  count: number
  /** Where each group of `TEXTS_PER_GROUP` begins in the file, and where the array ends. */
  starts: Uint32Array
  /** CRC-32 of the bytes of each group: the file was checked as a whole when they were taken. */
  crcs: Uint32Array
  /** Which texts take more than `LONG_BYTES` as JSON. */
  long: Uint32Array
}

/** Texts, whether they lie in memory or not; an array is such. */
export interface Texts {
  readonly length: number
  /** @throws SnapshotError where they cannot be read as they were */
  at(index: number): string | undefined
}

/** Texts as a decoded table has them: a short array as it is. */
export type TableTexts = readonly string[] | TextPlaces

export const isPlaces = (texts: unknown): texts is TextPlaces =>
  typeof texts === 'object' && texts !== null && 'starts' in texts && texts.starts instanceof Uint32Array

/** A read costs 2 µs, and decoding 16 texts about as much. */
export const TEXTS_PER_GROUP = 16
export const LONG_BYTES = 100

const [QUOTE, BACKSLASH, OPENING, CLOSING, COMMA] = ['"', '\\', '[', ']', ','].map((one) => one.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
]

/** Behind the text that begins at `at`. */
function textEnd(json: Uint8Array, at: number): number {
  for (at++; json[at] !== QUOTE; at++) {
    if (at >= json.length) throw new SnapshotError('malformed', 'a text in the header of a table does not end')
    if (json[at] === BACKSLASH) at++
  }
  return at + 1
}

/** The texts of the array that begins at `at`, and where it ends; null where something in it is no text. */
function placesAt(json: Uint8Array, at: number, fileOffset: number): { places: TextPlaces; end: number } | null {
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
    return { places: { count, starts: u32, crcs: crc, long: longOnes }, end: at + 1 }
  }
  return null
}

/**
 * Cuts the arrays of at least `least` texts out of JSON that lies at `fileOffset` of a file. What is left has
 * `{"kept":<n>}` in their place.
 * @throws SnapshotError `malformed`
 */
export function cutTexts(json: Buffer, fileOffset: number, least: number): { rest: string; kept: TextPlaces[] } {
  const kept: TextPlaces[] = []
  let rest = ''
  let from = 0
  for (let at = 0; at < json.length; ) {
    if (json[at] === QUOTE) at = textEnd(json, at)
    else if (json[at] !== OPENING || json[at + 1] !== QUOTE) at++
    else {
      const found = placesAt(json, at, fileOffset)
      if (found && found.places.count >= least) {
        rest += `${json.toString('utf8', from, at)}{"kept":${kept.length}}`
        kept.push(found.places)
        from = found.end
      }
      at = found?.end ?? at + 1
    }
  }
  return { rest: rest + json.toString('utf8', from), kept }
}

/** The texts at `places`; `read` reads so many bytes of the file from there on. */
export function keptTexts(
  { count, starts, crcs }: TextPlaces,
  read: (at: number, length: number) => Uint8Array,
): Texts {
  // Whoever goes through all of them asks for neighbours.
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
      if (typeof text !== 'string') throw new SnapshotError('malformed', 'a table has another number of texts')
      return text
    },
  }
}

function textsIn(bytes: Uint8Array): unknown[] {
  try {
    return JSON.parse(`[${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()}]`) as unknown[]
  } catch (cause) {
    throw new SnapshotError('malformed', 'texts of a table are no JSON', { cause })
  }
}

/** By which a text is found. Plain data, so that a thread can hand it over. */
export interface TextSlots {
  /** Random, so that nobody can choose texts that share a slot: names come from feeds. */
  key: string
  /** Each has 1 more than the index of a text, or 0; at most half of them are taken. */
  slots: Uint32Array
}

const KEY_BYTES = 16

/** The slot that a text has, where no other text is there before it. In UTF-16, since UTF-8 makes one of all lone surrogates. */
function slotOf({ key, slots }: TextSlots, text: string): number {
  return hash('sha256', Buffer.from(key + text, 'utf16le'), 'buffer').readUInt32LE() & (slots.length - 1)
}

export function slotsOf(texts: Texts): TextSlots {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(1, texts.length) * 2)))
  const keyed = { key: randomBytes(KEY_BYTES).toString('hex'), slots }
  for (let index = 0; index < texts.length; index++) {
    let slot = slotOf(keyed, texts.at(index)!)
    while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1)
    slots[slot] = index + 1
  }
  return keyed
}

/** The index of a text, or undefined where there is none such. */
export function indexIn(keyed: TextSlots, texts: Texts, text: string): number | undefined {
  const { slots } = keyed
  for (let slot = slotOf(keyed, text); slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
    const index = slots[slot]! - 1
    if (texts.at(index) === text) return index
  }
  return undefined
}
