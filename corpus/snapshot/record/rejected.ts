/** The rejected CVEs of a snapshot. SPEC.md, "Rejected". */
import type { Rejection } from '../../model/claim.ts'
import type { CveId } from '../../model/ids/cve-id.ts'
import { MAX_GZIP_PLAIN } from '../bounds.ts'
import { SnapshotError } from '../error.ts'

type Encoded = string | null | [date: string | null, reason: string | null, replacedBy: readonly CveId[]]

/** Lengths in code points to which reasons are cut until the file is within its bound. Zero leaves out all but dates. */
const REASON_LENGTHS = [500, 100, 0]

/** `rejected` is in the order of ids. */
export function encodeRejected(rejected: readonly (Rejection & { cveId: CveId })[]): Buffer {
  let bytes = Buffer.alloc(0)
  for (const length of REASON_LENGTHS) {
    const entries = rejected.map((one) => [one.cveId, encoded(one, length)])
    bytes = Buffer.from(JSON.stringify(Object.fromEntries(entries)))
    if (bytes.length <= MAX_GZIP_PLAIN.rejected) break
  }
  return bytes
}

function encoded({ date, reason, replacedBy }: Rejection, length: number): Encoded {
  if (length === 0 || (reason === null && replacedBy.length === 0)) return date
  const points = [...(reason ?? '')]
  return [date, points.length > length ? `${points.slice(0, length).join('')}…` : reason, replacedBy]
}

/** @throws SnapshotError `malformed` */
export function decodeRejected(bytes: Buffer): Map<string, Rejection> {
  let rejected: unknown
  try {
    rejected = JSON.parse(bytes.toString())
  } catch (cause) {
    throw new SnapshotError('malformed', 'the rejected ids are not JSON', { cause })
  }
  if (typeof rejected !== 'object' || rejected === null) {
    throw new SnapshotError('malformed', 'the rejected ids are not a JSON object')
  }
  return new Map(Object.entries(rejected as Record<string, unknown>).map(([id, value]) => [id, decoded(id, value)]))
}

function decoded(id: string, value: unknown): Rejection {
  const [date, reason, replacedBy]: unknown[] = Array.isArray(value) ? value : [value, null, []]
  const isText = (one: unknown): one is string | null => one === null || typeof one === 'string'
  const isList = (list: unknown): list is CveId[] => Array.isArray(list) && list.every((one) => typeof one === 'string')
  if (isText(date) && (date === null || !Number.isNaN(Date.parse(date))) && isText(reason) && isList(replacedBy)) {
    return { date, reason, replacedBy }
  }
  throw new SnapshotError('malformed', `the rejected ids have no valid entry for ${id}`)
}
