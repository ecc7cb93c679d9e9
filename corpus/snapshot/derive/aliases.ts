/** The ids that name one vulnerability, as sets. SPEC.md, "Aliases". */
import { compareText } from '../../model/sources.ts'
import { MAX_ALIAS_IDS, MAX_ALIAS_SET } from '../bounds.ts'
import { isTextOffsets, lazyStrings } from '../codec/lazy-strings.ts'
import { packSorted, type SortedTexts, sortedPosition, sortedText } from '../codec/sorted-texts.ts'
import { column, decodeWithoutTexts, encodeTable } from '../codec/table.ts'
import { SnapshotError } from '../error.ts'
import { type AdvisoryRows, noAdvisories } from './advisory-rows.ts'
import { tableTexts } from './lists.ts'

interface Sets {
  /** The set of each id. */
  set: Uint32Array
  /** The ids of set `s` are `members[starts[s] … starts[s + 1])`, ascending. */
  starts: Uint32Array
  members: Uint32Array
}

/** Plain data, so that threads can transfer it. */
export interface Aliases extends Sets {
  ids: SortedTexts
}

/** The sets before encoding. */
export interface AliasSets extends Sets {
  /** All ids of sets with more than one id, ascending. */
  ids: string[]
  setOf: ReadonlyMap<string, number>
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

export function encodeAliases({ ids, set, starts, members }: AliasSets): Buffer {
  return encodeTable({ about: { ids }, columns: { set, starts, members } })
}

/**
 * Decodes the table. The result does not retain `bytes`, which is null when the snapshot has no such file, as without
 * advisories.
 * @throws SnapshotError `malformed`
 */
export function decodeAliases(bytes: Uint8Array | null): Aliases {
  const table = decodeWithoutTexts(bytes ?? NO_ALIASES, 1)
  const stored = tableTexts(table.about.ids, table.kept)
  const texts = isTextOffsets(stored) ? lazyStrings(stored, (at, length) => bytes!.subarray(at, at + length)) : stored
  const set = column(table, 'set', 'u32')
  const starts = column(table, 'starts', 'u32')
  const members = column(table, 'members', 'u32')
  const count = texts?.length ?? -1
  if (texts === null || count > MAX_ALIAS_IDS || set.length !== count || !areSets({ set, starts, members })) {
    throw new SnapshotError('malformed', 'the table of aliases is damaged')
  }
  const all = function* () {
    for (let position = 0; position < count; position++) yield texts.at(position)!
  }
  return { ids: packSorted(all()), set, starts, members }
}

const NO_ALIASES = encodeAliases(aliasSets(noAdvisories()))

/** Whether each id is in exactly one set of two ids or more. */
function areSets({ set, starts, members }: Sets): boolean {
  if (members.length !== set.length || starts[0] !== 0 || starts.at(-1) !== members.length) return false
  for (let number = 0; number + 1 < starts.length; number++) {
    const [from, to] = [starts[number]!, starts[number + 1]!]
    if (to < from + 2 || to > members.length) return false
    if (number > 0 && members[from]! <= members[starts[number - 1]!]!) return false
    for (let at = from; at < to; at++) {
      if (set[members[at]!] !== number || (at > from && members[at]! <= members[at - 1]!)) return false
    }
  }
  return true
}

/** Returns all ids of the set of an id, ascending; null for an id without an alias. */
export function aliasesOf({ ids, set, starts, members }: Aliases, id: string): string[] | null {
  const position = sortedPosition(ids, id)
  if (position < 0) return null
  const number = set[position]!
  return Array.from(members.subarray(starts[number], starts[number + 1]), (member) => sortedText(ids, member))
}
