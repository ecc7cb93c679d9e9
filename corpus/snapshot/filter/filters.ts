/** Converts the filters of a CVE list to constraints on ordinals. */

import { nameKey } from '../../model/affected/products.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import type { Severity } from '../../model/record.ts'
import { type DateBound, untilMs } from '../../model/values/date-bound.ts'
import { fold } from '../codec/fold.ts'
import type { CveSort } from '../cursor/order.ts'
import { cweNumber, FLAGS, SEVERITIES } from '../derive/facts.ts'
import { type Postings, postingsOf } from '../derive/postings.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { firstBelow, firstNotAbove } from './key-bounds.ts'
import { rowFinder } from './row-finder.ts'
import { FILTER_FLAGS, type KeyColumn, type SnapshotBits } from './snapshot-bits.ts'

/** The filters of a request. Time bounds are inclusive, in ms since the epoch. */
export interface CveFilters {
  q?: string | undefined
  severity?: readonly Severity[] | undefined
  kev?: boolean | undefined
  has_exploit?: boolean | undefined
  has_patch?: boolean | undefined
  has_detection?: boolean | undefined
  assigner?: string | undefined
  /** A weakness number, as the primary weakness or in any mapping (API 20.2). */
  cwe?: { number: number; scope: 'primary' | 'any' } | undefined
  /** Slug of a CNA; its names are joined by folding (rule 27). */
  cna?: string | undefined
  epss_min?: number | undefined
  published_since?: number | undefined
  published_until?: number | undefined
  updated_since?: number | undefined
  ids?: readonly CveId[] | undefined
}

/** Filters before normalization: original texts, dates as days or instants, a weakness as `cwe-79`. */
export interface GivenFilters extends Omit<CveFilters, 'cwe' | 'cna' | TimeFilter> {
  cwe?: string | undefined
  published_since?: DateBound | undefined
  published_until?: DateBound | undefined
  updated_since?: DateBound | undefined
}
type TimeFilter = 'published_since' | 'published_until' | 'updated_since'

/**
 * Returns filters in the canonical form of cursors, where key order matters. `severity` and `ids` must be free of
 * duplicates; `severity` sorted by band, worst first.
 */
export function canonicalFilters(given: GivenFilters): CveFilters {
  return {
    q: given.q && fold(given.q),
    severity: given.severity,
    kev: given.kev,
    has_exploit: given.has_exploit,
    has_patch: given.has_patch,
    has_detection: given.has_detection,
    assigner: given.assigner && fold(given.assigner),
    cwe: given.cwe === undefined ? undefined : { number: cweNumber(given.cwe), scope: 'primary' },
    epss_min: given.epss_min,
    published_since: given.published_since?.ms,
    published_until: given.published_until && untilMs(given.published_until),
    updated_since: given.updated_since?.ms,
    ids: given.ids && [...given.ids].sort(),
  }
}

export type Constraint =
  /** These ordinals, ascending. When `column` is set, they are those with `key` in it. */
  | { kind: 'list'; ordinals: Uint32Array; column: KeyColumn | null; key: number }
  /** The ordinals with flags equal to `value` under `mask`. */
  | { kind: 'flags'; mask: number; value: number }
  | { kind: 'severity'; codes: readonly number[] }
  /** The ordinals at positions `from` up to `to` of a descending order. */
  | { kind: 'stretch'; sort: CveSort; from: number; to: number }

/**
 * Returns the constraints of `filters`; a CVE must pass all. `matches` are the matches of `q`, when given. Out-of-range
 * bounds and unknown names match nothing, without an error (rule 4).
 */
export function constraintsOf(
  snapshot: CveTables,
  bits: SnapshotBits,
  filters: CveFilters,
  matches: Uint32Array | null,
): Constraint[] {
  const { columns } = snapshot
  const constraints: Constraint[] = []
  if (matches) constraints.push(list(matches))
  if (filters.ids) constraints.push(list(ordinalsOfIds(snapshot, filters.ids)))
  if (filters.cwe) {
    const { number, scope } = filters.cwe
    if (scope === 'any') constraints.push(list(postingsOf(columns.anyCwe, number)))
    else constraints.push(keyed(columns.primaryCwe, number, bits.primaryCwe()))
  }
  if (filters.cna !== undefined) constraints.push(list(ordinalsOfCna(snapshot, filters.cna)))
  if (filters.assigner !== undefined) {
    constraints.push(keyed(columns.assigner, fold(filters.assigner), bits.assigner()))
  }
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
  const { epss_min: least, updated_since: updatedSince, published_since: since, published_until: until } = filters
  if (least !== undefined) constraints.push(range('epss', 0, firstBelow(snapshot, 'epss', least)))
  if (updatedSince !== undefined) constraints.push(range('updated', 0, firstBelow(snapshot, 'updated', updatedSince)))
  if (since !== undefined || until !== undefined) {
    const from = until === undefined ? 0 : firstNotAbove(snapshot, 'published', until)
    const to = since === undefined ? snapshot.orders.published.keyed : firstBelow(snapshot, 'published', since)
    constraints.push(range('published', from, to))
  }
  return constraints
}

function list(ordinals: Uint32Array): Constraint {
  return { kind: 'list', ordinals, column: null, key: 0 }
}

/** Returns the constraint of a key. Each ordinal has at most one key. */
function keyed<K>(postings: Postings<K>, key: K, column: KeyColumn): Constraint {
  const at = postings.keys.get(key) ?? -1
  return { kind: 'list', ordinals: postingsOf(postings, key), column, key: at + 1 }
}

function range(sort: CveSort, from: number, to: number): Constraint {
  return { kind: 'stretch', sort, from, to: Math.max(from, to) }
}

function ordinalsOfCna({ columns }: CveTables, slug: string): Uint32Array {
  const names = columns.assigner.keys.keys().filter((name) => nameKey(name) === slug)
  const lists = Array.from(names, (name) => postingsOf(columns.assigner, name))
  return lists.length === 1 ? lists[0]! : Uint32Array.from(lists.flatMap((list) => [...list])).sort()
}

/** Returns ordinals, ascending. Ignores ids that the snapshot does not have. */
function ordinalsOfIds(snapshot: CveTables, ids: readonly CveId[]): Uint32Array {
  const rowOf = rowFinder(snapshot)
  const ordinals = new Uint32Array(ids.length)
  let known = 0
  for (const id of ids) {
    const row = rowOf(id)
    if (row >= 0) ordinals[known++] = snapshot.ordinalOfRow[row]!
  }
  return ordinals.subarray(0, known).sort()
}
