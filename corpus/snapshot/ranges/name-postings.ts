/** Reads the CVEs of vendors, products and packages when a filter names one for the first time. */
import {
  type CveFilters,
  type CveTables,
  decodeListPostings,
  fileOf,
  forEachFilter,
  LISTED,
  type Listed,
  type ListPostings,
  type Manifest,
  NO_ORDINALS,
  postingsOf,
  SnapshotError,
} from '../index.ts'
import type { FileParts } from './file-parts.ts'
import type { RangeLists } from './lists.ts'

export interface NamePostings {
  /**
   * Adds the posting lists that `filters` need to the columns of the snapshot.
   * @throws SnapshotError, TransferError
   */
  load(filters: CveFilters): Promise<void>
}

export function openNamePostings(
  manifest: Manifest,
  { columns }: Pick<CveTables, 'columns'>,
  objects: FileParts,
  tables: RangeLists,
): NamePostings {
  const counts = () => forEachFilter((filter) => fileOf(manifest, 'list', LISTED[filter]).count)
  const once = <T>(read: () => Promise<T>): (() => Promise<T>) => {
    let reading: Promise<T> | null = null
    return () => {
      reading ??= read().catch((error) => {
        reading = null
        throw error
      })
      return reading
    }
  }
  const postings = once(
    async (): Promise<ListPostings> =>
      decodeListPostings(await objects.whole(fileOf(manifest, 'columns', 'lists')), counts(), columns.count),
  )
  const loading = forEachFilter((filter) =>
    once(async () => {
      const lists = await postings()
      const name = LISTED[filter]
      const { ids, ordinalOf } = await tables.table(name)
      if (ids.length !== lists[filter].starts.length - 1) {
        throw new SnapshotError('malformed', `the list ${name} and its posting lists have different lengths`)
      }
      const all = { keys: { get: ordinalOf }, ...lists[filter] }
      columns[filter] = { of: (key) => postingsOf(all, key) }
    }),
  )
  const few = forEachFilter(() => new Map<string, Uint32Array>())

  /** Adds the posting list of one name, without those of the others. */
  async function loadOne(filter: Listed, name: string): Promise<void> {
    const { keys } = tables
    const lists = few[filter]
    columns[filter] ??= { of: (key) => lists.get(key) ?? NO_ORDINALS }
    const found = await keys.find(LISTED[filter], name)
    if (!found || lists.has(name)) return
    const ordinals = await keys.cvesOf(filter, found)
    if (ordinals.length > 0 && ordinals.at(-1)! >= columns.count) {
      throw new SnapshotError('malformed', `the posting list of ${name} is damaged`)
    }
    lists.set(name, ordinals)
  }

  const loadFilter = (filter: Listed, name: string) =>
    tables.keys.has(LISTED[filter]) ? loadOne(filter, name) : loading[filter]()

  return {
    async load(filters) {
      const needed = (Object.keys(LISTED) as Listed[]).filter((filter) => filters[filter] !== undefined)
      await Promise.all(needed.map((filter) => loadFilter(filter, filters[filter]!)))
    },
  }
}
