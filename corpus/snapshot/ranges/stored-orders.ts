/**
 * Orders of all CVEs without the tables of filters: a page is a range of a page shard, and the first rows of all pages
 * find the position of a key.
 */
import { type CveId, compareCveIds } from '../../model/ids/cve-id.ts'
import { partitionPoint } from '../../model/values/partition-point.ts'
import { remembered } from '../../runtime/remembered.ts'
import { awaited } from '../../runtime/steps.ts'
import {
  type CveOrder,
  compareKeys,
  countCves,
  fileOf,
  type Manifest,
  type PageStarts,
  pageStartsIn,
  ROWS_PER_PAGE,
  type RowKey,
  reversedPosition,
  SnapshotError,
  type StoredSort,
  startOf,
  toBillionths,
} from '../index.ts'
import type { CveRow, Rows } from './rows.ts'
import type { RangeTables } from './tables.ts'

export interface StoredSortOrder {
  key: StoredSort
  descending: boolean
}

/** Each method throws SnapshotError or TransferError. */
export interface StoredOrders {
  order(sort: StoredSortOrder): Promise<CveOrder>
  /** Returns the rows at positions of the descending order, after checking that they belong there. */
  rows(sort: StoredSort, positions: readonly number[]): Promise<CveRow[]>
}

/** The header, and what the first row of a page takes: one request reads both. */
const HEADER_BYTES = 1024
const BYTES_PER_PAGE = 22

export function openStoredOrders(manifest: Manifest, tables: RangeTables, rows: Rows): StoredOrders {
  const opened = new Map<string, Promise<PageStarts>>()

  const startsOf = (sort: StoredSort) =>
    remembered(opened, sort, async () => {
      const pages = Math.ceil(countCves(manifest) / ROWS_PER_PAGE)
      const table = await tables.of(fileOf(manifest, 'orders', sort), HEADER_BYTES + pages * BYTES_PER_PAGE)
      const starts = pageStartsIn(await table.part('key'))
      if (starts.count === countCves(manifest)) return starts
      throw new SnapshotError('malformed', `the page starts of the order ${sort} are those of other CVEs`)
    })

  async function read(sort: StoredSort, starts: PageStarts, positions: readonly number[]): Promise<CveRow[]> {
    if (positions.length === 0) return []
    const found = await rows.at(sort, starts.pagesAt, positions)
    const keys = found.map((row) => keyOf(sort, row))
    const pageOf = (i: number) => Math.floor(positions[i]! / ROWS_PER_PAGE)
    keys.forEach((key, i) => {
      const isAtEdge = i === 0 || i + 1 === keys.length || pageOf(i) !== pageOf(i - 1) || pageOf(i) !== pageOf(i + 1)
      const isInOrder = i === 0 || compareDescending(keys[i - 1]!, key) * (positions[i]! - positions[i - 1]!) < 0
      if (isInOrder && (!isAtEdge || isInPage(starts, positions[i]!, key))) return
      throw new SnapshotError('malformed', `the row of ${key.id} is out of order in the sort ${sort}`)
    })
    return found
  }

  /** Returns the first position of the descending order whose row is not before `key`, or is after it. */
  async function boundary(sort: StoredSort, starts: PageStarts, key: RowKey, isAfter: boolean): Promise<number> {
    const passes = (row: RowKey) => compareDescending(row, key) >= (isAfter ? 1 : 0)
    const page = partitionPoint(starts.ids.count, (number) => passes(startOf(starts, number)))
    if (page === 0) return 0
    const from = (page - 1) * ROWS_PER_PAGE
    const length = Math.min(from + ROWS_PER_PAGE, starts.count) - from
    const before = await read(
      sort,
      starts,
      Array.from({ length }, (_, i) => from + i),
    )
    return from + partitionPoint(before.length, (i) => passes(keyOf(sort, before[i]!)))
  }

  async function positionAfter({ key: sort, descending }: StoredSortOrder, starts: PageStarts, key: RowKey) {
    if (descending) return boundary(sort, starts, key, true)
    // The row before it in the descending order is the next one, also where the rows without a key begin.
    const position = await boundary(sort, starts, key, false)
    const { count, keyed } = starts
    return key.value === null ? keyed + count - position : keyed - Math.min(position, keyed)
  }

  return {
    async order(sort) {
      const starts = await startsOf(sort.key)
      const { keyed, count } = starts
      const stored = (position: number) => (sort.descending ? position : reversedPosition(position, keyed, count))
      return {
        count,
        *positionAfter(key) {
          return yield* awaited(positionAfter(sort, starts, key))
        },
        *keyAt(position) {
          const [row] = yield* awaited(read(sort.key, starts, [stored(position)]))
          return keyOf(sort.key, row!)
        },
        stored,
      }
    },
    rows: async (sort, positions) => read(sort, await startsOf(sort), positions),
  }
}

/** Whether a row can be at a position, by the starts of its page and the next one. */
function isInPage(starts: PageStarts, position: number, key: RowKey): boolean {
  const page = Math.floor(position / ROWS_PER_PAGE)
  const order = compareDescending(startOf(starts, page), key)
  if (position % ROWS_PER_PAGE === 0 ? order !== 0 : order >= 0) return false
  return page + 1 === starts.ids.count || compareDescending(key, startOf(starts, page + 1)) < 0
}

/** Compares keys in the descending order: by value, without one last, then by id. */
const compareDescending = (a: RowKey, b: RowKey): number =>
  compareKeys(a.value, b.value, true) || -compareCveIds(a.id as CveId, b.id as CveId)

/** Returns the key of a row, as cursors have it. */
const keyOf = (sort: StoredSort, row: CveRow): RowKey => ({ value: sortValue(sort, row), id: row.cve_id })

function sortValue(sort: StoredSort, { date_published, date_updated, cvss_score, epss }: CveRow): number | null {
  switch (sort) {
    case 'published':
      return date_published === null ? null : Date.parse(date_published)
    case 'updated':
      return date_updated === null ? null : Date.parse(date_updated)
    case 'cvss':
      return cvss_score
    case 'epss':
      return epss.score === null ? null : toBillionths(epss.score)
  }
}
