/**
 * Compares sort keys (rule 6) for orders, page shards, merges and cursors: in the requested direction, nulls always
 * last. Callers break ties by id.
 */
import type { ChangeDays } from '../../model/epss/changes.ts'
import { compareText } from '../../model/sources.ts'

export interface SortOrder {
  key: string
  descending: boolean
}

/** Sorts with pages in the snapshot. */
export const STORED_SORTS = ['published', 'updated', 'cvss', 'epss'] as const
export type StoredSort = (typeof STORED_SORTS)[number]

/** Sorts by the change of the EPSS score. A reader sorts the rows itself. */
export const CHANGE_SORTS = { epss_change_7: 7, epss_change_30: 30 } as const satisfies Record<string, ChangeDays>
export type ChangeSort = keyof typeof CHANGE_SORTS

export type CveSort = StoredSort | ChangeSort

export const changeSort = (days: ChangeDays): ChangeSort => `epss_change_${days}`

export const isStored = (sort: CveSort): sort is StoredSort => !(sort in CHANGE_SORTS)

export const byStoredSort = <T>(make: (sort: StoredSort) => T): Record<StoredSort, T> => ({
  published: make('published'),
  updated: make('updated'),
  cvss: make('cvss'),
  epss: make('epss'),
})

export const bySort = <T>(make: (sort: CveSort) => T): Record<CveSort, T> => ({
  ...byStoredSort(make),
  epss_change_7: make('epss_change_7'),
  epss_change_30: make('epss_change_30'),
})

/** Returns a sort as the API writes it: `-published`. */
export const sortText = ({ key, descending }: SortOrder): string => (descending ? `-${key}` : key)

/** Compares two keys: numbers, or folded text by code points. Null sorts last in both directions. */
export function compareKeys<K extends number | string>(a: K | null, b: K | null, descending: boolean): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  const ascending = typeof a === 'string' ? compareText(a, String(b)) : a < b ? -1 : 1
  return descending ? -ascending : ascending
}
