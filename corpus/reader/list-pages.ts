/** Reads rows of lists other than CVEs by their positions in a stored order. */
import { generationalCache } from '../runtime/generational-cache.ts'
import {
  decodeMemberHead,
  type FileEntry,
  fileOf,
  type ListName,
  listPagesName,
  type Manifest,
  pageKey,
  type ReadMember,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  SnapshotError,
} from '../snapshot/index.ts'
import { type Objects, remembered } from './objects.ts'
import { segmentRows } from './rows.ts'

export interface ListPages {
  /** Takes the positions of the pages of sorts from a table. */
  locate(list: ListName, orders: Readonly<Record<string, { pagesAt: Uint32Array }>>): void
  /**
   * Returns the rows at positions of a stored order. Without `locate`, the pages before them must have been read.
   * @throws SnapshotError, TransferError
   */
  rows(list: ListName, sort: string, positions: readonly number[]): Promise<object[]>
}

/** Cache size for pages. */
const PAGES_BYTES = 4 * 1024 * 1024
/** Pages differ in size. What is read of one beyond the mean size saves a second request. */
const PAGE_MARGIN = 1.5
const PAGE_MARGIN_BYTES = 2048

export function openListPages(manifest: Manifest, objects: Objects): ListPages {
  const read = generationalCache<string, ReadMember>(PAGES_BYTES, ({ bytes }) => bytes.length)
  const reading = new Map<string, Promise<ReadMember>>()
  /** Offsets of the pages by page shard: all of a table, or the first ones as far as pages were read. */
  const starts = new Map<string, { at: number[] | Uint32Array; isWhole: boolean }>()

  const startsOf = (name: string) => {
    let known = starts.get(name)
    if (!known) {
      known = { at: [0], isWhole: false }
      starts.set(name, known)
    }
    return known
  }

  async function pageOf(list: ListName, sort: string, page: number): Promise<ReadMember> {
    const name = listPagesName(list, sort)
    const key = `${name} ${page}`
    const known = read.get(key)
    if (known) return known
    return remembered(reading, key, async () => {
      try {
        const member = await readPage(
          fileOf(manifest, 'pages', name),
          page,
          pagesIn(fileOf(manifest, 'list', list).count),
        )
        read.set(key, member)
        return member
      } finally {
        reading.delete(key)
      }
    })
  }

  async function readPage(file: FileEntry, page: number, pages: number): Promise<ReadMember> {
    const known = startsOf(file.name)
    const at = known.at[page]
    if (at === undefined || at >= file.size) throw new SnapshotError('malformed', `${file.name} has no page ${page}`)
    const likely = Math.ceil((file.size / pages) * PAGE_MARGIN) + PAGE_MARGIN_BYTES
    const length = (known.at[page + 1] ?? (known.isWhole ? file.size : Math.min(at + likely, file.size))) - at
    const bytes = (await objects.parts(file, [{ at, length }]))[0]!
    const head = decodeMemberHead(bytes)
    if (head.key !== pageKey(page)) {
      throw new SnapshotError('malformed', `${file.name} has page ${head.key} in the place of ${pageKey(page)}`)
    }
    const whole = head.length <= bytes.length ? bytes : (await objects.parts(file, [{ at, length: head.length }]))[0]!
    if (Array.isArray(known.at)) known.at[page + 1] = at + head.length
    // Copies the bytes: the part may be a view into a larger buffer.
    const own = Buffer.from(whole.subarray(0, head.length))
    return { ...decodeMemberHead(own), bytes: own }
  }

  return {
    locate(list, orders) {
      for (const [sort, { pagesAt }] of Object.entries(orders)) {
        starts.set(listPagesName(list, sort), { at: pagesAt, isWhole: true })
      }
    },

    async rows(list, sort, positions) {
      const numbers = [...new Set(positions.map((position) => Math.floor(position / ROWS_PER_PAGE)))]
      const members = new Map<number, ReadMember>()
      const load = async (page: number) => members.set(page, await pageOf(list, sort, page))
      if (startsOf(listPagesName(list, sort)).isWhole) await Promise.all(numbers.map(load))
      else for (const page of numbers) await load(page)
      const parsed = new Map<number, object[]>()
      return positions.map((position) => {
        const at = Math.floor(position / ROWS_PER_SEGMENT)
        let rows = parsed.get(at)
        if (!rows) {
          const page = Math.floor(position / ROWS_PER_PAGE)
          rows = segmentRows(members.get(page)!, Math.floor((position % ROWS_PER_PAGE) / ROWS_PER_SEGMENT))
          parsed.set(at, rows)
        }
        const row = rows[position % ROWS_PER_SEGMENT]
        if (!row)
          throw new SnapshotError('malformed', `${list} has no row at position ${position} in sort order ${sort}`)
        return row
      })
    },
  }
}

const pagesIn = (rows: number) => Math.ceil(rows / ROWS_PER_PAGE)
