/** The parameters of FIRST's EPSS interface. Unknown ones are ignored, as FIRST does. */
import { invalidParameter } from '../../corpus/answers/errors.ts'
import { refuse } from '../../corpus/answers/parameters/parameter.ts'
import { type CveId, parseCveId } from '../../corpus/model/ids/cve-id.ts'
import { utcDate } from '../../corpus/model/values/date.ts'
import { toBillionths } from '../../corpus/snapshot/index.ts'
import { parseForm } from './form.ts'

const MOST_FIELDS = 40
const MOST_ROWS = 10_000
const USUAL_ROWS = 100

/** Bounds in billionths, both included. */
export interface Range {
  least: number
  most: number
}

export interface EpssQuery {
  /** Without repetitions; null for all CVEs. */
  ids: readonly CveId[] | null
  /** A part of a CVE id, in upper case. */
  q: string | null
  /** `YYYY-MM-DD`; null for the current edition. */
  date: string | null
  /** The score was added in the last `days` days. */
  days: number | null
  score: Range
  percentile: Range
  order: { by: 'cve' | 'score' | 'percentile'; descending: boolean }
  hasSeries: boolean
  offset: number
  limit: number
  hasEnvelope: boolean
  isPretty: boolean
}

/** `search` includes the `?`, or is empty. The last one of repeated parameters counts. @throws ApiError 400 or 413 */
export function epssQuery(search: string): EpssQuery {
  const fields = new Map(parseForm(Buffer.from(search.slice(1)), MOST_FIELDS))
  const read = <T>(name: string, fallback: T, allowed: string, parse: (text: string) => T | null): T => {
    const text = fields.get(name)?.trim() ?? ''
    if (text === '') return fallback
    const value = parse(text)
    if (value === null) throw refuse(name, text, allowed)
    return value
  }
  const whole = (name: string, fallback: number, least: number, most: number) =>
    read(name, fallback, `a whole number from ${least} to ${most}`, (text) =>
      /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : null,
    )
  const bound = (name: string, fallback: number) =>
    read(name, fallback, 'a number from 0 to 1', (text) =>
      /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) && Number(text) <= 1 ? toBillionths(Number(text)) : null,
    )
  const flag = (name: string, fallback: boolean) =>
    read(name, fallback, 'true, false, 1 or 0', (text) => FLAGS.get(text.toLowerCase()) ?? null)
  const range = (name: string): Range => ({
    least: bound(`${name}-gt`, 0),
    most: bound(`${name}-lt`, toBillionths(1)),
  })

  if (fields.has('order') && fields.has('sort')) {
    throw invalidParameter('sort', "'order' and 'sort' are two names of one parameter; use one of them")
  }
  return {
    ids: idsIn(fields.get('cve') ?? ''),
    q: fields.get('q')?.trim().toUpperCase() || null,
    date: read('date', null, 'a date such as 2024-10-24', (text) => (utcDate(text) === text ? text : null)),
    days: fields.get('days') ? whole('days', 0, 1, 100_000) : null,
    score: range('epss'),
    percentile: range('percentile'),
    order: orderIn(fields.has('sort') ? 'sort' : 'order', read),
    hasSeries: read('scope', false, 'public or time-series', (text) => SCOPES.get(text) ?? null),
    offset: whole('offset', 0, 0, 999_999_999),
    limit: whole('limit', USUAL_ROWS, 0, MOST_ROWS),
    hasEnvelope: flag('envelope', true),
    isPretty: flag('pretty', false),
  }
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const SCOPES: ReadonlyMap<string, boolean> = new Map([
  ['public', false],
  ['time-series', true],
])

const FIELDS: ReadonlyMap<string, EpssQuery['order']['by']> = new Map([
  ['cve', 'cve'],
  ['epss', 'score'],
  ['percentile', 'percentile'],
])

/** The newest ids come first by default. `!` or `-` before a field means descending. */
function orderIn(
  name: string,
  read: <T>(name: string, fallback: T, allowed: string, parse: (text: string) => T | null) => T,
): EpssQuery['order'] {
  const allowed = 'cve, epss or percentile, after ! for descending order'
  return read(name, { by: 'cve', descending: true }, allowed, (text) => {
    const descending = /^[!-]/.test(text)
    const by = FIELDS.get(descending ? text.slice(1) : text)
    return by === undefined ? null : { by, descending }
  })
}

/** As FIRST does, ignores what is no CVE id beside others: some clients omit every score after an error. @throws ApiError 400 */
function idsIn(text: string): CveId[] | null {
  if (text.trim() === '') return null
  const ids = text.split(',').flatMap((part) => parseCveId(part.trim()) ?? [])
  if (ids.length === 0) throw refuse('cve', text, 'CVE ids, separated by commas')
  return [...new Set(ids)]
}
