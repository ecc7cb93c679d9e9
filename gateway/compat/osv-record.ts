/** Records as OSV's interface answers them. Clients reject a whole answer for a key or a time that the OSV schema lacks. */
import { utcTimestamp } from '../../corpus/model/values/date.ts'
import { type Piece, plainBytes, type ReadMember, spliced } from '../../corpus/snapshot/index.ts'

/** The keys of an object, or of each object of a list. */
interface Shape {
  readonly [key: string]: Shape | 'any' | 'time'
}

const SEVERITY: Shape = { type: 'any', score: 'any' }
const EVENT: Shape = { introduced: 'any', fixed: 'any', last_affected: 'any', limit: 'any' }

/** OSV schema 1.7. */
const RECORD: Shape = {
  schema_version: 'any',
  id: 'any',
  modified: 'time',
  published: 'time',
  withdrawn: 'time',
  aliases: 'any',
  upstream: 'any',
  related: 'any',
  summary: 'any',
  details: 'any',
  severity: SEVERITY,
  affected: {
    package: { ecosystem: 'any', name: 'any', purl: 'any' },
    severity: SEVERITY,
    ranges: { type: 'any', repo: 'any', events: EVENT, database_specific: 'any' },
    versions: 'any',
    ecosystem_specific: 'any',
    database_specific: 'any',
  },
  references: { type: 'any', url: 'any' },
  credits: { name: 'any', contact: 'any', type: 'any' },
  database_specific: 'any',
}

/** The value of `modified`, which the schema requires, for a record without a valid one. It is the zero of Go's times. */
export const UNKNOWN_TIME = '0001-01-01T00:00:00Z'

/**
 * Returns the record as published. Keys that the schema lacks, and invalid times, are left out; a time in another form
 * than RFC 3339 in UTC is converted.
 */
export function recordPiece(member: ReadMember): Piece {
  const segment = member.segments[0]!
  const record = JSON.parse(plainBytes(member.bytes, segment).toString()) as object
  if (fits(record, RECORD) && Object.hasOwn(record, 'modified')) return spliced(member, segment)
  const { id, ...others } = fitted(record, RECORD) as Record<string, unknown>
  return JSON.stringify({ id, modified: UNKNOWN_TIME, ...others })
}

function fits(value: unknown, shape: Shape): boolean {
  if (Array.isArray(value)) return value.every((item) => fits(item, shape))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => {
    const known = shapeOf(shape, key)
    if (known === 'time') return isTime(inner)
    return known === 'any' || (known !== undefined && fits(inner, known))
  })
}

function fitted(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((item) => fitted(item, shape))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const known = shapeOf(shape, key)
    if (known === undefined) return []
    if (known === 'any') return [[key, inner] as const]
    if (known !== 'time') return [[key, fitted(inner, known)] as const]
    const time = isTime(inner) ? inner : utcTimestamp(String(inner))
    return time === null ? [] : [[key, time] as const]
  })
  return Object.fromEntries(entries)
}

const shapeOf = (shape: Shape, key: string) => (Object.hasOwn(shape, key) ? shape[key] : undefined)

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && RFC_3339.test(value) && (value === UNKNOWN_TIME || utcTimestamp(value) !== null)
