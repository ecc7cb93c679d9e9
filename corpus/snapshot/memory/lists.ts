/** The lists of an open snapshot. */
import { generationalCache } from '../../runtime/generational-cache.ts'
import {
  LISTS,
  type ListData,
  type ListName,
  type ListRequest,
  listOrderView,
  type Piece,
  passingPositions,
  plainBytes,
  type ReadMember,
  ROWS_KIND,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  SnapshotError,
  type SplicedSegment,
  sliceAfter,
  spliced,
} from '../index.ts'
import { MEMORY_BYTES } from './bounds.ts'
import type { OpenList, OpenLists } from './open-lists.ts'

/** Overhead of an entry of a cache. */
const ENTRY_BYTES = 300

export function memoryLists(lists: OpenLists): Record<ListName, ListData> {
  /** Clients use the same filters on every page. */
  const walks = generationalCache<string, Uint32Array>(
    MEMORY_BYTES.listWalks,
    (positions, key) => positions.byteLength + key.length * 2 + ENTRY_BYTES,
  )
  /** Texts of segments. Without the cache, each row would inflate its segment again. */
  const texts = generationalCache<string, readonly string[]>(MEMORY_BYTES.listRows, (rows) =>
    rows.reduce((bytes, text) => bytes + text.length * 2, ENTRY_BYTES),
  )

  /** Ascending; null if all rows pass. */
  function passing(list: OpenList, { sort, filters, matches }: ListRequest): Uint32Array | null {
    const key = JSON.stringify([list.name, sort, filters])
    const known = walks.get(key)
    if (known) return known
    const positions = passingPositions(list, listOrderView(list, sort), filters, matches)
    if (positions) walks.set(key, positions)
    return positions
  }

  /** Returns the JSON of a row. The ordinal is the position in the main order. */
  function rowText(list: OpenList, ordinal: number): string {
    const segment = Math.floor(ordinal / ROWS_PER_SEGMENT)
    const key = `${list.name} ${segment}`
    let rows = texts.get(key)
    if (!rows) {
      const position = segment * ROWS_PER_SEGMENT
      const member = list.page(LISTS[list.name].main, Math.floor(position / ROWS_PER_PAGE))
      rows = rowTextsOf(member, (position % ROWS_PER_PAGE) / ROWS_PER_SEGMENT)
      texts.set(key, rows)
    }
    const text = rows[ordinal % ROWS_PER_SEGMENT]
    if (text === undefined) throw new SnapshotError('malformed', `${list.name} has no row ${ordinal}`)
    return text
  }

  const dataOf = (list: OpenList): ListData => ({
    *slice(request) {
      const { sort, after, limit } = request
      const order = listOrderView(list, sort)
      const { positions } = list.orders[sort.key]!
      const passes = passing(list, request)
      const { start, end, count, ordinals } = sliceAfter(order, passes, after, limit)
      const last = ordinals.at(-1)
      return {
        ordinals,
        positions: ordinals.map((ordinal) => positions[ordinal]!),
        start: passes === null && order.stored ? start : null,
        count,
        next: end < count && last !== undefined ? order.keyOf(last) : null,
      }
    },
    *pieces(sort, segments) {
      const pieces: Piece[] = []
      for (const { page, segment } of segments) {
        if (pieces.length > 0) pieces.push(',')
        pieces.push(rowsSegment(list.page(sort, page), segment))
      }
      return pieces
    },
    *rows(_sort, { ordinals }) {
      return ordinals!.map((ordinal) => rowText(list, ordinal))
    },
    *row(id) {
      const ordinal = list.ordinalOf(id)
      return ordinal === undefined ? null : { id: list.id(ordinal), ordinal, text: rowText(list, ordinal) }
    },
    *entry(of) {
      const ordinal = typeof of === 'string' ? list.ordinalOf(of) : of.ordinal
      return ordinal === undefined ? null : list.entry(ordinal)
    },
    *extra() {
      return list.extra
    },
  })
  return Object.fromEntries(Object.values(lists).map((list) => [list.name, dataOf(list)])) as Record<ListName, ListData>
}

function rowsSegment(member: ReadMember, at: number): SplicedSegment {
  const segment = member.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${member.key} has no segment ${at}`)
  return spliced(member, segment)
}

/**
 * Returns the rows of a segment of a page as JSON, each.
 * @throws SnapshotError
 */
export function rowTextsOf(member: ReadMember, at: number): string[] {
  const segment = member.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${member.key} has no segment ${at}`)
  const rows = JSON.parse(`[${plainBytes(member.bytes, segment).toString()}]`) as object[]
  return rows.map((row) => JSON.stringify(row))
}
