/**
 * The list of all CVEs in any order, without the tables of filters: a page of it is a range of a page shard. The file of
 * page starts finds the position of a cursor.
 */
import { type CveId, compareCveIds } from '../model/ids/cve-id.ts'
import { partitionPoint } from '../model/values/partition-point.ts'
import {
  type CveSort,
  compareKeys,
  countCves,
  decodePageStarts,
  fileOf,
  type Manifest,
  type PageStarts,
  ROWS_PER_PAGE,
  type RowKey,
  reversedPosition,
  SnapshotError,
  startOf,
  toBillionths,
} from '../snapshot/index.ts'
import { type Objects, remembered } from './objects.ts'
import type { CveSummary } from './record.ts'
import type { Rows } from './rows.ts'

export interface Direction {
  key: CveSort
  descending: boolean
}

export interface Unfiltered {
  /**
   * Returns the first `most` rows after a key, or from the beginning. `next` is the key of the last one; null if no row
   * follows it.
   * @throws SnapshotError, TransferError
   */
  page(sort: Direction, after: RowKey | null, most: number): Promise<{ rows: CveSummary[]; next: RowKey | null }>
  /**
   * Returns the number of rows, and a function that returns those from a position up to another one.
   * @throws SnapshotError, TransferError
   */
  all(sort: Direction): Promise<{ count: number; read(from: number, to: number): Promise<CveSummary[]> }>
}

export function openUnfiltered(manifest: Manifest, objects: Objects, rows: Rows): Unfiltered {
  const opened = new Map<string, Promise<PageStarts>>()

  const startsOf = (sort: CveSort) =>
    remembered(opened, sort, async () => {
      const starts = decodePageStarts(await objects.whole(fileOf(manifest, 'orders', sort)))
      if (starts.count === countCves(manifest)) return starts
      throw new SnapshotError('malformed', `the page starts of the order ${sort} are those of other CVEs`)
    })

  /** Returns rows by position in the descending order, after checking that they belong there. */
  async function read(sort: CveSort, starts: PageStarts, positions: readonly number[]): Promise<CveSummary[]> {
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
  async function boundary(sort: CveSort, starts: PageStarts, key: RowKey, isAfter: boolean): Promise<number> {
    const passes = (row: RowKey) => compareDescending(row, key) >= (isAfter ? 1 : 0)
    const page = partitionPoint(starts.ids.count, (number) => passes(startOf(starts, number)))
    if (page === 0) return 0
    const from = (page - 1) * ROWS_PER_PAGE
    const positions = range(from, Math.min(from + ROWS_PER_PAGE, starts.count))
    const before = await read(sort, starts, positions)
    return from + partitionPoint(before.length, (i) => passes(keyOf(sort, before[i]!)))
  }

  async function positionAfter({ key: sort, descending }: Direction, starts: PageStarts, key: RowKey): Promise<number> {
    if (descending) return boundary(sort, starts, key, true)
    // The row before it in the descending order is the next one, also where the rows without a key begin.
    const position = await boundary(sort, starts, key, false)
    const { count, keyed } = starts
    return key.value === null ? keyed + count - position : keyed - Math.min(position, keyed)
  }

  const stored = ({ descending }: Direction, { keyed, count }: PageStarts, position: number) =>
    descending ? position : reversedPosition(position, keyed, count)

  return {
    async page(sort, after, most) {
      const starts = await startsOf(sort.key)
      const from = after ? await positionAfter(sort, starts, after) : 0
      const to = Math.min(from + most, starts.count)
      const positions = range(from, to).map((position) => stored(sort, starts, position))
      const found = positions.length === 0 ? [] : await read(sort.key, starts, positions)
      const last = found.at(-1)
      return { rows: found, next: last && to < starts.count ? keyOf(sort.key, last) : null }
    },
    async all(sort) {
      const starts = await startsOf(sort.key)
      const rowsFrom = (from: number, to: number) =>
        read(
          sort.key,
          starts,
          range(from, to).map((position) => stored(sort, starts, position)),
        )
      return { count: starts.count, read: rowsFrom }
    },
  }
}

/** Whether a row can be at a position, by the starts of its page and the next one. */
function isInPage(starts: PageStarts, position: number, key: RowKey): boolean {
  const page = Math.floor(position / ROWS_PER_PAGE)
  const order = compareDescending(startOf(starts, page), key)
  if (position % ROWS_PER_PAGE === 0 ? order !== 0 : order >= 0) return false
  return page + 1 === starts.ids.count || compareDescending(key, startOf(starts, page + 1)) < 0
}

const range = (from: number, to: number) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i)

/** Compares keys in the descending order: by value, without one last, then by id. */
const compareDescending = (a: RowKey, b: RowKey): number =>
  compareKeys(a.value, b.value, true) || -compareCveIds(a.id as CveId, b.id as CveId)

/** Returns the key of a row, as cursors have it. */
function keyOf(sort: CveSort, row: CveSummary): RowKey {
  return { value: sortValue(sort, row), id: row.cve_id }
}

function sortValue(sort: CveSort, { date_published, date_updated, cvss_score, epss }: CveSummary): number | null {
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
