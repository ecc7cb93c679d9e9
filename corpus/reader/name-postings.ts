/** Reads the CVEs of vendors, products and packages when a filter names one for the first time. */
import { ECOSYSTEMS, knownEcosystems } from '../model/versions/ecosystems.ts'
import {
  type CveFilters,
  decodeListPostings,
  fileOf,
  forEachFilter,
  hasListPostings,
  LISTED,
  type Listed,
  type ListPostings,
  type Manifest,
  SnapshotError,
} from '../snapshot/index.ts'
import type { Lists } from './lists.ts'
import type { Objects } from './objects.ts'
import type { ReadSnapshot } from './open.ts'

export interface NamePostings {
  /**
   * Adds the posting lists that `filters` need to the columns of the snapshot.
   * @throws TypeError if the snapshot has no such ecosystem
   * @throws SnapshotError, TransferError
   */
  load(filters: CveFilters): Promise<void>
}

export function openNamePostings(
  manifest: Manifest,
  { columns }: ReadSnapshot,
  objects: Objects,
  tables: Lists,
  ecosystems: readonly string[],
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
      const { ids, ordinalOf } = (await tables.table(name))!
      if (ids.length !== lists[filter].starts.length - 1) {
        throw new SnapshotError('malformed', `the list ${name} and its posting lists have different lengths`)
      }
      const keys = { get: ordinalOf, keys: () => ids as readonly string[] }
      columns[filter] = { keys, ...lists[filter] }
    }),
  )
  const few = forEachFilter(() => ({ at: new Map<string, number>(), starts: [0], lists: [] as Uint32Array[] }))

  /** Adds the posting list of one name, without those of the others. */
  async function loadOne(filter: Listed, name: string): Promise<void> {
    const { keys } = tables
    const found = await keys.find(LISTED[filter], name)
    if (!found || few[filter].at.has(name)) return
    const ordinals = await keys.cvesOf(filter, found)
    if (ordinals.length > 0 && ordinals.at(-1)! >= columns.count) {
      throw new SnapshotError('malformed', `the posting list of ${name} is damaged`)
    }
    const { at, starts, lists } = few[filter]
    if (at.has(name)) return
    at.set(name, lists.length)
    lists.push(ordinals)
    starts.push(starts.at(-1)! + ordinals.length)
    const all = new Uint32Array(starts.at(-1)!)
    lists.forEach((list, i) => {
      all.set(list, starts[i])
    })
    columns[filter] = { keys: at, starts: Uint32Array.from(starts), ordinals: all }
  }

  const loadFilter = (filter: Listed, name: string) => {
    if (!tables.keys.has(LISTED[filter])) return loading[filter]()
    columns[filter] ??= { keys: few[filter].at, starts: new Uint32Array(1), ordinals: new Uint32Array() }
    return loadOne(filter, name)
  }

  return {
    async load(filters) {
      // Without the posting lists, the search rejects the filter.
      if (!hasListPostings(manifest)) return
      const needed = (Object.keys(LISTED) as Listed[]).filter((filter) => filters[filter] !== undefined)
      if (filters.package !== undefined) assertEcosystem(filters.package, ecosystems)
      await Promise.all(needed.map((filter) => loadFilter(filter, filters[filter]!)))
    },
  }
}

/** @throws TypeError unless the schema or a package of the snapshot has the ecosystem of `key` */
function assertEcosystem(key: string, ecosystems: readonly string[]): void {
  const ecosystem = key.slice(0, key.indexOf('/'))
  if (ECOSYSTEMS.includes(ecosystem)) return
  const known = knownEcosystems(ecosystems)
  if (known.includes(ecosystem)) return
  throw new TypeError(`option 'package' has an unknown ecosystem '${ecosystem}'; known ones are ${known.join(', ')}`)
}
