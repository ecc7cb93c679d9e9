/**
 * Columns: what filters test, in the order of publication, newest first, and posting lists for what is sparse.
 * SPEC.md, "Columns". An *ordinal* is a place in that order; a *row* is a place in the order of ids.
 */
import { SnapshotError } from '../error.ts'
import { fold } from '../fold.ts'
import { compareKeys } from '../order.ts'
import { column, decodeTable, encodeTable } from '../table.ts'
import type { Rows } from './rows.ts'

/** The severity bands, in the order of their codes; code 255 is null. */
export const SEVERITIES = ['none', 'low', 'medium', 'high', 'critical'] as const
const NO_SEVERITY = 255

export interface Columns {
  count: number
  /** The row of each ordinal. */
  row: Uint32Array
  published: Float64Array
  updated: Float64Array
  score: Float64Array
  severity: Uint8Array
  flags: Uint8Array
  assigner: Postings<string>
  primaryCwe: Postings<number>
  anyCwe: Postings<number>
}

/** For each key, the ordinals that have it, ascending. */
export interface Postings<K> {
  keys: Map<K, number>
  starts: Uint32Array
  ordinals: Uint32Array
}

const NO_ORDINALS = new Uint32Array(0)

/** The ordinals of a key, ascending; none for an unknown one. */
export function postingsOf<K>(postings: Postings<K>, key: K): Uint32Array {
  const at = postings.keys.get(key)
  if (at === undefined) return NO_ORDINALS
  return postings.ordinals.subarray(postings.starts[at], postings.starts[at + 1])
}

/** Rows sorted by `keys` in descending order (NaN is null); `ids` breaks ties, so that the order is total. */
export function sortDescending(keys: Float64Array, ids: (place: number) => number): Uint32Array {
  const places = Uint32Array.from(keys, (_key, place) => place)
  const keyOf = (place: number) => (Number.isNaN(keys[place]!) ? null : keys[place]!)
  return places.sort((a, b) => compareKeys(keyOf(a), keyOf(b), true) || ids(b) - ids(a))
}

export function encodeColumns(rows: Rows): Buffer {
  const row = sortDescending(rows.published, (place) => place)
  const pick = <T extends Float64Array | Uint8Array>(values: T, out: T): T => {
    for (let ordinal = 0; ordinal < row.length; ordinal++) out[ordinal] = values[row[ordinal]!]!
    return out
  }
  const severity = Uint8Array.from(row, (one) => {
    const band = rows.severity[one]
    return band ? SEVERITIES.indexOf(band) : NO_SEVERITY
  })
  const assigner = encodePostings(row, (one) => (rows.assigners[one] === null ? [] : [fold(rows.assigners[one]!)]))
  const primaryCwe = encodePostings(row, (one) => (rows.primaryCwe[one] ? [rows.primaryCwe[one]!] : []))
  const anyCwe = encodePostings(row, (one) => rows.weaknesses[one]!)
  return encodeTable({
    about: { assigners: assigner.keys, primaryCwes: primaryCwe.keys, anyCwes: anyCwe.keys },
    columns: {
      row,
      published: pick(rows.published, new Float64Array(rows.count)),
      updated: pick(rows.updated, new Float64Array(rows.count)),
      score: pick(rows.score, new Float64Array(rows.count)),
      severity,
      flags: pick(rows.flags, new Uint8Array(rows.count)),
      assignerStarts: assigner.starts,
      assignerOrdinals: assigner.ordinals,
      primaryCweStarts: primaryCwe.starts,
      primaryCweOrdinals: primaryCwe.ordinals,
      anyCweStarts: anyCwe.starts,
      anyCweOrdinals: anyCwe.ordinals,
    },
  })
}

function encodePostings<K extends string | number>(row: Uint32Array, keysOf: (row: number) => Iterable<K>) {
  const lists = new Map<K, number[]>()
  row.forEach((one, ordinal) => {
    for (const key of keysOf(one)) {
      const list = lists.get(key)
      if (list) list.push(ordinal)
      else lists.set(key, [ordinal])
    }
  })
  const keys = [...lists.keys()].sort((a, b) => compareKeys(a, b, false))
  const starts = new Uint32Array(keys.length + 1)
  keys.forEach((key, at) => {
    starts[at + 1] = starts[at]! + lists.get(key)!.length
  })
  const ordinals = new Uint32Array(starts[keys.length]!)
  keys.forEach((key, at) => {
    ordinals.set(lists.get(key)!, starts[at])
  })
  return { keys, starts, ordinals }
}

/** @throws SnapshotError `malformed` */
export function decodeColumns(bytes: Uint8Array): Columns {
  const table = decodeTable(bytes)
  const row = column(table, 'row', 'u32')
  const count = row.length
  const columns: Columns = {
    count,
    row,
    published: column(table, 'published', 'f64'),
    updated: column(table, 'updated', 'f64'),
    score: column(table, 'score', 'f64'),
    severity: column(table, 'severity', 'u8'),
    flags: column(table, 'flags', 'u8'),
    assigner: decodePostings(table.about.assigners as string[], 'assigner'),
    primaryCwe: decodePostings(table.about.primaryCwes as number[], 'primaryCwe'),
    anyCwe: decodePostings(table.about.anyCwes as number[], 'anyCwe'),
  }
  const { published, updated, score, severity, flags } = columns
  if (![published, updated, score, severity, flags].every((values) => values.length === count)) {
    throw new SnapshotError('malformed', 'the columns are of different lengths')
  }
  return columns

  function decodePostings<K>(keys: K[], name: string): Postings<K> {
    const starts = column(table, `${name}Starts`, 'u32')
    const ordinals = column(table, `${name}Ordinals`, 'u32')
    const proper = Array.isArray(keys) && starts.length === keys.length + 1 && starts.at(-1) === ordinals.length
    if (!proper || ordinals.some((ordinal) => ordinal >= count)) {
      throw new SnapshotError('malformed', `the postings ${name} are damaged`)
    }
    return { keys: new Map(keys.map((key, at) => [key, at])), starts, ordinals }
  }
}
