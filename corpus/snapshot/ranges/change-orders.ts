/** The orders by the change of the EPSS score, without the tables of filters: from the changes and single rows. */

import type { ChangeDays } from '../../model/epss/changes.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { remembered } from '../../runtime/remembered.ts'
import { awaited } from '../../runtime/steps.ts'
import {
  CHANGE_SORTS,
  type ChangeSort,
  type CveOrder,
  changeAt,
  compareKeys,
  countCves,
  decodeEpssChanges,
  type EpssChanges,
  fileOf,
  gunzipFile,
  type Manifest,
  type RowKey,
  reversedPosition,
  rowsByChange,
  SnapshotError,
} from '../index.ts'
import type { CveLookup } from './cve-lookup.ts'
import type { FileParts } from './file-parts.ts'
import type { CveRow } from './rows.ts'

/** Each method throws SnapshotError or TransferError. */
export interface ChangeOrders {
  order(sort: ChangeSort, descending: boolean): Promise<CveOrder>
  /** Returns the rows at positions of the descending order. */
  rows(sort: ChangeSort, positions: readonly number[]): Promise<CveRow[]>
  /** Returns the changes of CVEs in billionths; null if they are not known. */
  changes(ids: readonly CveId[], days: ChangeDays): Promise<(number | null)[]>
}

export function openChangeOrders(manifest: Manifest, files: FileParts, lookup: CveLookup): ChangeOrders {
  const read = new Map<string, Promise<EpssChanges>>()
  const sorted = new Map<ChangeSort, ReturnType<typeof rowsByChange>>()

  const changesOf = () =>
    remembered(read, '', async () => {
      const bytes = await files.whole(fileOf(manifest, 'epss-changes'))
      const changes = decodeEpssChanges(gunzipFile('epss-changes', bytes))
      if (changes.values[30].length === countCves(manifest)) return changes
      throw new SnapshotError('malformed', 'the EPSS changes are those of other CVEs')
    })

  async function open(sort: ChangeSort) {
    const changes = await changesOf()
    const { rows, keyed } = sorted.get(sort) ?? rowsByChange(changes.values[CHANGE_SORTS[sort]])
    sorted.set(sort, { rows, keyed })
    return { rows, keyed, changeOf: (row: number) => changeAt(changes, CHANGE_SORTS[sort], row) }
  }

  return {
    async order(sort, descending) {
      const { rows, keyed, changeOf } = await open(sort)
      const stored = (position: number) => (descending ? position : reversedPosition(position, keyed, rows.length))

      async function positionAfter({ value, id }: RowKey): Promise<number> {
        const [at] = await lookup.rowsOf([id as CveId])
        const { row, found } = at!
        // Rows of the same value are in the order of their ids. Without a record, `row` is that of the next one.
        const byId = (other: number) => (descending ? other < row : other > row || (other === row && !found))
        return partitionPoint(rows.length, (position) => {
          const other = rows[stored(position)]!
          const order = compareKeys(changeOf(other), value as number | null, descending)
          return order > 0 || (order === 0 && byId(other))
        })
      }

      return {
        count: rows.length,
        *positionAfter(key) {
          return yield* awaited(positionAfter(key))
        },
        *keyAt(position) {
          const row = rows[stored(position)]!
          const [id] = yield* awaited(lookup.ids([row]))
          return { value: changeOf(row), id: id! }
        },
        stored,
      }
    },
    async rows(sort, positions) {
      const { rows } = await open(sort)
      return lookup.summaries(await lookup.ids(positions.map((position) => rows[position]!)))
    },
    async changes(ids, days) {
      const [changes, rows] = await Promise.all([changesOf(), lookup.rowsOf(ids)])
      return rows.map(({ row, found }) => (found ? changeAt(changes, days, row) : null))
    },
  }
}
