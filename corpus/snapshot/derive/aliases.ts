/** The ids that name one vulnerability, as sets. SPEC.md, "Aliases". */
import { compareText } from '../../model/sources.ts'
import { crc32 } from '../../runtime/crc32.ts'
import { MAX_ALIAS_IDS, MAX_ALIAS_SET } from '../bounds.ts'
import { column, decodeTable, encodeTable, valuesSpan } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { keyHash } from '../record/hashed-shard.ts'
import { type AdvisoryRows, noAdvisories } from './advisory-rows.ts'
import { decodeHashed, type HashColumns, hashedColumns, rowsOfHash } from './hashed-table.ts'

/** The sets before encoding. */
export interface AliasSets {
  /** All ids of sets with more than one id, ascending. */
  ids: string[]
  setOf: ReadonlyMap<string, number>
  /** The set of each id. */
  set: Uint32Array
  /** The ids of set `s` are `members[starts[s] … starts[s + 1])`, ascending. */
  starts: Uint32Array
  members: Uint32Array
}

/**
 * Returns the sets that the advisories form. Leaves out ids with lone surrogates: no request can name them. An alias that
 * would make a set larger than `MAX_ALIAS_SET` joins nothing.
 * @throws RangeError when there are more ids than readers accept
 */
export function aliasSets({ keys, aliases }: AdvisoryRows): AliasSets {
  const setOf = new Map<string, number>()
  const parents: number[] = []
  const sizes: number[] = []
  const numberOf = (id: string): number => {
    const known = setOf.get(id)
    if (known !== undefined) return known
    setOf.set(id, parents.length)
    sizes.push(1)
    return parents.push(parents.length) - 1
  }
  const rootOf = (number: number): number => {
    let root = number
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!
      root = parents[root]!
    }
    return root
  }
  keys.forEach((key, row) => {
    for (const alias of aliases[row]!) {
      if (alias === key || !alias.isWellFormed() || !key.isWellFormed()) continue
      const [one, other] = [rootOf(numberOf(key)), rootOf(numberOf(alias))]
      const size = sizes[one]! + sizes[other]!
      if (one === other || size > MAX_ALIAS_SET) continue
      parents[Math.max(one, other)] = Math.min(one, other)
      sizes[Math.min(one, other)] = size
    }
  })
  for (const [id, number] of setOf) if (sizes[rootOf(number)] === 1) setOf.delete(id)
  const ids = [...setOf.keys()].sort(compareText)
  if (ids.length > MAX_ALIAS_IDS) throw new RangeError(`${ids.length} aliases are more than readers accept`)
  const numbers = new Map<number, number>()
  const set = Uint32Array.from(ids, (id) => {
    const root = rootOf(setOf.get(id)!)
    const number = numbers.get(root) ?? numbers.size
    numbers.set(root, number)
    return number
  })
  const starts = new Uint32Array(numbers.size + 1)
  for (const number of set) starts[number + 1]!++
  for (let number = 1; number < starts.length; number++) starts[number]! += starts[number - 1]!
  const ends = starts.slice()
  const members = new Uint32Array(ids.length)
  set.forEach((number, position) => {
    members[ends[number]!++] = position
    setOf.set(ids[position]!, number)
  })
  return { ids, set, starts, members, setOf }
}

/** The set of each id: its bytes in the column `sets`, a JSON array, and their CRC-32. */
export const ALIAS_COLUMNS = ['setStart', 'setLength', 'setCrc'] as const

export function encodeAliases({ ids, set, starts, members }: AliasSets): Buffer {
  const texts = Array.from({ length: starts.length - 1 }, (_, number) =>
    Buffer.from(JSON.stringify(Array.from(members.subarray(starts[number], starts[number + 1]), (one) => ids[one]))),
  )
  const ends: number[] = []
  for (const { length } of texts) ends.push((ends.at(-1) ?? 0) + length)
  const crcs = texts.map((text) => crc32(text))
  const { columns, cut } = hashedColumns(ids, {
    setStart: set.map((number) => ends[number]! - texts[number]!.length),
    setLength: set.map((number) => texts[number]!.length),
    setCrc: set.map((number) => crcs[number]!),
  })
  return encodeTable({ about: {}, columns: { ...columns, sets: new Uint8Array(Buffer.concat(texts)) }, cuts: [cut] })
}

/** The sets stay in the file. Plain data, so that threads can transfer it. */
export interface Aliases extends HashColumns {
  /** Position of the set in the file. */
  setStart: Uint32Array
  setLength: Uint32Array
  setCrc: Uint32Array
}

/** @throws SnapshotError `malformed` */
export function decodeAliases(bytes: Uint8Array): Aliases {
  const table = decodeTable(bytes)
  const { setStart, setLength, ...columns } = decodeHashed(table, ALIAS_COLUMNS)
  const { length } = column(table, 'sets', 'u8')
  if (setStart.some((start, row) => start + setLength[row]! > length))
    throw new SnapshotError('malformed', 'a set of aliases is outside its table')
  const { at } = valuesSpan(table.header, 'sets', 0, length)
  return { ...columns, setStart: setStart.map((start) => start + at), setLength }
}

/** Those of a snapshot without advisories. */
export const NO_ALIASES = decodeAliases(encodeAliases(aliasSets(noAdvisories())))

/**
 * Returns all ids of the set of an id, ascending; null for an id without an alias. `read` reads `length` bytes of the file
 * at `at`.
 * @throws SnapshotError
 */
export function aliasesOf(
  aliases: Aliases,
  id: string,
  read: (at: number, length: number) => Uint8Array,
): string[] | null {
  for (const row of rowsOfHash(aliases, keyHash(id))) {
    const set = aliasSetIn(read(aliases.setStart[row]!, aliases.setLength[row]!), aliases.setCrc[row]!)
    // Two ids can have one hash.
    if (set.includes(id)) return set
  }
  return null
}

/**
 * Returns a set from its bytes.
 * @throws SnapshotError `digest` when they are damaged, else `malformed`
 */
export function aliasSetIn(bytes: Uint8Array, crc: number): string[] {
  if (crc32(bytes) !== crc) throw new SnapshotError('digest', 'a set of aliases is damaged')
  let ids: unknown
  try {
    ids = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString())
  } catch (cause) {
    throw new SnapshotError('malformed', 'a set of aliases is not JSON', { cause })
  }
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids
  throw new SnapshotError('malformed', 'a set of aliases has an item that is no id')
}
