/**
 * Reads summary records by position in an order. If many rows of one page are needed, it reads the page: 100 rows in
 * about 16 KB. Other rows come from the core segments of their CVEs, about 600 bytes each.
 */

import { generationalCache } from '../runtime/generational-cache.ts'
import {
  type CveSort,
  coreSegmentAt,
  decodeMemberHead,
  epssAt,
  epssMember,
  idAt,
  type LocatedSegment,
  pageKey,
  plainBytes,
  type ReadMember,
  ROWS_KIND,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  SnapshotError,
} from '../snapshot/index.ts'
import type { Objects } from './objects.ts'
import type { ReadSnapshot } from './open.ts'
import type { CveSummary } from './record.ts'

export interface Rows {
  /**
   * Returns the rows of these ordinals, in the same order.
   * @throws SnapshotError if the data is not what was written
   * @throws TransferError
   */
  of(sort: CveSort, ordinals: readonly number[]): Promise<CveSummary[]>
}

/** From this number of rows on, a page is smaller than its rows read one by one. */
const WORTH_A_PAGE = 4
/** Cache size for pages. Short pages of a walk use the same page of the order. */
const PAGES_BYTES = 4 * 1024 * 1024

/** A requested row: its position in the result, its ordinal, and its position in the stored order. */
interface Wanted {
  to: number
  ordinal: number
  position: number
}

/**
 * Parses JSON with a valid CRC.
 * @throws SnapshotError `malformed`, which no snapshot builder produces
 */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SnapshotError('malformed', 'a record is not JSON', { cause })
  }
}

/**
 * Returns the rows of a segment of a page.
 * @throws SnapshotError
 */
export function segmentRows(member: ReadMember, at: number): object[] {
  const segment = member.segments[at]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${member.key} has no segment ${at}`)
  return parsedJson(`[${plainBytes(member.bytes, segment).toString()}]`) as object[]
}

export function openRows(snapshot: ReadSnapshot, objects: Objects): Rows {
  const { index, columns, orders, positions, epss, shards, pages } = snapshot
  const read = generationalCache<string, ReadMember>(PAGES_BYTES, ({ bytes }) => bytes.length)

  /** Stores a row after checking its CVE id, because the order may be wrong. */
  function put(out: CveSummary[], { to, ordinal }: Wanted, row: CveSummary | undefined): void {
    const id = idAt(index, columns.row[ordinal]!)
    if (row?.cve_id !== id) throw new SnapshotError('malformed', `the row of ${id} contains ${row?.cve_id ?? 'no id'}`)
    out[to] = row
  }

  async function pageOf(sort: CveSort, page: number): Promise<ReadMember> {
    const key = `${sort} ${page}`
    const known = read.get(key)
    if (known) return known
    const { pagesAt } = orders[sort]
    const at = pagesAt[page]
    if (at === undefined) throw new SnapshotError('malformed', `the CVE list has no page ${page} in sort order ${sort}`)
    const length = (pagesAt[page + 1] ?? pages[sort].size) - at
    // Copies the bytes: the part may be a view into a larger buffer.
    const bytes = Buffer.from((await objects.parts(pages[sort], [{ at, length }]))[0]!)
    const member = { ...decodeMemberHead(bytes), bytes }
    if (member.key !== pageKey(page)) {
      throw new SnapshotError('malformed', `the order ${sort} points to page ${member.key} for ${pageKey(page)}`)
    }
    read.set(key, member)
    return member
  }

  async function fromPage(out: CveSummary[], sort: CveSort, page: number, wanted: readonly Wanted[]): Promise<void> {
    const member = await pageOf(sort, page)
    const parsed = new Map<number, CveSummary[]>()
    for (const one of wanted) {
      const at = Math.floor((one.position % ROWS_PER_PAGE) / ROWS_PER_SEGMENT)
      let rows = parsed.get(at)
      if (!rows) {
        rows = segmentRows(member, at) as CveSummary[]
        parsed.set(at, rows)
      }
      put(out, one, rows[one.position % ROWS_PER_SEGMENT])
    }
  }

  async function fromShard(out: CveSummary[], shard: number, wanted: readonly Wanted[]): Promise<void> {
    const rows = wanted.map(({ ordinal }) => columns.row[ordinal]!)
    const segments = rows.map((row): LocatedSegment => coreSegmentAt(index, row))
    const spans = segments.map(({ offset, length }) => ({ at: offset, length }))
    const stored = await objects.parts(shards[shard]!, spans)
    wanted.forEach((one, i) => {
      const core = plainBytes(stored[i]!, { ...segments[i]!, offset: 0 }).toString()
      put(out, one, parsedJson(`${core}${epssMember(epssAt(epss, rows[i]!))}}`) as CveSummary)
    })
  }

  return {
    async of(sort, ordinals) {
      const wanted = ordinals.map((ordinal, to): Wanted => ({ to, ordinal, position: positions[sort][ordinal]! }))
      const byPage = Map.groupBy(wanted, ({ position }) => Math.floor(position / ROWS_PER_PAGE))
      const out: CveSummary[] = []
      const reading: Promise<void>[] = []
      const single: Wanted[] = []
      for (const [page, some] of byPage) {
        if (some.length < WORTH_A_PAGE) single.push(...some)
        else reading.push(fromPage(out, sort, page, some))
      }
      const byShard = Map.groupBy(single, ({ ordinal }) => index.shard[columns.row[ordinal]!]!)
      for (const [shard, some] of byShard) reading.push(fromShard(out, shard, some))
      await Promise.all(reading)
      return out
    },
  }
}
