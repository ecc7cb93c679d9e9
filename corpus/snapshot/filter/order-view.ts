/**
 * An order in one direction. It is stored descending with nulls last. Ascending, the rows with a key are reversed, then
 * those without (rule 6).
 */
import { type CveId, compareCveIds, parseCveId } from '../../model/ids/cve-id.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import type { RowKey } from '../cursor/cursor.ts'
import { bySort, CHANGE_SORTS, type CveSort, compareKeys } from '../cursor/order.ts'
import { findRow, idAt } from '../derive/index-table.ts'
import type { CveTables } from '../record/cve-tables.ts'
import { NO_EPSS } from '../record/epss.ts'
import { changeAt } from '../record/epss-changes.ts'
import { reversedPosition } from './lower-bound.ts'
import { perSnapshot } from './per-snapshot.ts'

export interface OrderView {
  sort: CveSort
  descending: boolean
  count: number
  keyed: number
  ordinal(position: number): number
  position(ordinal: number): number
  keyOf(ordinal: number): RowKey
  /** Returns the first position after `key`, even when its row no longer exists. */
  positionAfter(key: RowKey): number
}

const views = perSnapshot((snapshot) => ({
  descending: bySort((sort) => viewOf(snapshot, sort, true)),
  ascending: bySort((sort) => viewOf(snapshot, sort, false)),
}))

export function orderView(snapshot: CveTables, sort: CveSort, descending: boolean): OrderView {
  return views(snapshot)[descending ? 'descending' : 'ascending'][sort]
}

function viewOf(snapshot: CveTables, sort: CveSort, descending: boolean): OrderView {
  const { ordinals, keyed } = snapshot.orders[sort]
  const positions = snapshot.positions[sort]
  const count = ordinals.length
  const turned = (position: number) => reversedPosition(position, keyed, count)

  /** Compares an ordinal with a key. Builds ids only for equal values, because a search compares many. */
  function compareTo(ordinal: number, key: RowKey): number {
    const byValue = compareKeys(sortKey(snapshot, sort, ordinal), key.value, descending)
    if (byValue !== 0) return byValue
    const byId = compareCveIds(idAt(snapshot.index, snapshot.columns.row[ordinal]!), key.id as CveId)
    return descending ? -byId : byId
  }

  const view: OrderView = {
    sort,
    descending,
    count,
    keyed,
    ordinal: descending ? (position) => ordinals[position]! : (position) => ordinals[turned(position)]!,
    position: descending ? (ordinal) => positions[ordinal]! : (ordinal) => turned(positions[ordinal]!),
    keyOf: (ordinal) => ({
      value: sortKey(snapshot, sort, ordinal),
      id: idAt(snapshot.index, snapshot.columns.row[ordinal]!),
    }),
    positionAfter(key) {
      // Fast path: the row usually still exists with the same key.
      const row = findRow(snapshot.index, key.id as CveId)
      const known = row < 0 ? undefined : snapshot.ordinalOfRow[row]!
      if (known !== undefined && sortKey(snapshot, sort, known) === key.value) return view.position(known) + 1
      return partitionPoint(count, (position) => compareTo(view.ordinal(position), key) > 0)
    },
  }
  return view
}

/** Returns the sort value of a CVE: ms since the epoch, a CVSS score, or an EPSS score or its change in
 * billionths; null for none. */
export function sortKey({ columns, epss, changes }: CveTables, sort: CveSort, ordinal: number): number | null {
  switch (sort) {
    case 'published':
      return numberOrNull(columns.published[ordinal]!)
    case 'updated':
      return numberOrNull(columns.updated[ordinal]!)
    case 'cvss':
      return numberOrNull(columns.score[ordinal]!)
    case 'epss': {
      const score = epss.scores[columns.row[ordinal]!]!
      return score === NO_EPSS ? null : score
    }
    case 'epss_change_7':
    case 'epss_change_30':
      return changeAt(changes, CHANGE_SORTS[sort], columns.row[ordinal]!)
  }
}

/** Whether a CVE list could have issued a cursor with this key. */
export const isCveKey = ({ value, id }: RowKey): boolean => parseCveId(id) === id && typeof value !== 'string'

const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value)
