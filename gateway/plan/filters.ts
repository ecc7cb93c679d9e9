/** The filters of a list of CVEs as constraints on ordinals: what each lets through, and how dearly it is found out. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { nameKey } from '../../corpus/model/products.ts'
import type { Severity } from '../../corpus/model/record.ts'
import { SEVERITIES } from '../../corpus/snapshot/derive/columns.ts'
import { FLAGS } from '../../corpus/snapshot/derive/gather.ts'
import { findRow } from '../../corpus/snapshot/derive/index-table.ts'
import { type Postings, postingsOf } from '../../corpus/snapshot/derive/postings.ts'
import { fromBillionths } from '../../corpus/snapshot/epss.ts'
import { fold } from '../../corpus/snapshot/fold.ts'
import type { CveSort } from '../../corpus/snapshot/order.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { firstWhere } from './places.ts'
import { FILTER_FLAGS, type KeyColumn, type SnapshotBits } from './snapshot-bits.ts'

/** What a client filters by; bounds on times are inclusive, in ms since the epoch. */
export interface CveFilters {
  q?: string | undefined
  severity?: readonly Severity[] | undefined
  kev?: boolean | undefined
  has_exploit?: boolean | undefined
  has_patch?: boolean | undefined
  has_detection?: boolean | undefined
  assigner?: string | undefined
  /** A weakness by its number: as the primary one, or in any mapping (api.md, `scope`). */
  cwe?: { number: number; scope: 'primary' | 'any' } | undefined
  /** Slug of a CNA, whose names are joined by folding (decisions 27). */
  cna?: string | undefined
  epss_min?: number | undefined
  published_since?: number | undefined
  published_until?: number | undefined
  updated_since?: number | undefined
  ids?: readonly CveId[] | undefined
}

/** What a filter lets through. */
export type Constraint =
  /** These ordinals, ascending; where there is a `column`, those that have `key` in it. */
  | { kind: 'list'; ordinals: Uint32Array; column: KeyColumn | null; key: number }
  /** The ordinals whose flags are `value` where `mask` is 1. */
  | { kind: 'flags'; mask: number; value: number }
  /** Places in `SEVERITIES`. */
  | { kind: 'severity'; codes: readonly number[] }
  /** The ordinals at places `from` to `to` of a descending order. */
  | { kind: 'stretch'; sort: CveSort; from: number; to: number }

/**
 * The constraints of `filters`, all of which must hold. `matches` are the ordinals that `q` matches, where it is given.
 * Bounds outside everything, unknown names and the like let nothing through; they are no errors (decisions 4).
 */
export function constraintsOf(
  snapshot: OpenSnapshot,
  bits: SnapshotBits,
  filters: CveFilters,
  matches: Uint32Array | null,
): Constraint[] {
  const { columns } = snapshot
  const constraints: Constraint[] = []
  const list = (ordinals: Uint32Array) => constraints.push({ kind: 'list', ordinals, column: null, key: 0 })
  /** What has a key, of which each ordinal has one at most. */
  const keyed = <K>(postings: Postings<K>, key: K, column: KeyColumn) => {
    const at = postings.keys.get(key)
    constraints.push({ kind: 'list', ordinals: postingsOf(postings, key), column, key: (at ?? -1) + 1 })
  }
  const stretch = (sort: CveSort, from: number, to: number) =>
    constraints.push({ kind: 'stretch', sort, from, to: Math.max(from, to) })

  if (matches) list(matches)
  if (filters.ids) list(ordinalsOfIds(snapshot, filters.ids))
  if (filters.cwe) {
    if (filters.cwe.scope === 'any') list(postingsOf(columns.anyCwe, filters.cwe.number))
    else keyed(columns.primaryCwe, filters.cwe.number, bits.primaryCwe())
  }
  if (filters.cna !== undefined) list(ordinalsOfCna(snapshot, filters.cna))
  if (filters.assigner !== undefined) keyed(columns.assigner, fold(filters.assigner), bits.assigner())
  let mask = 0
  let value = 0
  for (const name of FILTER_FLAGS) {
    const wanted = filters[name]
    if (wanted === undefined) continue
    mask |= FLAGS[name]
    if (wanted) value |= FLAGS[name]
  }
  if (mask !== 0) constraints.push({ kind: 'flags', mask, value })
  if (filters.severity) {
    constraints.push({ kind: 'severity', codes: filters.severity.map((band) => SEVERITIES.indexOf(band)) })
  }
  if (filters.epss_min !== undefined) {
    const least = filters.epss_min
    stretch(
      'epss',
      0,
      firstBelow(snapshot, 'epss', (key) => fromBillionths(key) < least),
    )
  }
  if (filters.updated_since !== undefined) {
    const since = filters.updated_since
    stretch(
      'updated',
      0,
      firstBelow(snapshot, 'updated', (key) => key < since),
    )
  }
  if (filters.published_since !== undefined || filters.published_until !== undefined) {
    const { published_since: since = Number.NEGATIVE_INFINITY, published_until: until = Number.POSITIVE_INFINITY } =
      filters
    const from = firstBelow(snapshot, 'published', (key) => key <= until)
    stretch(
      'published',
      from,
      firstBelow(snapshot, 'published', (key) => key < since),
    )
  }
  return constraints
}

/** The first place of a descending order from which on `isBelow` holds of the keys; those without a key never count. */
function firstBelow(snapshot: OpenSnapshot, sort: CveSort, isBelow: (key: number) => boolean): number {
  const { ordinals, keyed } = snapshot.orders[sort]
  const { columns, epss } = snapshot
  const keyOf = (ordinal: number) =>
    sort === 'epss' ? epss.scores[columns.row[ordinal]!]! : columns[sort as 'published' | 'updated'][ordinal]!
  return firstWhere(keyed, (place) => isBelow(keyOf(ordinals[place]!)))
}

/** The ordinals of all assigners whose name folds to a slug. */
function ordinalsOfCna({ columns }: OpenSnapshot, slug: string): Uint32Array {
  const names = columns.assigner.keys.keys().filter((name) => nameKey(name) === slug)
  const lists = Array.from(names, (name) => postingsOf(columns.assigner, name))
  return lists.length === 1 ? lists[0]! : Uint32Array.from(lists.flatMap((list) => [...list])).sort()
}

function ordinalsOfIds(snapshot: OpenSnapshot, ids: readonly CveId[]): Uint32Array {
  const rows = ids.map((id) => findRow(snapshot.index, id)).filter((row) => row >= 0)
  return Uint32Array.from(rows, (row) => snapshot.ordinalOfRow[row]!).sort()
}
