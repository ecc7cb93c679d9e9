/** A view of a list's order in one direction: positions count from first to last in that direction (rule 6). */
import { partitionPoint } from '../../model/values/partition-point.ts'
import { cursorId, cursorValue, type RowKey } from '../cursor/cursor.ts'
import { compareRowKeys, specOf } from '../cursor/lists.ts'
import type { SortOrder } from '../cursor/order.ts'
import type { List } from '../derive/list-view.ts'
import { reversedPosition } from './lower-bound.ts'

export interface ListOrderView {
  count: number
  /** Whether page shards use this direction. */
  stored: boolean
  ordinal(position: number): number
  position(ordinal: number): number
  keyOf(ordinal: number): RowKey
  /** `key` need not exist. */
  positionAfter(key: RowKey): number
}

export function listOrderView(list: List, sort: SortOrder): ListOrderView {
  const spec = specOf(list.name)
  const { descending: storedDescending } = spec.sorts[sort.key]!
  const { ordinals, positions, keyed, keys } = list.orders[sort.key]!
  const { count } = list
  const stored = sort.descending === storedDescending
  const turned = (position: number) => reversedPosition(position, keyed, count)
  const keyOf = (ordinal: number): RowKey => ({
    value: cursorValue(keys.at(ordinal) ?? null),
    id: cursorId(list.id(ordinal)),
  })
  const view: ListOrderView = {
    count,
    stored,
    ordinal: stored ? (position) => ordinals[position]! : (position) => ordinals[turned(position)]!,
    position(ordinal) {
      const position = positions[ordinal]!
      return stored ? position : turned(position)
    },
    keyOf,
    positionAfter(key) {
      // Truncated ids cannot be compared and need a lookup.
      const known = list.ordinalOfCut(key.id)
      if (known !== undefined && keyOf(known).value === key.value) return view.position(known) + 1
      return partitionPoint(count, (position) => {
        const at = keyOf(view.ordinal(position))
        return compareRowKeys(spec, spec.sorts[sort.key]!, sort.descending, at, key) > 0
      })
    },
  }
  return view
}
