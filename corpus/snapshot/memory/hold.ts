/** What a snapshot keeps in memory besides its tables. Rows and pages are read at their first use. */
import { fileOf, type SplicedSegment } from '../index.ts'
import type { OpenSnapshot } from './open-snapshot.ts'
import { rowStore, rowStoreBytes } from './row-store.ts'

/** Lets a snapshot keep what fits into `bytes`: first all rows, then the pages of the default order. */
export function hold(snapshot: OpenSnapshot, bytes: number): void {
  const rest = bytes - rowStoreBytes(snapshot.index)
  if (rest < 0) return
  snapshot.rows = rowStore(snapshot, snapshot.columns.row)
  if (fileOf(snapshot.manifest, 'pages', HELD_SORT).size <= rest) snapshot.pages = []
}

/** Per turn: a row takes 2 µs, a page 20 µs. */
const ROWS_IN_A_TURN = 64
const PAGES_IN_A_TURN = 8

/**
 * Reads the kept rows and pages in turns, so that requests are answered in between. Ends when the snapshot is released.
 * @throws SnapshotError or a system error at the first that cannot be read; the others are read when requested
 */
export async function fill(snapshot: OpenSnapshot): Promise<void> {
  const { rows, pages, index, orders, ordinalOfRow } = snapshot
  if (rows === null) return
  const inTurns = async (count: number, most: number, read: (at: number) => void) => {
    for (let at = 0; at < count; at++) {
      if (at % most === 0) await new Promise((resolve) => setImmediate(resolve))
      if (snapshot.rows !== rows) return
      read(at)
    }
  }
  await inTurns(index.count, ROWS_IN_A_TURN, (row) => {
    if (!snapshot.isLeftOut(row)) rows.fill(ordinalOfRow[row]!)
  })
  if (pages) await inTurns(orders[HELD_SORT].pagesAt.length, PAGES_IN_A_TURN, (page) => heldPage(snapshot, page))
}

/** Returns the segments of a page of the default order. */
export function heldPage(snapshot: Pick<OpenSnapshot, 'pages' | 'page'>, page: number): readonly SplicedSegment[] {
  const { pages } = snapshot
  const segments = pages?.[page] ?? snapshot.page(HELD_SORT, page)
  if (pages) pages[page] = segments
  return segments
}

export function release(snapshot: OpenSnapshot): void {
  snapshot.rows = null
  snapshot.pages = null
}

/** The order of `/cves` without `sort`. */
export const HELD_SORT = 'published'
