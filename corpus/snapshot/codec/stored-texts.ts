/**
 * Texts of a table, as columns. They stay in its file, because 777,000 ids as strings take 65 MB and 300 ms, and few are
 * requested. SPEC.md, "Texts".
 */
import { crc32 } from '../../runtime/crc32.ts'
import { SnapshotError } from '../error.ts'
import { type Column, column, type DecodedTable, valuesSpan } from './table.ts'

/** Where the texts of a table are; only numbers, so that threads can transfer it. */
export interface StoredTexts {
  count: number
  /** Start of each group of `TEXTS_PER_GROUP` in the file, and the end of the last. */
  starts: Uint32Array
  /** CRC-32 of each group. */
  crcs: Uint32Array
  /** Indices of texts that take more than `LONG_BYTES` as JSON. */
  long: Uint32Array
}

/** A list of texts, in memory or in a file. An array of strings matches it. */
export interface Texts<Text = string> {
  readonly length: number
  /** @throws SnapshotError when the file cannot be read or has changed */
  at(index: number): Text | undefined
}

/** Reading a group from the file takes 2 µs, about as long as decoding 16 texts. */
export const TEXTS_PER_GROUP = 16
export const LONG_BYTES = 100

/** Returns the columns of texts or nulls. Their names begin with `name`. */
export function textColumns(name: string, texts: readonly (string | null)[]): Record<string, Column> {
  const groups: Buffer[] = []
  const long: number[] = []
  for (let from = 0; from < texts.length; from += TEXTS_PER_GROUP) {
    const items = texts.slice(from, from + TEXTS_PER_GROUP).map((text) => JSON.stringify(text))
    items.forEach((item, i) => {
      if (Buffer.byteLength(item) > LONG_BYTES + 2) long.push(from + i)
    })
    groups.push(Buffer.from(items.join(',')))
  }
  let end = 0
  return {
    [`${name}.starts`]: Uint32Array.from([0, ...groups.map(({ length }) => (end += length))]),
    [`${name}.crcs`]: Uint32Array.from(groups, (group) => crc32(group)),
    [`${name}.long`]: Uint32Array.from(long),
    [`${name}.texts`]: new Uint8Array(Buffer.concat(groups)),
  }
}

/**
 * Returns the texts of a table in its file.
 * @throws SnapshotError `malformed`
 */
export function textsOf(table: DecodedTable, name: string, count: number): StoredTexts {
  const starts = column(table, `${name}.starts`, 'u32')
  const crcs = column(table, `${name}.crcs`, 'u32').slice()
  const long = column(table, `${name}.long`, 'u32').slice()
  const { length } = column(table, `${name}.texts`, 'u8')
  const groups = Math.ceil(count / TEXTS_PER_GROUP)
  const ascends = starts.every((start, i) => i === 0 || start > starts[i - 1]!)
  const isWhole = starts.length === groups + 1 && crcs.length === groups && starts[0] === 0 && starts[groups] === length
  if (!ascends || !isWhole || long.some((index) => index >= count)) {
    throw new SnapshotError('malformed', `the texts ${name} are damaged`)
  }
  const { at } = valuesSpan(table.header, `${name}.texts`, 0, length)
  return { count, starts: starts.map((start) => start + at), crcs, long }
}

/** Returns texts or nulls. `read` reads `length` bytes of the file at `at`. */
export function openTexts(
  { count, starts, crcs }: StoredTexts,
  read: (at: number, length: number) => Uint8Array,
): Texts<string | null> {
  // Caches the last group, because sequential readers request neighbors.
  let last = { group: -1, texts: [] as unknown[] }
  const textsIn = (group: number) => {
    const at = starts[group]!
    const bytes = read(at, starts[group + 1]! - at)
    if (crc32(bytes) !== crcs[group]) throw new SnapshotError('digest', 'texts of a table are damaged')
    return { group, texts: parsed(bytes) }
  }
  return {
    length: count,
    at(index) {
      if (index < 0 || index >= count) return undefined
      const group = Math.floor(index / TEXTS_PER_GROUP)
      if (last.group !== group) last = textsIn(group)
      const text = last.texts[index % TEXTS_PER_GROUP]
      if (typeof text === 'string' || text === null) return text
      throw new SnapshotError('malformed', 'a table has a wrong number of texts')
    },
  }
}

function parsed(bytes: Uint8Array): unknown[] {
  try {
    return JSON.parse(`[${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()}]`) as unknown[]
  } catch (cause) {
    throw new SnapshotError('malformed', 'texts of a table are not JSON', { cause })
  }
}
