/**
 * Lists other than CVEs by ranges. Pages in a stored order, from the first one on, come from the page shard alone, and
 * single rows of large lists from their keys. Everything else needs the table of the list, which is downloaded once.
 */
import { generationalCache } from '../../runtime/generational-cache.ts'
import { remembered } from '../../runtime/remembered.ts'
import { awaited } from '../../runtime/steps.ts'
import {
  catalogKey,
  cursorId,
  cursorValue,
  decodeList,
  decodeMemberHead,
  fileOf,
  intersection,
  LIST_NAMES,
  type List,
  type ListData,
  type ListName,
  type ListRequest,
  type ListSlice,
  listOrderView,
  lowerBound,
  type Manifest,
  type PageSegment,
  passingPositions,
  type ReadMember,
  ROWS_PER_PAGE,
  ROWS_PER_SEGMENT,
  type RowKey,
  SnapshotError,
  type Span,
  sliceAfter,
  specOf,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import { type ListKeys, openListKeys } from './list-keys.ts'
import { openListPages } from './list-pages.ts'
import type { RangeTables } from './tables.ts'

/** Each method throws SnapshotError or TransferError. */
export interface RangeLists {
  readonly data: Record<ListName, ListData>
  table(name: ListName): Promise<List>
  /** Finds single rows of large lists. */
  readonly keys: ListKeys
}

/** Memory for positions of cursors that were issued. */
const ISSUED_BYTES = 256 * 1024
const BYTES_PER_CURSOR = 300

export function rangeLists(manifest: Manifest, files: FileParts, rangeTables: RangeTables): RangeLists {
  const tables = new Map<string, Promise<List>>()
  const pages = openListPages(manifest, files)
  const keys = openListKeys(manifest, rangeTables, pages)
  /** The position after each row that ended a page, by list, order and key of the row. */
  const issued = generationalCache<string, { position: number }>(ISSUED_BYTES, () => BYTES_PER_CURSOR)

  const table = async (name: ListName): Promise<List> =>
    remembered(tables, name, async () => {
      const list = decodeList(name, await files.whole(fileOf(manifest, 'list', name)))
      pages.locate(name, list.orders)
      return list
    })

  /** Returns rows by their positions in a stored order, checked against the ids of the table if there is one. */
  async function rowsAt(name: ListName, sort: string, positions: readonly number[]): Promise<object[]> {
    const rows = await pages.rows(name, sort, positions)
    const list = await tables.get(name)
    if (!list) return rows
    const spec = specOf<object>(name)
    const { ordinals } = list.orders[sort]!
    rows.forEach((row, i) => {
      const [found, id] = [spec.id(row), list.id(ordinals[positions[i]!]!)]
      if (found !== id) throw new SnapshotError('malformed', `the row of ${id} in ${name} is that of ${found}`)
    })
    return rows
  }

  /** Returns where the entry of an id is in the catalog shard of the list's name; null for an unknown id. */
  async function located(name: ListName, id: string): Promise<{ id: string; span: Span } | null> {
    if (!tables.has(name) && keys.has(name)) {
      const found = await keys.find(name, id)
      return found && { id: specOf<object>(name).id(found.row), span: await keys.entryOf(name, found) }
    }
    const list = await table(name)
    const ordinal = list.ordinalOf(id)
    return ordinal === undefined ? null : entryIn(list, ordinal)
  }

  function entryIn(list: List, ordinal: number): { id: string; span: Span } {
    if (!list.entries) throw new SnapshotError('malformed', `${list.name} has no entries`)
    const { at, length } = list.entries
    return { id: list.id(ordinal), span: { at: at[ordinal]!, length: length[ordinal]! } }
  }

  async function entryOf(name: ListName, of: string | { ordinal: number }): Promise<ReadMember | null> {
    const found = typeof of === 'string' ? await located(name, of) : entryIn(await table(name), of.ordinal)
    if (!found) return null
    const bytes = (await files.parts(fileOf(manifest, 'catalog', name), [found.span]))[0]!
    const member = { ...decodeMemberHead(bytes), bytes }
    const wanted = catalogKey(found.id)
    if (member.key !== wanted) throw new SnapshotError('malformed', `a list points to ${member.key} for ${wanted}`)
    return member
  }

  async function rowOf(name: ListName, id: string): Promise<{ ordinal: number; row: object } | null> {
    if (!tables.has(name) && keys.has(name)) return keys.find(name, id)
    const list = await table(name)
    const ordinal = list.ordinalOf(id)
    if (ordinal === undefined) return null
    const [row] = await rowsAt(name, specOf<object>(name).main, [ordinal])
    return { ordinal, row: row! }
  }

  /** Returns the position after a key in a stored order; null if only the table knows it. */
  async function positionAfter(name: ListName, sort: string, after: RowKey | null): Promise<number | null> {
    if (after === null) return 0
    const known = issued.get(issuedKey(name, sort, after))
    if (known) return known.position
    const spec = specOf<object>(name)
    if (sort !== spec.main || !keys.has(name)) return null
    const found = await keys.find(name, after.id)
    const isSame = found && spec.id(found.row) === after.id && keyOf(sort, name, found.row).value === after.value
    return isSame ? found.ordinal + 1 : null
  }

  /** Returns a request with the products of its vendor as matches: only the list of vendors has them. */
  async function withoutVendor(request: ListRequest): Promise<ListRequest> {
    const { vendor, ...equal } = request.filters.equal ?? {}
    if (vendor === undefined) return request
    const found = await keys.find('vendors', vendor)
    const products = found ? await keys.productsOf(found) : new Uint32Array()
    const matches = request.matches ? intersection([request.matches, products]) : products
    return { ...request, filters: { ...request.filters, equal }, matches }
  }

  /** Returns a slice of a stored order without the table of the list; null if it is necessary. */
  async function sliceWithoutTable(name: ListName, request: ListRequest): Promise<ListSlice | null> {
    const { sort, filters, limit, after, matches } = request
    const { equal = {}, between = {} } = filters
    const spec = specOf<object>(name)
    if (tables.has(name) || sort.descending !== spec.sorts[sort.key]!.descending) return null
    const isBounded = Object.values(between).some(({ least, most }) => least !== undefined || most !== undefined)
    if (isBounded || Object.values(equal).some((value) => value !== undefined)) return null
    if (matches) {
      if (sort.key !== spec.main || !keys.has(name)) return null
      await keys.locate(name)
    }
    const position = await positionAfter(name, sort.key, after)
    if (position === null) return null
    const passing = matches
    const count = passing?.length ?? fileOf(manifest, 'list', name).count
    const start = passing ? lowerBound(passing, position) : position
    const end = Math.min(start + limit, count)
    const positions = Array.from({ length: Math.max(0, end - start) }, (_, i) => passing?.[start + i] ?? start + i)
    const slice = {
      ordinals: sort.key === spec.main ? positions : null,
      positions,
      start: passing ? null : start,
      count,
    }
    const last = positions.at(-1)
    if (last === undefined || end === count) return { ...slice, next: null }
    // All of them, because the answer needs them too.
    const rows = await pages.rows(name, sort.key, positions)
    const next = keyOf(sort.key, name, rows.at(-1)!)
    issued.set(issuedKey(name, sort.key, next), { position: last + 1 })
    return { ...slice, next }
  }

  async function sliceOf(name: ListName, request: ListRequest): Promise<ListSlice> {
    if (fileOf(manifest, 'list', name).count === 0) {
      return { ordinals: [], positions: [], start: 0, count: 0, next: null }
    }
    const own = await withoutVendor(request)
    const { sort, filters, limit, after, matches } = own
    const slice = await sliceWithoutTable(name, own)
    if (slice) return slice
    const list = await table(name)
    const order = listOrderView(list, sort)
    const passing = passingPositions(list, order, filters, matches)
    const { start, end, count, ordinals } = sliceAfter(order, passing, after, limit)
    const last = ordinals.at(-1)
    const { positions } = list.orders[sort.key]!
    return {
      ordinals,
      positions: ordinals.map((ordinal) => positions[ordinal]!),
      start: passing === null && order.stored ? start : null,
      count,
      next: end < count && last !== undefined ? order.keyOf(last) : null,
    }
  }

  const textsAt = async (name: ListName, sort: string, positions: readonly number[]): Promise<string[]> =>
    (await rowsAt(name, sort, positions)).map((row) => JSON.stringify(row))

  /** The last segment of a list may be short. */
  const positionsIn = (name: ListName, { page, segment }: PageSegment): number[] => {
    const from = page * ROWS_PER_PAGE + segment * ROWS_PER_SEGMENT
    const length = Math.min(ROWS_PER_SEGMENT, fileOf(manifest, 'list', name).count - from)
    return Array.from({ length }, (_, i) => from + i)
  }

  const dataOf = (name: ListName): ListData => ({
    *slice(request) {
      return yield* awaited(sliceOf(name, request))
    },
    *pieces(sort, segments) {
      const positions = segments.flatMap((one) => positionsIn(name, one))
      const texts = yield* awaited(textsAt(name, sort, positions))
      return [texts.join(',')]
    },
    *rows(sort, { positions }) {
      return yield* awaited(textsAt(name, sort, positions))
    },
    *row(id) {
      const found = yield* awaited(rowOf(name, id))
      return (
        found && { id: specOf<object>(name).id(found.row), ordinal: found.ordinal, text: JSON.stringify(found.row) }
      )
    },
    *entry(of) {
      return yield* awaited(entryOf(name, of))
    },
    *extra() {
      return (yield* awaited(table(name))).extra
    },
  })

  const data = Object.fromEntries(LIST_NAMES.map((name) => [name, dataOf(name)])) as Record<ListName, ListData>
  return { data, table, keys }
}

const keyOf = (sort: string, list: ListName, row: object): RowKey => {
  const { sorts, id } = specOf<object>(list)
  return { value: cursorValue(sorts[sort]!.key(row)), id: cursorId(id(row)) }
}

const issuedKey = (list: ListName, sort: string, key: RowKey) => JSON.stringify([list, sort, key.value, key.id])
