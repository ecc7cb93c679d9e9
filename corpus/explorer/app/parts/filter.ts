/** Filters of lists, as `Filters` shows them. Their values are in the address. */
import type { Params } from '../data/api.ts'

export interface TextFilter {
  kind: 'text'
  name: string
  label: string
  hint?: string
}

export interface ChoiceFilter {
  kind: 'choice'
  name: string
  label: string
  /** Values and their names. The first one is chosen without a parameter; its value is empty, or the default. */
  options: readonly (readonly [value: string, name: string])[]
}

export interface DayFilter {
  kind: 'day'
  name: string
  label: string
}

/** Filters that are `isMain` come first, and are visible on narrow screens too. */
export type Filter = (TextFilter | ChoiceFilter | DayFilter) & { isMain?: true }

/** Returns the parameters of the address that the filters have. */
export const filterParams = (filters: readonly Filter[], query: URLSearchParams): Params =>
  Object.fromEntries(filters.map(({ name }) => [name, query.get(name)]))

/** Returns the options of a filter: any value, then each of these. */
export const choices = (
  values: readonly string[],
  nameOf: (value: string) => string = (value) => value,
): ChoiceFilter['options'] => [['', 'any'], ...values.map((value) => [value, nameOf(value)] as const)]

/** Severity and KEV, for the CVEs of an entry. */
export const CVE_FILTERS: readonly ChoiceFilter[] = [
  {
    kind: 'choice',
    name: 'severity',
    label: 'Severity',
    options: [
      ['', 'any'],
      ['critical,high', 'high or critical'],
      ['critical', 'critical'],
      ['high', 'high'],
      ['medium', 'medium'],
      ['low', 'low'],
      ['none', 'none'],
    ],
  },
  {
    kind: 'choice',
    name: 'kev',
    label: 'KEV',
    options: [
      ['', 'any'],
      ['true', 'in KEV'],
      ['false', 'not in KEV'],
    ],
  },
]

/** Returns the control of the sort. The first key is the default. */
export const sortFilter = (options: ChoiceFilter['options']): ChoiceFilter => ({
  kind: 'choice',
  name: 'sort',
  label: 'Sort',
  options,
})

export const CVE_SORT: ChoiceFilter = sortFilter([
  ['-published', 'newest first'],
  ['-cvss', 'highest CVSS score first'],
  ['-epss', 'highest EPSS score first'],
  ['published', 'oldest first'],
])
