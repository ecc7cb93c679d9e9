/** The filters of a list of CVEs as constraints on ordinals: what each lets through, and how dearly it is found out. */
import type { CveId } from '../../corpus/model/cve-id.ts'
import { nameKey } from '../../corpus/model/products.ts'
import type { Severity } from '../../corpus/model/record.ts'
import { SEVERITIES } from '../../corpus/snapshot/derive/columns.ts'
import { FLAGS } from '../../corpus/snapshot/derive/gather.ts'
import { findRow } from '../../corpus/snapshot/derive/index-table.ts'
import { postingsOf } from '../../corpus/snapshot/derive/postings.ts'
import { fromBillionths } from '../../corpus/snapshot/epss.ts'
import { fold } from '../../corpus/snapshot/fold.ts'
import type { CveSort } from '../../corpus/snapshot/order.ts'
import type { OpenSnapshot } from '../shelf/open-snapshot.ts'
import { type Bits, emptyBits, invertBits, uniteBits } from './bits.ts'
import { firstWhere } from './places.ts'
import type { SnapshotBits } from './snapshot-bits.ts'

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
  /** These ordinals, ascending. */
  | { kind: 'list'; ordinals: Uint32Array }
  | { kind: 'bits'; bits: Bits }
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
  const list = (ordinals: Uint32Array) => constraints.push({ kind: 'list', ordinals })
  const stretch = (sort: CveSort, from: number, to: number) =>
    constraints.push({ kind: 'stretch', sort, from, to: Math.max(from, to) })

  if (matches) list(matches)
  if (filters.ids) list(ordinalsOfIds(snapshot, filters.ids))
  if (filters.cwe)
    list(postingsOf(filters.cwe.scope === 'any' ? columns.anyCwe : columns.primaryCwe, filters.cwe.number))
  if (filters.cna !== undefined) list(ordinalsOfCna(snapshot, filters.cna))
  if (filters.assigner !== undefined) list(postingsOf(columns.assigner, fold(filters.assigner)))
  for (const name of ['kev', 'has_exploit', 'has_patch', 'has_detection'] as const) {
    const wanted = filters[name]
    if (wanted === undefined) continue
    const flag = bits.flag(FLAGS[name])
    constraints.push({ kind: 'bits', bits: wanted ? flag : invertBits(flag, columns.count) })
  }
  if (filters.severity) {
    const any = emptyBits(columns.count)
    for (const band of filters.severity) uniteBits(any, bits.severity(SEVERITIES.indexOf(band)))
    constraints.push({ kind: 'bits', bits: any })
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
