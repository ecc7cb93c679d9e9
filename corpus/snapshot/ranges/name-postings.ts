/** Reads the CVEs of vendors, products and packages when a filter names one for the first time. */
import {
  type CveFilters,
  type CveTables,
  forEachFilter,
  LISTED,
  type Listed,
  NO_ORDINALS,
  SnapshotError,
} from '../index.ts'
import type { RangeLists } from './lists.ts'

export interface NamePostings {
  /**
   * Adds the posting lists that `filters` need to the columns of the snapshot.
   * @throws SnapshotError, TransferError
   */
  load(filters: CveFilters): Promise<void>
}

export function openNamePostings({ columns }: Pick<CveTables, 'columns'>, { keys }: RangeLists): NamePostings {
  const known = forEachFilter(() => new Map<string, Uint32Array>())

  async function loadFilter(filter: Listed, name: string): Promise<void> {
    const lists = known[filter]
    columns[filter] ??= { of: (key) => lists.get(key) ?? NO_ORDINALS }
    const found = await keys.find(LISTED[filter], name)
    if (!found || lists.has(name)) return
    const ordinals = await keys.cvesOf(filter, found)
    if (ordinals.length > 0 && ordinals.at(-1)! >= columns.count) {
      throw new SnapshotError('malformed', `the posting list of ${name} is damaged`)
    }
    lists.set(name, ordinals)
  }

  return {
    async load(filters) {
      const needed = (Object.keys(LISTED) as Listed[]).filter((filter) => filters[filter] !== undefined)
      await Promise.all(needed.map((filter) => loadFilter(filter, filters[filter]!)))
    },
  }
}
