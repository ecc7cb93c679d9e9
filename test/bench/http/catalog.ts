/**
 * Draws request keys evenly from a whole snapshot. It reads the snapshot's files, so that preparation costs the same at
 * any size.
 */
import { Random } from '../../../corpus/sample/random.ts'
import { decodeCursor, encodeCursor } from '../../../corpus/snapshot/cursor/cursor.ts'
import type { CveSort } from '../../../corpus/snapshot/cursor/order.ts'
import type { Columns } from '../../../corpus/snapshot/derive/columns.ts'
import { idAt } from '../../../corpus/snapshot/derive/index-table.ts'
import { readCurrent } from '../../../corpus/snapshot/files/layout.ts'
import { orderView } from '../../../corpus/snapshot/filter/order-view.ts'
import { type OpenSnapshot, openSnapshot } from '../../../corpus/snapshot/memory/open-snapshot.ts'
import type { Client } from './client.ts'

export const LIST = '/api/v1/cves'

export interface Catalog {
  client: Client
  random: Random
  snapshot: OpenSnapshot
  /** Returns a random CVE id; all are equally likely. */
  id(): string
  close(): void
}

/** `without` are ids that must not be drawn. */
export function openCatalog(dist: string, client: Client, without: ReadonlySet<string> = new Set()): Catalog {
  const { manifest } = readCurrent(dist)
  const snapshot = openSnapshot(dist, manifest, { checkQuery: false })
  const random = new Random('bench')
  const id = (): string => {
    for (;;) {
      const drawn = idAt(snapshot.index, random.int(snapshot.index.count))
      if (!without.has(drawn)) return drawn
    }
  }
  return { client, random, snapshot, id, close: snapshot.close }
}

/** A walk through `/cves` that requests can continue at any position. */
export interface Walk {
  sort: CveSort
  descending?: boolean
  /** The filters and the sort, as a query. */
  query: string
  limit: number
  /** Only cursors at page boundaries of a walk with this `limit` from the first page. */
  aligned?: boolean
  /** The same filters on the columns. Default: everything matches. */
  passes?(columns: Columns, ordinal: number): boolean
}

/**
 * Returns a function that draws requests for full pages anywhere in a walk. The gateway issues one cursor; the others
 * are derived from it for other rows.
 * @throws Error if the walk is too short
 */
export async function anywhereIn(catalog: Catalog, walk: Walk): Promise<() => string> {
  const { client, random, snapshot } = catalog
  const { limit, aligned = false } = walk
  const query = walk.query === '' ? '' : `${walk.query}&`
  const order = orderView(snapshot, walk.sort, walk.descending ?? true)
  const { passes } = walk
  const all = Array.from({ length: passes ? order.count : 0 }, (_, position) => position)
  const positions = passes ? all.filter((position) => passes(snapshot.columns, order.ordinal(position))) : null
  const step = aligned ? limit : 1
  const starts = Math.floor(((positions?.length ?? order.count) - limit) / step)
  const first = await client.body(`${LIST}?${query}limit=1`)
  const cursor = decodeCursor(first.pagination?.next_cursor ?? '')
  if (starts < 1 || !cursor) throw new Error(`this snapshot is too small for pages of ${limit} with '${walk.query}'`)
  return () => {
    const before = (random.int(starts) + 1) * step - 1
    const after = order.keyOf(order.ordinal(positions ? positions[before]! : before))
    return `${LIST}?${query}limit=${limit}&cursor=${encodeCursor({ ...cursor, after })}`
  }
}
