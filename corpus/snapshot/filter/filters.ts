/** The filters of a CVE list, their canonical form, and the constraints that they put on a CVE. */
import { nameKey } from '../../model/affected/products.ts'
import { type ChangeDays, DEFAULT_CHANGE_DAYS } from '../../model/epss/changes.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import type { RecordState, RecordTag, Severity } from '../../model/record.ts'
import { type DateBound, untilMs } from '../../model/values/date-bound.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { fold } from '../codec/fold.ts'
import { type CveSort, changeSort, isStored } from '../cursor/order.ts'
import { FACET_NAMES, type FACETS, type FacetName } from '../derive/facets.ts'
import { cweNumber, type FLAGS } from '../derive/facts.ts'
import { findRow } from '../derive/index-table.ts'
import { postingsOf } from '../derive/postings.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { fromBillionths } from '../record/epss.ts'
import { lowerBound } from './lower-bound.ts'
import { sortKey } from './order-view.ts'

/** The filters of a request. Time bounds are inclusive, in ms since the epoch. */
export interface CveFilters extends FacetFilters {
  q?: string | undefined
  /** Words, all of which match. */
  text?: string | undefined
  severity?: readonly (Severity | 'unscored')[] | undefined
  kev?: boolean | undefined
  has_exploit?: boolean | undefined
  has_patch?: boolean | undefined
  has_detection?: boolean | undefined
  has_workaround?: boolean | undefined
  state?: RecordState | undefined
  /** A tag that the CNA states. */
  tag?: RecordTag | undefined
  assigner?: string | undefined
  /** A weakness number, as the primary weakness or in any mapping (API 20.2). */
  cwe?: { number: number; scope: 'primary' | 'any' } | undefined
  /** Key of a vendor, as in the list of vendors. */
  vendor?: string | undefined
  /** `<vendor>/<product>`, the id in the list of products. */
  product?: string | undefined
  /** `<ecosystem>/<name>`, the id in the list of packages. */
  package?: string | undefined
  /** Slug of a CNA; its names are joined by folding (rule 27). */
  cna?: string | undefined
  cvss_min?: number | undefined
  cvss_max?: number | undefined
  epss_min?: number | undefined
  /** The EPSS score is less. */
  epss_below?: number | undefined
  /** The EPSS score rose by at least this much over the days. */
  epss_change_min?: { least: number; days: ChangeDays } | undefined
  published_since?: number | undefined
  published_until?: number | undefined
  updated_since?: number | undefined
  /** The CVE was added to the KEV catalog then or later. */
  kev_since?: number | undefined
  ids?: readonly CveId[] | undefined
}

/** Values of facets; a CVE has one of them. */
export type FacetFilters = { [Name in FacetName]?: readonly (typeof FACETS)[Name]['values'][number][] | undefined }

/** Filters before normalization: original texts, dates as days or instants, a weakness as `cwe-79`. */
export interface GivenFilters extends Omit<CveFilters, 'cwe' | 'cna' | 'epss_change_min' | TimeFilter> {
  cwe?: string | undefined
  epss_change_min?: number | undefined
  epss_change_days?: ChangeDays | undefined
  published_since?: DateBound | undefined
  published_until?: DateBound | undefined
  updated_since?: DateBound | undefined
  kev_since?: DateBound | undefined
}
type TimeFilter = 'published_since' | 'published_until' | 'updated_since' | 'kev_since'

/**
 * Returns filters in the canonical form of cursors, where key order matters. `severity` and `ids` must be free of
 * duplicates; `severity` sorted by band, worst first.
 */
export function canonicalFilters(given: GivenFilters): CveFilters {
  return {
    q: given.q && fold(given.q),
    text: given.text && fold(given.text),
    severity: given.severity,
    kev: given.kev,
    has_exploit: given.has_exploit,
    has_patch: given.has_patch,
    has_detection: given.has_detection,
    has_workaround: given.has_workaround,
    state: given.state,
    ssvc_exploitation: given.ssvc_exploitation,
    ssvc_automatable: given.ssvc_automatable,
    ssvc_decision: given.ssvc_decision,
    attack_vector: given.attack_vector,
    privileges_required: given.privileges_required,
    user_interaction: given.user_interaction,
    tag: given.tag,
    assigner: given.assigner && fold(given.assigner),
    cwe: given.cwe === undefined ? undefined : { number: cweNumber(given.cwe), scope: 'primary' },
    vendor: given.vendor,
    product: given.product,
    package: given.package,
    cvss_min: given.cvss_min,
    cvss_max: given.cvss_max,
    epss_min: given.epss_min,
    epss_below: given.epss_below,
    epss_change_min:
      given.epss_change_min === undefined
        ? undefined
        : { least: given.epss_change_min, days: given.epss_change_days ?? DEFAULT_CHANGE_DAYS },
    published_since: given.published_since?.ms,
    published_until: given.published_until && untilMs(given.published_until),
    updated_since: given.updated_since?.ms,
    kev_since: given.kev_since?.ms,
    ids: given.ids && [...given.ids].sort(),
  }
}

export type Constraint =
  | { kind: 'flag'; flag: keyof typeof FLAGS; wanted: boolean }
  | { kind: 'severity'; bands: readonly (Severity | 'unscored')[] }
  | { kind: 'facet'; facet: FacetName; values: readonly string[] }
  | ListConstraint
  | RangeConstraint

/** The CVEs of a posting list. */
export interface ListConstraint {
  kind: 'list'
  /** Identifies the list in its snapshot. A function, because most lists need no name and some names are long. */
  name(): string
  /** Ascending. */
  ordinals: Uint32Array
  /** Those of `ordinals` within the requested time of publication, which is also a constraint of its own. */
  published: Uint32Array
}

/** The CVEs at positions `from` up to, not including, `to` of a descending order. */
export interface RangeConstraint {
  kind: 'range'
  sort: CveSort
  from: number
  to: number
}

/** Returns a key of a constraint, unique in its snapshot. */
export function nameOf(constraint: Constraint): string {
  switch (constraint.kind) {
    case 'flag':
      return `${constraint.flag}=${constraint.wanted}`
    case 'severity':
      return `severity=${constraint.bands}`
    case 'facet':
      return `${constraint.facet}=${constraint.values}`
    case 'list':
      return constraint.name()
    case 'range':
      return `${constraint.sort}=${constraint.from}-${constraint.to}`
  }
}

/** Filters whose values are keys of posting lists in the columns of the same name. */
const NAMED = ['vendor', 'product', 'package'] as const

export const FILTER_FLAGS = ['kev', 'has_exploit', 'has_patch', 'has_detection', 'has_workaround'] as const

/**
 * Returns the constraints of `filters`. `matches` are the ordinals that match `q` and `text`, ascending; null without both.
 * Out-of-range bounds and unknown names match nothing, without an error (rule 4).
 */
export function constraintsOf(snapshot: CveTables, filters: CveFilters, matches: Uint32Array | null): Constraint[] {
  const { columns } = snapshot
  const { ids, cwe, cna, assigner, tag, state, severity, updated_since: updatedSince } = filters
  const published = publicationRange(snapshot, filters)
  const constraints: Constraint[] = published ? [published] : []
  const list = (name: () => string, ordinals: Uint32Array): void => {
    // Ordinals are positions in the order of publication.
    const { from, to } = published ?? { from: 0, to: columns.count }
    const cut = ordinals.subarray(lowerBound(ordinals, from), lowerBound(ordinals, to))
    constraints.push({ kind: 'list', name, ordinals, published: cut })
  }
  if (matches) list(() => `q=${filters.q} text=${filters.text}`, matches)
  if (ids) list(() => `ids=${ids}`, ordinalsOfIds(snapshot, ids))
  if (cwe) {
    const postings = cwe.scope === 'any' ? columns.anyCwe : columns.primaryCwe
    list(() => `${cwe.scope} cwe=${cwe.number}`, postingsOf(postings, cwe.number))
  }
  if (cna !== undefined) list(() => `cna=${cna}`, ordinalsOfCna(snapshot, cna))
  if (assigner !== undefined) list(() => `assigner=${assigner}`, postingsOf(columns.assigner, assigner))
  if (tag !== undefined) list(() => `tag=${tag}`, postingsOf(columns.tag, tag))
  const { kev_since: listedSince } = filters
  if (listedSince !== undefined) list(() => `kev_since=${listedSince}`, listedFrom(columns, listedSince))
  for (const name of NAMED) {
    const key = filters[name]
    if (key === undefined) continue
    // The gateway has all of them; the reader loads those that the filters need.
    list(() => `${name}=${key}`, columns[name]!.of(key))
  }
  for (const flag of FILTER_FLAGS) {
    const wanted = filters[flag]
    if (wanted !== undefined) constraints.push({ kind: 'flag', flag, wanted })
  }
  if (state !== undefined) constraints.push({ kind: 'flag', flag: 'reserved', wanted: state === 'RESERVED' })
  if (severity) constraints.push({ kind: 'severity', bands: severity })
  for (const facet of FACET_NAMES) {
    const values = filters[facet]
    if (values) constraints.push({ kind: 'facet', facet, values })
  }
  const scores = scoreRange(snapshot, filters)
  if (scores) constraints.push(scores)
  const probabilities = epssRange(snapshot, filters)
  if (probabilities) constraints.push(probabilities)
  const { epss_change_min: change } = filters
  if (change) {
    const sort = changeSort(change.days)
    constraints.push(range(sort, 0, firstBelow(snapshot, sort, change.least)))
  }
  if (updatedSince !== undefined) {
    constraints.push(range('updated', 0, firstBelow(snapshot, 'updated', updatedSince)))
  }
  return constraints
}

function publicationRange(
  snapshot: CveTables,
  { published_since: since, published_until: until }: CveFilters,
): RangeConstraint | null {
  if (since === undefined && until === undefined) return null
  const { keyed } = snapshot.orders.published
  // Dates are whole milliseconds.
  const from = until === undefined ? 0 : firstBelow(snapshot, 'published', until + 1)
  const to = since === undefined ? keyed : firstBelow(snapshot, 'published', since)
  return range('published', from, to)
}

function scoreRange(snapshot: CveTables, { cvss_min: least, cvss_max: most }: CveFilters): RangeConstraint | null {
  if (least === undefined && most === undefined) return null
  const from = most === undefined ? 0 : firstBelow(snapshot, 'cvss', most, true)
  const to = least === undefined ? snapshot.orders.cvss.keyed : firstBelow(snapshot, 'cvss', least)
  return range('cvss', from, to)
}

function epssRange(snapshot: CveTables, { epss_min: least, epss_below: below }: CveFilters): RangeConstraint | null {
  if (least === undefined && below === undefined) return null
  const from = below === undefined ? 0 : firstBelow(snapshot, 'epss', below)
  const to = least === undefined ? snapshot.orders.epss.keyed : firstBelow(snapshot, 'epss', least)
  return range('epss', from, to)
}

function listedFrom({ kev }: CveTables['columns'], since: number): Uint32Array {
  return kev.ordinals.filter((_, i) => kev.added[i]! >= since)
}

const range = (sort: CveSort, from: number, to: number): RangeConstraint => {
  return { kind: 'range', sort, from, to: Math.max(from, to) }
}

/**
 * Returns the first position of a descending order with a key below `bound`, or at it. Never counts positions without a
 * key.
 */
export function firstBelow(snapshot: CveTables, sort: CveSort, bound: number, orEqual = false): number {
  const { ordinals, keyed } = snapshot.orders[sort]
  const isEpss = sort === 'epss' || !isStored(sort)
  return partitionPoint(keyed, (position) => {
    const value = sortKey(snapshot, sort, ordinals[position]!)!
    const key = isEpss ? fromBillionths(value) : value
    return key < bound || (orEqual && key === bound)
  })
}

function ordinalsOfCna({ columns }: CveTables, slug: string): Uint32Array {
  const names = columns.assigner.keys.keys().filter((name) => nameKey(name) === slug)
  const lists = Array.from(names, (name) => postingsOf(columns.assigner, name))
  return lists.length === 1 ? lists[0]! : Uint32Array.from(lists.flatMap((list) => [...list])).sort()
}

/** Returns ordinals, ascending. Ignores ids that the snapshot does not have. */
function ordinalsOfIds(snapshot: CveTables, ids: readonly CveId[]): Uint32Array {
  const ordinals = new Uint32Array(ids.length)
  let known = 0
  for (const id of ids) {
    const row = findRow(snapshot.index, id)
    if (row >= 0) ordinals[known++] = snapshot.ordinalOfRow[row]!
  }
  return ordinals.subarray(0, known).sort()
}
