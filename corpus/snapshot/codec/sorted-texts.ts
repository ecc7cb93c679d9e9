/**
 * Ascending texts in memory. Each text stores only what differs from the text before it: ids of advisories take half of
 * their length.
 */
import { partitionPoint } from '../../model/values/partition-point.ts'
import { SnapshotError } from '../error.ts'

/** Plain data, so that threads can transfer it. */
export interface SortedTexts {
  count: number
  /** Per text: the number of bytes that it shares with the text before it, the number of its other bytes, these bytes. */
  bytes: Uint8Array
  /** Start of each group of `TEXTS_PER_GROUP` in `bytes`, and the end. The first text of a group shares nothing. */
  starts: Uint32Array
}

const TEXTS_PER_GROUP = 16
/** A number has seven bits per byte, lowest first, and the high bit set on all bytes except the last. */
const MAX_NUMBER_BYTES = 5

/**
 * Packs texts, which must ascend by code points.
 * @throws SnapshotError `malformed` when they do not
 */
export function packSorted(texts: Iterable<string>): SortedTexts {
  const starts: number[] = []
  let bytes = Buffer.allocUnsafe(4096)
  let end = 0
  let count = 0
  let last: Uint8Array = new Uint8Array()
  const writeNumber = (number: number) => {
    let rest = number
    for (; rest >= 0x80; rest >>>= 7) bytes[end++] = (rest & 0x7f) | 0x80
    bytes[end++] = rest
  }
  for (const text of texts) {
    const plain = Buffer.from(text)
    if (count > 0 && plain.compare(last) <= 0)
      throw new SnapshotError('malformed', 'the texts of a table do not ascend')
    const isFirst = count++ % TEXTS_PER_GROUP === 0
    if (isFirst) starts.push(end)
    const shared = isFirst ? 0 : sharedLength(last, plain)
    const most = end + plain.length + 2 * MAX_NUMBER_BYTES
    if (most > bytes.length) bytes = Buffer.concat([bytes.subarray(0, end)], most * 2)
    writeNumber(shared)
    writeNumber(plain.length - shared)
    end += plain.copy(bytes, end, shared)
    last = plain
  }
  return { count, bytes: Uint8Array.from(bytes.subarray(0, end)), starts: Uint32Array.from([...starts, end]) }
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let shared = 0
  while (shared < a.length && a[shared] === b[shared]) shared++
  return shared
}

/** The text that was read last. Reused by all reads, because a look-up reads dozens of texts. */
let text = Buffer.alloc(512)
/** The end of the number or text that was read last. */
let end = 0

function readNumber(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]!
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) {
      end = at
      return value
    }
  }
}

/** Reads the text at `at`, after the one before it, to `text`. Returns its length. */
function readText(bytes: Uint8Array, at: number): number {
  const shared = readNumber(bytes, at)
  const length = shared + readNumber(bytes, end)
  if (length > text.length) text = Buffer.concat([text], length * 2)
  for (let to = shared; to < length; to++) text[to] = bytes[end++]!
  return length
}

/** Returns the text at a position below `count`. */
export function sortedText({ bytes, starts }: SortedTexts, position: number): string {
  let length = readText(bytes, starts[Math.floor(position / TEXTS_PER_GROUP)]!)
  for (let skipped = position % TEXTS_PER_GROUP; skipped > 0; skipped--) length = readText(bytes, end)
  return text.toString('utf8', 0, length)
}

/** Returns the position of a text, or -1. */
export function sortedPosition({ bytes, starts, count }: SortedTexts, wanted: string): number {
  const plain = Buffer.from(wanted)
  const compareAt = (at: number) => {
    // This may replace `text`.
    const length = readText(bytes, at)
    return plain.compare(text, 0, length)
  }
  const isBehind = (group: number) => compareAt(starts[group]!) < 0
  const group = partitionPoint(starts.length - 1, isBehind) - 1
  if (group < 0) return -1
  end = starts[group]!
  const first = group * TEXTS_PER_GROUP
  for (let position = first; position < Math.min(first + TEXTS_PER_GROUP, count); position++) {
    const order = compareAt(end)
    if (order <= 0) return order === 0 ? position : -1
  }
  return -1
}
