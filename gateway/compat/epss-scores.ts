/** The EPSS scores and histories of a snapshot, for FIRST's interface. */
import type { EpssPoint } from '../../corpus/model/epss/history.ts'
import type { CveId } from '../../corpus/model/ids/cve-id.ts'
import { finished } from '../../corpus/runtime/steps.ts'
import { findRow, idAt } from '../../corpus/snapshot/index.ts'
import type { OpenSnapshot } from '../../corpus/snapshot/memory/open-snapshot.ts'

/** Rows are in id order. */
export interface ScoreIndex {
  /** The date of the current edition. */
  date: string
  /** The dates of all editions, oldest first. */
  editions: readonly string[]
  count: number
  idAt(row: number): CveId
  /** Returns -1 for an id without a record. */
  rowOf(id: CveId): number
  /** In billionths; `NO_EPSS` for none. */
  scores: Uint32Array
  percentiles: Uint32Array
  /** Returns the row at a position of the order by descending score, in which rows without a score are last. */
  byScore(position: number): number
  /** Returns the history, oldest first. @throws ApiError 403 above the tier of the caller */
  history(row: number): readonly EpssPoint[]
}

/** Returns null without a score. `judge` throws for a row above the tier of the caller. */
export function scoreIndex(snapshot: OpenSnapshot, judge: (row: number, id: CveId) => void): ScoreIndex | null {
  const { index, epss, orders, columns } = snapshot
  if (epss.date === null) return null
  const idOf = (row: number) => idAt(index, row)
  return {
    date: epss.date,
    editions: snapshot.epssEditions.map(({ date }) => date),
    count: index.count,
    idAt: idOf,
    rowOf: (id) => findRow(index, id),
    scores: epss.scores,
    percentiles: epss.percentiles,
    byScore: (position) => columns.row[orders.epss.ordinals[position]!]!,
    history(row) {
      const id = idOf(row)
      judge(row, id)
      return finished(snapshot.cves.epssHistory(id))
    },
  }
}
