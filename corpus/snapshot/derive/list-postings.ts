/** Posting lists of vendors, products and packages: their CVEs. SPEC.md, "Columns", file `lists`. */
import { parseCveId } from '../../model/ids/cve-id.ts'
import { decodeTable, encodeTable } from '../codec/table.ts'
import type { ListName } from '../cursor/lists.ts'
import type { AdvisoryRows, PackageRows } from './advisory-rows.ts'
import type { AliasSets } from './aliases.ts'
import { decodePostingLists, type PostingLists, postingLists } from './postings.ts'

/** Each filter of CVEs by the rows of a list, with its list. */
export const LISTED = { vendor: 'vendors', product: 'products', package: 'packages' } as const satisfies Record<
  string,
  ListName
>
export type Listed = keyof typeof LISTED
const FILTERS = Object.keys(LISTED) as Listed[]

/** The ordinals of each row of a list, in the main order of the list. Plain data, so that threads can transfer it. */
export type ListPostings = Record<Listed, PostingLists>

/** For each list row, in the main order of the list: the row numbers of its CVEs. */
export type ListedCves = Record<Listed, readonly (readonly number[])[]>

/** Returns the posting lists. Each ascends. */
export function listPostings(cves: ListedCves, ordinalOfRow: Uint32Array): ListPostings {
  return forEachFilter((filter) => {
    const lists = postingLists(cves[filter])
    const { starts, ordinals } = lists
    ordinals.forEach((row, at) => {
      ordinals[at] = ordinalOfRow[row]!
    })
    for (let at = 1; at < starts.length; at++) {
      const [start, end] = [starts[at - 1]!, starts[at]!]
      if (end - start > 1) ordinals.subarray(start, end).sort()
    }
    return lists
  })
}

/**
 * Returns the rows of the CVEs of each package: those that its advisories name, and those in their alias sets, as in rows
 * of `/affected`.
 */
export function cvesOfPackages(
  { advisories: ofPackages }: PackageRows,
  advisories: AdvisoryRows,
  { ids, setOf, starts, members }: AliasSets,
  cveIds: readonly string[],
): number[][] {
  const rowOf = new Map(cveIds.map((id, row) => [id, row]))
  const advisoryAt = new Map(advisories.keys.map((id, at) => [id, at]))
  const addRow = (found: Set<number>, cveId: string | null) => {
    const row = cveId === null ? undefined : rowOf.get(cveId)
    if (row !== undefined) found.add(row)
  }
  const known = new Map<number, ReadonlySet<number>>()
  const rowsOfSet = (set: number): ReadonlySet<number> => {
    const before = known.get(set)
    if (before) return before
    const found = new Set<number>()
    for (const member of members.subarray(starts[set], starts[set + 1])) addRow(found, parseCveId(ids[member]!))
    known.set(set, found)
    return found
  }
  return ofPackages.map((advisoryIds) => {
    const found = new Set<number>()
    for (const id of advisoryIds) {
      // An advisory with aliases is in one set with them.
      const set = setOf.get(id)
      if (set === undefined) addRow(found, parseCveId(id))
      else for (const row of rowsOfSet(set)) found.add(row)
      const at = advisoryAt.get(id)
      if (at !== undefined) for (const cveId of advisories.cveIds[at]!) addRow(found, cveId)
    }
    return [...found]
  })
}

export function encodeListPostings(postings: ListPostings): Buffer {
  const columns = FILTERS.flatMap((filter) => {
    const { starts, ordinals } = postings[filter]
    return [
      [`${filter}.starts`, starts],
      [`${filter}.ordinals`, ordinals],
    ] as const
  })
  return encodeTable({ about: {}, columns: Object.fromEntries(columns) })
}

/**
 * Decodes the posting lists. They are views of `bytes`, which must not change afterwards. `counts` has the number of
 * rows of each list, or null if it is not known; `cves` is the number of CVEs.
 * @throws SnapshotError `malformed`
 */
export function decodeListPostings(
  bytes: Uint8Array,
  counts: Record<Listed, number> | null,
  cves: number,
): ListPostings {
  const table = decodeTable(bytes)
  return forEachFilter((filter) => decodePostingLists(table, counts?.[filter] ?? null, `${filter}.`, cves))
}

/** Returns the number of ordinals in all lists. */
export const countListed = (postings: ListPostings): number =>
  FILTERS.reduce((sum, filter) => sum + postings[filter].ordinals.length, 0)

export const forEachFilter = <T>(make: (filter: Listed) => T): Record<Listed, T> =>
  Object.fromEntries(FILTERS.map((filter) => [filter, make(filter)])) as Record<Listed, T>
