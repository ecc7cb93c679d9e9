/** Records as OSV's interface answers them. Clients reject a record with a key that the OSV schema lacks. */
import { type Piece, plainBytes, type ReadMember, spliced } from '../../corpus/snapshot/index.ts'

/** The keys of an object, or of each object of a list. Null permits any value. */
interface Shape {
  readonly [key: string]: Shape | null
}

const SEVERITY: Shape = { type: null, score: null }
const EVENT: Shape = { introduced: null, fixed: null, last_affected: null, limit: null }

/** OSV schema 1.7. */
const RECORD: Shape = {
  schema_version: null,
  id: null,
  modified: null,
  published: null,
  withdrawn: null,
  aliases: null,
  upstream: null,
  related: null,
  summary: null,
  details: null,
  severity: SEVERITY,
  affected: {
    package: { ecosystem: null, name: null, purl: null },
    severity: SEVERITY,
    ranges: { type: null, repo: null, events: EVENT, database_specific: null },
    versions: null,
    ecosystem_specific: null,
    database_specific: null,
  },
  references: { type: null, url: null },
  credits: { name: null, contact: null, type: null },
  database_specific: null,
}

/** Returns the record as published, or without the keys that the schema lacks. */
export function recordPiece(member: ReadMember): Piece {
  const segment = member.segments[0]!
  const record: unknown = JSON.parse(plainBytes(member.bytes, segment).toString())
  return fits(record, RECORD) ? spliced(member, segment) : JSON.stringify(fitted(record, RECORD))
}

function fits(value: unknown, shape: Shape): boolean {
  if (Array.isArray(value)) return value.every((item) => fits(item, shape))
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => {
    const known = shapeOf(shape, key)
    return known === null || (known !== undefined && fits(inner, known))
  })
}

function fitted(value: unknown, shape: Shape): unknown {
  if (Array.isArray(value)) return value.map((item) => fitted(item, shape))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    const known = shapeOf(shape, key)
    return known === undefined ? [] : [[key, known === null ? inner : fitted(inner, known)] as const]
  })
  return Object.fromEntries(entries)
}

const shapeOf = (shape: Shape, key: string): Shape | null | undefined =>
  Object.hasOwn(shape, key) ? shape[key] : undefined
