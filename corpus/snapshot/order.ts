/**
 * The one comparator (rule 6): the sort key, then the id, both in the direction asked for; nulls last either way.
 * Orders, page shards, merging and cursors all use it.
 */
import { compareText } from '../model/sources.ts'

export interface SortOrder {
  key: string
  descending: boolean
}

/** The sorts of a list of CVEs. */
export const CVE_SORTS = ['published', 'updated', 'cvss', 'epss'] as const
export type CveSort = (typeof CVE_SORTS)[number]

export const bySort = <T>(make: (sort: CveSort) => T): Record<CveSort, T> =>
  Object.fromEntries(CVE_SORTS.map((sort) => [sort, make(sort)])) as Record<CveSort, T>

/** `-published` and the like, as the API writes a sort. */
export const sortText = ({ key, descending }: SortOrder): string => (descending ? `-${key}` : key)

/** Compares two keys, numbers or folded text (by code points); null sorts behind everything in both directions. */
export function compareKeys<K extends number | string>(a: K | null, b: K | null, descending: boolean): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  const ascending = typeof a === 'string' ? compareText(a, String(b)) : a < b ? -1 : 1
  return descending ? -ascending : ascending
}
