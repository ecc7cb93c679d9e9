/**
 * Columns: the values that filters test, and posting lists for sparse ones. SPEC.md, "Columns". An *ordinal* is a
 * position in order of publication, newest first; a *row* in id order.
 */

import { RECORD_TAGS } from '../../model/record.ts'
import { fold } from '../codec/fold.ts'
import { column, decodeTable, encodeTable, type Table } from '../codec/table.ts'
import { compareKeys } from '../cursor/order.ts'
import { SnapshotError } from '../error.ts'
import { decodePostings, encodePostings, type NamedPostings, type Postings } from './postings.ts'
import { type Rows, weaknessesOf } from './rows.ts'

export interface Columns {
  count: number
  row: Uint32Array
  published: Float64Array
  updated: Float64Array
  score: Float64Array
  severity: Uint8Array
  flags: Uint8Array
  /** Packed facets (facets.ts). */
  ssvc: Uint8Array
  exposure: Uint8Array
  /** The CVEs of the KEV catalog, ascending, and the day of each listing. */
  kev: { ordinals: Uint32Array; added: Float64Array }
  assigner: Postings<string>
  primaryCwe: Postings<number>
  anyCwe: Postings<number>
  tag: Postings<string>
  /**
   * The keys are the ids of the lists `vendors`, `products` and `packages`. Null until the lists are open.
   */
  vendor: NamedPostings | null
  product: NamedPostings | null
  package: NamedPostings | null
}

/**
 * Returns positions sorted by `keys`, descending; NaN is null and sorts last. `ids` breaks ties, so the order is total.
 */
export function sortDescending(keys: Float64Array, ids: (position: number) => number): Uint32Array {
  const positions = Uint32Array.from(keys, (_key, position) => position)
  const keyOf = (position: number) => (Number.isNaN(keys[position]!) ? null : keys[position]!)
  return positions.sort((a, b) => compareKeys(keyOf(a), keyOf(b), true) || ids(b) - ids(a))
}

export function encodeColumns(rows: Rows): Buffer {
  const row = sortDescending(rows.published, (position) => position)
  const pick = <T extends Float64Array | Uint8Array>(values: T, out: T): T => {
    for (let ordinal = 0; ordinal < row.length; ordinal++) out[ordinal] = values[row[ordinal]!]!
    return out
  }
  const kevAdded = pick(rows.kevAdded, new Float64Array(rows.count))
  const listed = Uint32Array.from(kevAdded.keys()).filter((ordinal) => !Number.isNaN(kevAdded[ordinal]!))
  const folded = rows.assigners.map(fold)
  const assigner = encodePostings(row, (one) => folded.slice(rows.assigner[one]!, rows.assigner[one]! + 1))
  const primaryCwe = encodePostings(row, (one) => (rows.primaryCwe[one] ? [rows.primaryCwe[one]!] : []))
  const anyCwe = encodePostings(row, (one) => weaknessesOf(rows, one))
  const tag = encodePostings(row, (one) => RECORD_TAGS.filter((_, bit) => rows.tags[one]! & (1 << bit)))
  return encodeTable({
    about: { assigners: assigner.keys, primaryCwes: primaryCwe.keys, anyCwes: anyCwe.keys, tags: tag.keys },
    columns: {
      row,
      published: pick(rows.published, new Float64Array(rows.count)),
      updated: pick(rows.updated, new Float64Array(rows.count)),
      score: pick(rows.score, new Float64Array(rows.count)),
      severity: pick(rows.severity, new Uint8Array(rows.count)),
      flags: pick(rows.flags, new Uint8Array(rows.count)),
      ssvc: pick(rows.ssvc, new Uint8Array(rows.count)),
      exposure: pick(rows.exposure, new Uint8Array(rows.count)),
      'kev.ordinals': listed,
      'kev.added': Float64Array.from(listed, (ordinal) => kevAdded[ordinal]!),
      'assigner.starts': assigner.starts,
      'assigner.ordinals': assigner.ordinals,
      'primaryCwe.starts': primaryCwe.starts,
      'primaryCwe.ordinals': primaryCwe.ordinals,
      'anyCwe.starts': anyCwe.starts,
      'anyCwe.ordinals': anyCwe.ordinals,
      'tag.starts': tag.starts,
      'tag.ordinals': tag.ordinals,
    },
  })
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
    ssvc: column(table, 'ssvc', 'u8'),
    exposure: column(table, 'exposure', 'u8'),
    kev: decodeKev(table, count),
    assigner: decodePostings(table, table.about.assigners as string[], 'assigner.', count),
    primaryCwe: decodePostings(table, table.about.primaryCwes as number[], 'primaryCwe.', count),
    anyCwe: decodePostings(table, table.about.anyCwes as number[], 'anyCwe.', count),
    tag: decodePostings(table, table.about.tags as string[], 'tag.', count),
    vendor: null,
    product: null,
    package: null,
  }
  const { published, updated, score, severity, flags, ssvc, exposure } = columns
  if (![published, updated, score, severity, flags, ssvc, exposure].every((values) => values.length === count)) {
    throw new SnapshotError('malformed', 'the columns have different lengths')
  }
  return columns
}

function decodeKev(table: Table, count: number): Columns['kev'] {
  const ordinals = column(table, 'kev.ordinals', 'u32')
  const added = column(table, 'kev.added', 'f64')
  const ascends = ordinals.every((ordinal, i) => ordinal < count && (i === 0 || ordinal > ordinals[i - 1]!))
  if (ascends && added.length === ordinals.length) return { ordinals, added }
  throw new SnapshotError('malformed', 'the dates of the KEV catalog are damaged')
}
