/** The CVEs of an open snapshot. */
import { type CveId, cveBlock } from '../../model/ids/cve-id.ts'
import type { CveFacts } from '../../model/packages/affected-row.ts'
import {
  bySort,
  type CveData,
  type CveOrder,
  type CveSort,
  changeAt,
  epssAt,
  FLAGS,
  findRow,
  historyIn,
  idAt,
  isStored,
  type OrderView,
  orderView,
  type Piece,
  type ReadMember,
  reversedPosition,
  SEVERITIES,
  SnapshotError,
  type SplicedSegment,
} from '../index.ts'
import { HELD_SORT, heldPage } from './hold.ts'
import type { OpenSnapshot } from './open-snapshot.ts'
import { gatheredRows } from './row-store.ts'

/** The parts of an open snapshot that its CVEs consist of. */
export type CveSources = Omit<OpenSnapshot, 'cves' | 'lists' | 'packages' | 'texts'>

export function memoryCves(snapshot: CveSources): CveData {
  const facts = (id: CveId) => factsOf(snapshot, id)
  const orders = bySort((sort) => ({
    descending: orderOf(orderView(snapshot, sort, true)),
    ascending: orderOf(orderView(snapshot, sort, false)),
  }))
  return {
    *find(id) {
      const row = findRow(snapshot.index, id)
      if (row < 0) return null
      return { row, member: memberOf(snapshot, row, id), epss: epssAt(snapshot.epss, row) }
    },
    *rejection(id) {
      return snapshot.rejected.get(id)
    },
    *epssHistory(id) {
      const object = snapshot.epssHistory.get(cveBlock(id))
      return object ? historyIn(object.read(0, object.size), id) : []
    },
    *epssEditions() {
      return snapshot.epssEditions
    },
    *epssChanges(ids, days) {
      const { index, changes } = snapshot
      return ids.map((id) => {
        const row = findRow(index, id)
        return row < 0 ? null : changeAt(changes, days, row)
      })
    },
    *facts() {
      return facts
    },
    *tables() {
      return snapshot
    },
    *order({ key, descending }) {
      return orders[key][descending ? 'descending' : 'ascending']
    },
    *pieces(sort, runs) {
      const pieces: Piece[] = []
      const last = runs.length - 1
      // Segments of one page often follow each other.
      let known = -1
      let segments: readonly SplicedSegment[] = []
      for (let i = 0; i <= last; i++) {
        const run = runs[i]!
        if ('page' in run) {
          if (run.page !== known) segments = pageOf(snapshot, sort, run.page)
          known = run.page
          const segment = segments[run.segment]
          if (!segment) {
            throw new SnapshotError('malformed', `page ${run.page} in sort order ${sort} has no segment ${run.segment}`)
          }
          pieces.push(segment)
          if (i < last) pieces.push(',')
        } else {
          const { ordinals } = snapshot.orders[sort]
          const rows = run.ordinals ?? run.positions.map((position) => ordinals[position]!)
          pieces.push(gatheredRows(snapshot, rows, i < last ? ',' : ''))
        }
      }
      return pieces
    },
    *members(ordinals) {
      for (const ordinal of ordinals) {
        const row = snapshot.columns.row[ordinal]!
        yield readMember(snapshot, row)
      }
    },
  }
}

function pageOf(snapshot: CveSources, sort: CveSort, page: number): readonly SplicedSegment[] {
  if (!isStored(sort)) throw new TypeError(`the sort ${sort} has no pages`)
  return sort === HELD_SORT ? heldPage(snapshot, page) : snapshot.page(sort, page)
}

function* readMember(snapshot: CveSources, row: number) {
  const id = idAt(snapshot.index, row)
  return { id, row, member: memberOf(snapshot, row, id) }
}

/** The id is checked, because an index may be wrong. */
function memberOf(snapshot: CveSources, row: number, id: CveId): ReadMember {
  const member = snapshot.member(row)
  if (member.key !== id) throw new SnapshotError('malformed', `the position of ${id} in the index has ${member.key}`)
  return member
}

function orderOf(view: OrderView): CveOrder {
  const { count, keyed, descending } = view
  return {
    count,
    *positionAfter(key) {
      return view.positionAfter(key)
    },
    *keyAt(position) {
      return view.keyOf(view.ordinal(position))
    },
    stored: descending ? (position) => position : (position) => reversedPosition(position, keyed, count),
  }
}

type FactTables = Pick<CveSources, 'index' | 'columns' | 'ordinalOfRow' | 'epss'>

/** Returns null if the snapshot has no record of the CVE. */
export function factsOf({ index, columns, ordinalOfRow, epss }: FactTables, id: CveId): CveFacts | null {
  const row = findRow(index, id)
  if (row < 0) return null
  const ordinal = ordinalOfRow[row]!
  const score = columns.score[ordinal]!
  const flags = columns.flags[ordinal]!
  return {
    severity: SEVERITIES[columns.severity[ordinal]!] ?? null,
    cvss_score: Number.isNaN(score) ? null : score,
    kev: (flags & FLAGS.kev) !== 0,
    has_exploit: (flags & FLAGS.has_exploit) !== 0,
    epss: epssAt(epss, row)?.score ?? null,
  }
}
