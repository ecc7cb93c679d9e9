/**
 * Compares sort keys (rule 6) for orders, page shards, merges and cursors: in the requested direction, nulls always
 * last. Callers break ties by id.
 */
import { compareText } from '../../model/sources.ts'

export interface SortOrder {
  key: string
  descending: boolean
}

export const CVE_SORTS = ['published', 'updated', 'cvss', 'epss'] as const
export type CveSort = (typeof CVE_SORTS)[number]

export const bySort = <T>(make: (sort: CveSort) => T): Record<CveSort, T> =>
  Object.fromEntries(CVE_SORTS.map((sort) => [sort, make(sort)])) as Record<CveSort, T>

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
