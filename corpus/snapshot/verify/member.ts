/** Verifies one member, down to every byte. SPEC.md, "Member". */

import { crc32, inflateRawSync } from 'node:zlib'
import { editionText, quarterOf, readEditions } from '../../model/epss/history.ts'
import { parseCveId } from '../../model/ids/cve-id.ts'
import { PART_NAMES } from '../../model/record.ts'
import { parseUntrustedJson } from '../../model/values/json-text.ts'
import { shortHash } from '../../runtime/digest.ts'
import { FINAL_BLOCK } from '../codec/deflate.ts'
import { storedBytes } from '../codec/segment-bytes.ts'
import { ROWS_KIND, ROWS_PER_SEGMENT, SEGMENTS_PER_PAGE } from '../derive/pages.ts'
import { SnapshotError } from '../error.ts'
import { ENTRY_KIND } from '../record/catalog.ts'
import { CVE_PARTS } from '../record/cve-member.ts'
import { HISTORY_KIND, isHistoryKey } from '../record/epss-history.ts'
import { HASHED_KINDS } from '../record/hashed-shard.ts'
import type { Segment } from '../record/member.ts'
import type { LocatedMember } from '../record/shard.ts'

/** CRC-32 and length of the plain bytes (RFC 1952 2.3.1). */
const TRAILER_BYTES = 8

/**
 * Checks a member of a shard. `bytes` contains exactly this member.
 * @throws SnapshotError
 */
export function verifyMember(role: ShardRole, member: LocatedMember, bytes: Buffer): void {
  const trailer = bytes.subarray(bytes.length - TRAILER_BYTES)
  // The blocks between segments are stored, so they inflate to at most their own length.
  const most = member.segments.reduce((sum, { plainLength }) => sum + plainLength, member.length)
  if (trailer.readUInt32LE(4) > most) damaged(`it states ${trailer.readUInt32LE(4)} bytes, but its segments have fewer`)
  const whole = inflateExactly(bytes.subarray(member.headLength, -TRAILER_BYTES), trailer.readUInt32LE(4), 'it')
  if (crc32(whole) !== trailer.readUInt32LE(0)) damaged('it does not match its CRC-32')
  const plain = member.segments.map((segment) => ({ segment, text: segmentText(bytes, segment) }))
  const glued = GLUED[role](member.key, plain)
  if (glued !== whole.toString()) damaged('its text differs from its segments')
}

const GLUED = {
  cve: gluedRecord,
  'epss-history': gluedHistory,
  pages: gluedRows,
  catalog: gluedEntry(ENTRY_KIND),
  advisories: gluedEntry(HASHED_KINDS.advisories),
  packages: gluedEntry(HASHED_KINDS.packages),
}

export type ShardRole = keyof typeof GLUED

type SegmentText = { segment: Segment; text: string }

function segmentText(bytes: Buffer, segment: Segment): string {
  const what = `its segment of kind ${segment.kind}`
  // A segment must not contain a final block, which would end a spliced answer early. The appended final block detects
  // that.
  const stored = Buffer.concat([storedBytes(bytes, segment), FINAL_BLOCK])
  const plain = inflateExactly(stored, segment.plainLength, what)
  if (crc32(plain) !== segment.plainCrc) damaged(`${what} does not match its CRC-32`)
  if (Buffer.compare(shortHash(plain), segment.hash) !== 0) damaged(`${what} does not match its content hash`)
  return plain.toString()
}

/**
 * Returns the plain bytes of a whole DEFLATE stream. Requires exactly `length` bytes, and no unused bytes of the
 * stream.
 */
function inflateExactly(deflated: Buffer, length: number, what: string): Buffer {
  let inflated: { buffer: Buffer; engine: { bytesWritten: number } }
  try {
    // `info` adds the engine to the result; the type declarations omit that.
    inflated = inflateRawSync(deflated, { info: true, maxOutputLength: Math.max(1, length) }) as never
  } catch (cause) {
    return damaged(`${what} does not inflate`, cause)
  }
  if (inflated.engine.bytesWritten !== deflated.length) damaged(`${what} ends before its last byte`)
  if (inflated.buffer.length !== length) damaged(`${what} inflates to ${inflated.buffer.length} bytes, not ${length}`)
  return inflated.buffer
}

/** Returns the text of a record from its segments, with the glue of SPEC.md, "CVE shard". */
function gluedRecord(key: string, segments: readonly SegmentText[]): string {
  const texts = new Map(segments.map(({ segment, text }) => [segment.kind, text]))
  const kinds = PART_NAMES.map((name) => CVE_PARTS[name].kind).filter((kind) => texts.has(kind))
  if (kinds.length !== segments.length || kinds.some((kind, i) => segments[i]!.segment.kind !== kind)) {
    damaged(`its segments have the kinds ${segments.map(({ segment }) => segment.kind).join(', ')}`)
  }
  const parts = PART_NAMES.map((name) => {
    const { kind, before, after, empty } = CVE_PARTS[name]
    const text = texts.get(kind)
    return `"${name}":${text === undefined ? empty : before + text + after}`
  })
  const record = `{${parts.join(',')}}\n`
  const value = parse(record) as Record<string, unknown> & { core: { cve_id?: unknown } | null }
  for (const name of PART_NAMES) {
    const part = value[name]
    const items = Array.isArray(part) ? part.length : 1
    const segment = segments.find(({ segment }) => segment.kind === CVE_PARTS[name].kind)?.segment
    if (segment && segment.count !== items) damaged(`its ${name} contains ${items} items, not ${segment.count}`)
  }
  if (parseCveId(key) !== key) damaged('its key is not a CVE id')
  if (value.core?.cve_id !== key) damaged(`it contains ${String(value.core?.cve_id)}`)
  return record
}

function gluedHistory(key: string, segments: readonly SegmentText[]): string {
  if (!isHistoryKey(key)) damaged('its key is not an id block')
  if (segments.length === 0) damaged('it has no points')
  let last = ''
  for (const { segment, text } of segments) {
    const editions = readEditions(text)
    if (editions === null || editions.length === 0) return damaged('a segment has no editions')
    if (segment.kind !== HISTORY_KIND) damaged(`it has a segment of kind ${segment.kind}`)
    const points = editions.reduce((sum, { ids }) => sum + ids.length, 0)
    if (points !== segment.count) damaged(`a segment contains ${points} points, not ${segment.count}`)
    const quarters = new Set(editions.map(({ date }) => quarterOf(date)))
    const [quarter] = quarters
    if (quarters.size > 1 || quarter! <= last) damaged('its segments are not quarters in their order')
    last = quarter!
    if (editions.map(editionText).join(',') !== text) damaged('its editions are not in their canonical form')
  }
  return `{"editions":[${segments.map(({ text }) => text).join(',')}]}\n`
}

function gluedRows(key: string, segments: readonly SegmentText[]): string {
  if (!/^\d{8,}$/.test(key)) damaged('its key is not a page number')
  if (segments.length === 0 || segments.length > SEGMENTS_PER_PAGE) damaged(`it has ${segments.length} segments`)
  for (const { segment, text } of segments) {
    const rows = parse(`[${text}]`) as unknown[]
    if (segment.kind !== ROWS_KIND) damaged(`it has a segment of kind ${segment.kind}`)
    if (rows.length !== segment.count || rows.length > ROWS_PER_SEGMENT) {
      damaged(`a segment contains ${rows.length} rows, not ${segment.count}`)
    }
  }
  return `{"rows":[${segments.map(({ text }) => text).join(',')}]}\n`
}

function gluedEntry(kind: number) {
  return (key: string, [entry, ...others]: readonly SegmentText[]): string => {
    if (!entry || others.length > 0 || entry.segment.kind !== kind || entry.segment.count !== 1) {
      return damaged('it is not one entry')
    }
    const value = parse(entry.text)
    if (typeof value !== 'object' || value === null) damaged(`${key} is not an object`)
    return `${entry.text}\n`
  }
}

function parse(text: string): unknown {
  try {
    return parseUntrustedJson(text)
  } catch (cause) {
    return damaged('it is not JSON', cause)
  }
}

function damaged(message: string, cause?: unknown): never {
  throw new SnapshotError('digest', message, cause === undefined ? {} : { cause })
}
