/** The filters of the CVE list, and their form in the address: the parameters of `GET /cves`. */
import { SEVERITIES } from '../../../../model/record.ts'
import type { Params } from '../../data/api.ts'
import { formatDay, formatShare } from '../../parts/format.ts'

/** The values of the filter `severity`, highest first. */
export const BANDS = [...SEVERITIES.toReversed(), 'unscored' as const]

/** One of a few values, in words. */
interface Choice {
  kind: 'choice'
  values: readonly (readonly [value: string, words: string])[]
}

/** A name with suggestions of a type of `/search/suggest`. */
interface Name {
  kind: 'name'
  suggests: 'vendor' | 'product' | 'package' | 'cwe' | 'cna'
  placeholder: string
}

export type Filter = { name: string; label: string; isMain?: true } & (
  | { kind: 'text'; placeholder: string }
  | { kind: 'bands' | 'score' | 'day' | 'ids' }
  | { kind: 'share' | 'change'; of: string }
  | Name
  | Choice
)

const choices = (...values: Choice['values']): Choice => ({ kind: 'choice', values })
const flag = (yes: string, no: string): Choice => choices(['true', yes], ['false', no])

/** In the order of the form. Those that are `isMain` are always visible. */
export const FILTERS: readonly Filter[] = [
  { name: 'text', label: 'Words', kind: 'text', placeholder: 'heap overflow', isMain: true },
  { name: 'severity', label: 'Severity', kind: 'bands', isMain: true },
  { name: 'vendor', label: 'Vendor', kind: 'name', suggests: 'vendor', placeholder: 'apache', isMain: true },
  {
    name: 'product',
    label: 'Product',
    kind: 'name',
    suggests: 'product',
    placeholder: 'apache/http_server',
    isMain: true,
  },
  { name: 'kev', label: 'KEV', ...flag('in KEV', 'not in KEV'), isMain: true },
  { name: 'has_exploit', label: 'Exploit', ...flag('exploit known', 'no exploit known'), isMain: true },
  { name: 'q', label: 'Part of id or title', kind: 'text', placeholder: 'in the id or title' },
  { name: 'has_patch', label: 'Patch', ...flag('patch known', 'no patch known') },
  { name: 'has_workaround', label: 'Workaround', ...flag('workaround known', 'no workaround known') },
  { name: 'has_detection', label: 'Detection', ...flag('detection known', 'no detection known') },
  {
    name: 'state',
    label: 'State',
    ...choices(['published', 'published'], ['reserved', 'reserved']),
  },
  {
    name: 'attack_vector',
    label: 'Attack vector',
    ...choices(
      ['network', 'over the network'],
      ['adjacent', 'from an adjacent network'],
      ['local', 'local access'],
      ['physical', 'physical access'],
    ),
  },
  {
    name: 'privileges_required',
    label: 'Privileges required',
    ...choices(['none', 'no privileges'], ['low', 'low privileges'], ['high', 'high privileges']),
  },
  {
    name: 'user_interaction',
    label: 'User interaction',
    ...choices(
      ['none', 'no user interaction'],
      ['required', 'user interaction'],
      ['passive', 'passive user interaction'],
      ['active', 'active user interaction'],
    ),
  },
  {
    name: 'ssvc_exploitation',
    label: 'SSVC exploitation',
    ...choices(
      ['none', 'SSVC: no exploitation'],
      ['poc', 'SSVC: proof of concept'],
      ['active', 'SSVC: active exploitation'],
    ),
  },
  {
    name: 'ssvc_automatable',
    label: 'SSVC automatable',
    ...choices(['yes', 'SSVC: automatable'], ['no', 'SSVC: not automatable']),
  },
  {
    name: 'ssvc_decision',
    label: 'SSVC decision',
    ...choices(['act', 'SSVC: act'], ['attend', 'SSVC: attend'], ['track*', 'SSVC: track*'], ['track', 'SSVC: track']),
  },
  {
    name: 'tag',
    label: 'Tag of the CNA',
    ...choices(
      ['disputed', 'disputed'],
      ['unsupported-when-assigned', 'unsupported when assigned'],
      ['exclusively-hosted-service', 'hosted service only'],
    ),
  },
  { name: 'package', label: 'Package', kind: 'name', suggests: 'package', placeholder: 'npm/lodash' },
  { name: 'cwe', label: 'Primary weakness', kind: 'name', suggests: 'cwe', placeholder: 'CWE-79' },
  { name: 'assigner', label: 'CNA', kind: 'name', suggests: 'cna', placeholder: 'mitre' },
  { name: 'cvss_min', label: 'Minimum CVSS', kind: 'score' },
  { name: 'cvss_max', label: 'Maximum CVSS', kind: 'score' },
  { name: 'epss_min', label: 'Minimum EPSS', kind: 'share', of: 'EPSS' },
  { name: 'epss_below', label: 'EPSS below', kind: 'share', of: 'EPSS' },
  { name: 'epss_change_min', label: 'Minimum EPSS rise', kind: 'change', of: 'EPSS rise' },
  {
    name: 'epss_change_days',
    label: 'EPSS rise over',
    ...choices(['7', 'EPSS rise over 7 days'], ['30', 'EPSS rise over 30 days']),
  },
  { name: 'published_since', label: 'Published since', kind: 'day' },
  { name: 'published_until', label: 'Published until', kind: 'day' },
  { name: 'updated_since', label: 'Updated since', kind: 'day' },
  { name: 'kev_since', label: 'In KEV since', kind: 'day' },
  { name: 'ids', label: 'CVE ids', kind: 'ids' },
]

const FILTER_NAMES: ReadonlySet<string> = new Set(FILTERS.map(({ name }) => name))

export type SortKey = 'published' | 'updated' | 'cvss' | 'epss' | 'epss_change'
/** `-` before the key means descending. */
export type Sort = SortKey | `-${SortKey}`
export const DEFAULT_SORT: Sort = '-published'

/** The sorts in words. */
export const SORTS: readonly (readonly [Sort, string])[] = [
  ['-published', 'newest publication first'],
  ['published', 'oldest publication first'],
  ['-updated', 'latest update first'],
  ['updated', 'earliest update first'],
  ['-cvss', 'highest CVSS score first'],
  ['cvss', 'lowest CVSS score first'],
  ['-epss', 'highest EPSS score first'],
  ['epss', 'lowest EPSS score first'],
  ['-epss_change', 'largest rise of the EPSS score first'],
  ['epss_change', 'largest fall of the EPSS score first'],
]

/** Names in the address that are no parameters of the API. */
const OF_THE_PAGE: ReadonlySet<string> = new Set(['columns', 'cursor', 'limit'])

const LISTS: ReadonlySet<string> = new Set([
  'severity',
  'ids',
  'attack_vector',
  'privileges_required',
  'user_interaction',
  'ssvc_exploitation',
  'ssvc_automatable',
  'ssvc_decision',
])

/**
 * Returns the parameters of `GET /cves`. A list that is given twice is joined (API 3.3). Unknown names stay: the API
 * rejects them and states the nearest name.
 */
export function paramsOf(query: URLSearchParams): Record<string, string> {
  const params: Record<string, string> = {}
  for (const name of new Set(query.keys())) {
    if (OF_THE_PAGE.has(name)) continue
    const values = query.getAll(name).filter((value) => value !== '')
    if (values.length > 0) params[name] = LISTS.has(name) ? values.join(',') : values.at(-1)!
  }
  return params
}

/** Returns the query with other values. Null and the empty text remove a parameter. */
export function changed(query: URLSearchParams, values: Readonly<Record<string, string | null>>): Params {
  const params: Params = { ...Object.fromEntries(query), ...paramsOf(query), ...values }
  delete params.cursor
  if (params.sort === DEFAULT_SORT) delete params.sort
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null && value !== ''))
}

/** The members of a list, in the order of the address, each once. */
export const membersOf = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(',').flatMap((member) => member.trim() || [])),
]

export interface Chip {
  text: string
  /** The parameters without this filter, or without this member of a list. */
  rest: Record<string, string | null>
}

/** Returns the active filters in words, in the order of the form, then unknown ones. */
export function chipsOf(query: URLSearchParams): Chip[] {
  const params = paramsOf(query)
  const known = FILTERS.flatMap((filter): Chip[] => {
    const value = params[filter.name]
    if (value === undefined) return []
    if (filter.kind !== 'bands') return [{ text: describe(filter, value), rest: { [filter.name]: null } }]
    const members = membersOf(value)
    return members.map((member) => ({
      text: member,
      rest: { [filter.name]: members.filter((other) => other !== member).join(',') },
    }))
  })
  const unknown = Object.entries(params)
    .filter(([name]) => !FILTER_NAMES.has(name) && name !== 'sort')
    .map(([name, value]) => ({ text: `${name}: ${value}`, rest: { [name]: null } }))
  return [...known, ...unknown]
}

/** A filter in words. A value that is invalid is shown as it is. */
function describe(filter: Filter, value: string): string {
  const { label, kind } = filter
  if (kind === 'choice') {
    const wordsOf = (member: string) => filter.values.find(([one]) => one === member.toLowerCase())?.[1]
    const words = membersOf(value).map(wordsOf)
    if (words.length > 0 && words.every((known) => known !== undefined)) return words.join(' or ')
  }
  if ((kind === 'share' || kind === 'change') && Number.isFinite(Number(value)))
    return `${filter.of} ≥ ${formatShare(Number(value))}`
  if (kind === 'day' && isDay(value)) return `${label} ${formatDay(value)}`
  if (kind === 'ids') return `${membersOf(value).length} CVE ids`
  return `${label}: ${value}`
}

/** Whether the text is a day that exists: `YYYY-MM-DD`. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
