/**
 * Reads summary records by position in an order, from its page shard. A page has 100 rows in about 20 KB, in four
 * segments. Where the server sends several ranges at once, rows on many pages take two requests: for the heads of the
 * pages, and for one segment of each.
 */

import type { CveCore } from '../../model/record.ts'
import { generationalCache } from '../../runtime/generational-cache.ts'
import {
  decodeMemberHead,
  fileOf,
  type LocatedSegment,
  type Manifest,
  type MemberHead,
  pageKey,
  plainBytes,
  type ReadMember,
  ROWS_KIND,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  SnapshotError,
  type StoredSort,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'

/** A summary record. */
export type CveRow = CveCore & { epss: { score: number | null } }

export interface Rows {
  /**
   * Returns the rows at these positions of the descending order, in the same order. `pagesAt` has the offset of each page.
   * The caller must check which rows they are.
   * @throws SnapshotError if the data is not what was written
   * @throws TransferError
   */
  at(sort: StoredSort, pagesAt: Uint32Array, positions: readonly number[]): Promise<CveRow[]>
}

/** From this number of rows on, a page takes less time than its head and segments. */
const WORTH_A_PAGE = 4
/** Up to this number of pages, their bytes take less time than another round trip. */
const FEW_PAGES = 4
/** The head of a member with four segments and a key of eight digits has 213 bytes. */
const HEAD_BYTES = 256
/** Cache size for pages. Short pages of a walk use the same page of the order. */
const PAGES_BYTES = 4 * 1024 * 1024
/** Cache size for heads: those of 3,500 pages. */
const HEADS_BYTES = 2 * 1024 * 1024
const BYTES_PER_HEAD = 600

/** A page, by its number, and its bytes in the shard. */
interface Page {
  number: number
  at: number
  length: number
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
export const segmentRows = (member: ReadMember, number: number): object[] =>
  parsedRows(member.bytes, segmentOf(member, number))

export function openRows(
  manifest: Manifest,
  objects: FileParts,
  { fewPages = FEW_PAGES, worthAPage = WORTH_A_PAGE } = {},
): Rows {
  const pages = generationalCache<string, ReadMember>(PAGES_BYTES, ({ bytes }) => bytes.length)
  const heads = generationalCache<string, MemberHead>(HEADS_BYTES, () => BYTES_PER_HEAD)

  /** Reads the first `most` bytes of pages, and checks that they are those pages. */
  async function readMembers(sort: StoredSort, wanted: readonly Page[], most: number): Promise<ReadMember[]> {
    if (wanted.length === 0) return []
    const file = fileOf(manifest, 'pages', sort)
    const spans = wanted.map(({ at, length }) => ({ at, length: Math.min(length, most) }))
    return (await objects.parts(file, spans)).map((part, i) => {
      // Copies the bytes: the part may be a view into a larger buffer.
      const bytes = Buffer.from(part)
      const member = { ...decodeMemberHead(bytes), bytes }
      const key = pageKey(wanted[i]!.number)
      if (member.key === key) return member
      throw new SnapshotError('malformed', `the order ${sort} points to page ${member.key} for ${key}`)
    })
  }

  /** Returns the plain rows of segments, by page and number of the segment. */
  async function segmentsOf(
    sort: StoredSort,
    wanted: readonly { page: Page; segments: readonly number[]; rows: number }[],
  ): Promise<Map<number, CveRow[]>> {
    const nameOf = ({ number }: Page) => `${sort} ${number}`
    const cached = new Map(
      wanted.flatMap(({ page }) => {
        const member = pages.get(nameOf(page))
        return member ? [[page.number, member] as const] : []
      }),
    )
    const missing = wanted.filter(({ page }) => !cached.has(page.number))
    const byHead =
      objects.takesManyRanges() && missing.length > fewPages ? missing.filter(({ rows }) => rows < worthAPage) : []
    const whole = missing.filter((one) => !byHead.includes(one)).map(({ page }) => page)
    const found = new Map<number, CveRow[]>()
    const readWhole = async () => {
      for (const [i, member] of (await readMembers(sort, whole, Number.POSITIVE_INFINITY)).entries()) {
        pages.set(nameOf(whole[i]!), member)
        cached.set(whole[i]!.number, member)
      }
    }
    const readByHead = async () => {
      const unknown = byHead.map(({ page }) => page).filter((page) => !heads.get(nameOf(page)))
      const read = new Map<number, MemberHead>()
      for (const [i, { bytes: _, ...head }] of (await readMembers(sort, unknown, HEAD_BYTES)).entries()) {
        heads.set(nameOf(unknown[i]!), head)
        read.set(unknown[i]!.number, head)
      }
      const segments = byHead.flatMap(({ page, segments }) => {
        const head = read.get(page.number) ?? heads.get(nameOf(page))!
        return segments.map((number) => ({ page, number, segment: segmentOf(head, number) }))
      })
      if (segments.length === 0) return
      const spans = segments.map(({ page, segment: { offset, length } }) => ({ at: page.at + offset, length }))
      const parts = await objects.parts(fileOf(manifest, 'pages', sort), spans)
      segments.forEach(({ page, number, segment }, i) => {
        found.set(segmentNumber(page.number, number), parsedRows(parts[i]!, atStart(segment)))
      })
    }
    await Promise.all([readWhole(), readByHead()])
    for (const { page, segments } of wanted) {
      const member = cached.get(page.number)
      if (!member) continue
      for (const number of segments) {
        found.set(segmentNumber(page.number, number), parsedRows(member.bytes, segmentOf(member, number)))
      }
    }
    return found
  }

  return {
    async at(sort, pagesAt, positions) {
      const { size } = fileOf(manifest, 'pages', sort)
      const byPage = Map.groupBy(positions, (position) => Math.floor(position / ROWS_PER_PAGE))
      const wanted = Array.from(byPage, ([number, some]) => {
        const at = pagesAt[number]
        if (at === undefined) {
          throw new SnapshotError('malformed', `the CVE list has no page ${number} in sort order ${sort}`)
        }
        const length = (pagesAt[number + 1] ?? size) - at
        const segments = new Set(some.map((position) => Math.floor((position % ROWS_PER_PAGE) / ROWS_PER_SEGMENT)))
        return { page: { number, at, length }, segments: [...segments], rows: some.length }
      })
      const found = await segmentsOf(sort, wanted)
      return positions.map((position) => {
        const row = found.get(Math.floor(position / ROWS_PER_SEGMENT))?.[position % ROWS_PER_SEGMENT]
        if (!row) throw new SnapshotError('malformed', `the CVE list has no row ${position} in sort order ${sort}`)
        return row
      })
    },
  }
}

const SEGMENTS_PER_PAGE = ROWS_PER_PAGE / ROWS_PER_SEGMENT
const segmentNumber = (page: number, number: number) => page * SEGMENTS_PER_PAGE + number

function segmentOf({ key, segments }: MemberHead, number: number) {
  const segment = segments[number]
  if (segment?.kind !== ROWS_KIND) throw new SnapshotError('malformed', `page ${key} has no segment ${number}`)
  return segment
}

/** Returns a segment whose bytes begin with it. Those of a member compute their fields. */
const atStart = ({ length, plainLength, plainCrc, storedCrc }: LocatedSegment): LocatedSegment => ({
  offset: 0,
  length,
  plainLength,
  plainCrc,
  storedCrc,
})

const parsedRows = (bytes: Buffer, segment: LocatedSegment) =>
  parsedJson(`[${plainBytes(bytes, segment).toString()}]`) as CveRow[]
