/** Reads rows of lists other than CVEs by their positions in a stored order. */
import { generationalCache } from '../../runtime/generational-cache.ts'
import {
  decodeMemberHead,
  fileOf,
  type ListName,
  listPagesName,
  type Manifest,
  pageKey,
  type ReadMember,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  SnapshotError,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
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

export function openListPages(manifest: Manifest, objects: FileParts): ListPages {
  const read = generationalCache<string, ReadMember>(PAGES_BYTES, ({ bytes }) => bytes.length)
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

  /** Returns pages by their numbers. Reads those that are not cached together. */
  async function pagesOf(list: ListName, sort: string, numbers: readonly number[]): Promise<Map<number, ReadMember>> {
    const name = listPagesName(list, sort)
    const members = new Map<number, ReadMember>()
    for (const page of numbers) {
      const known = read.get(`${name} ${page}`)
      if (known) members.set(page, known)
    }
    const missing = numbers.filter((page) => !members.has(page))
    // Without a table, only the page before states where a page begins.
    const steps = startsOf(name).isWhole ? [missing] : missing.map((page) => [page])
    for (const step of steps.filter(({ length }) => length > 0)) {
      const found = await readPages(list, sort, step)
      step.forEach((page, i) => {
        members.set(page, found[i]!)
        read.set(`${name} ${page}`, found[i]!)
      })
    }
    return members
  }

  async function readPages(list: ListName, sort: string, numbers: readonly number[]): Promise<ReadMember[]> {
    const file = fileOf(manifest, 'pages', listPagesName(list, sort))
    const known = startsOf(file.name)
    const pages = Math.ceil(fileOf(manifest, 'list', list).count / ROWS_PER_PAGE)
    const likely = Math.ceil((file.size / pages) * PAGE_MARGIN) + PAGE_MARGIN_BYTES
    const spans = numbers.map((page) => {
      const at = known.at[page]
      if (at === undefined || at >= file.size) throw new SnapshotError('malformed', `${file.name} has no page ${page}`)
      const end = known.at[page + 1] ?? (known.isWhole ? file.size : Math.min(at + likely, file.size))
      return { at, length: end - at }
    })
    const parts = await objects.parts(file, spans)
    return Promise.all(
      parts.map(async (bytes, i) => {
        const { at } = spans[i]!
        const [head, key] = [decodeMemberHead(bytes), pageKey(numbers[i]!)]
        if (head.key !== key) {
          throw new SnapshotError('malformed', `${file.name} has page ${head.key} in the place of ${key}`)
        }
        const { length } = head
        const whole = length <= bytes.length ? bytes : (await objects.parts(file, [{ at, length }]))[0]!
        if (Array.isArray(known.at)) known.at[numbers[i]! + 1] = at + length
        // Copies the bytes: the part may be a view into a larger buffer.
        const own = Buffer.from(whole.subarray(0, length))
        return { ...decodeMemberHead(own), bytes: own }
      }),
    )
  }

  return {
    locate(list, orders) {
      for (const [sort, { pagesAt }] of Object.entries(orders)) {
        starts.set(listPagesName(list, sort), { at: pagesAt, isWhole: true })
      }
    },

    async rows(list, sort, positions) {
      const numbers = [...new Set(positions.map((position) => Math.floor(position / ROWS_PER_PAGE)))]
      const members = await pagesOf(list, sort, numbers)
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
