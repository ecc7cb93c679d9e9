/**
 * A gzip member with its name in FNAME and its segment table in FEXTRA. The decoder trusts nothing. SPEC.md, "Member",
 * defines every byte.
 */

import { crc32, crc32Combine } from '../../runtime/crc32.ts'
import { SHORT_HASH_LENGTH, shortHash } from '../../runtime/digest.ts'
import { MAX_MEMBER_PLAIN, MAX_SEGMENT_PLAIN } from '../bounds.ts'
import { deflateSegment, storedLength, writeStoredBlocks } from '../codec/deflate.ts'
import { SnapshotError } from '../error.ts'

/** A part of a member: literal glue, or a segment that can be extracted. */
export type Part = Uint8Array | { kind: number; count: number; plain: Uint8Array }

/** An entry of the segment table. Offsets count from the first byte of the member. */
export interface Segment {
  readonly kind: number
  /** Number of items in the segment; its kind defines an item. */
  readonly count: number
  readonly offset: number
  readonly length: number
  readonly plainLength: number
  readonly plainCrc: number
  readonly storedCrc: number
  readonly hash: Uint8Array
}

export interface MemberHead {
  key: string
  /** 16-byte digest of the member's source. Equal sources give equal members. */
  source: Uint8Array
  length: number
  /** Length in bytes before the DEFLATE data. */
  headLength: number
  segments: Segment[]
}

/** A decoded member. `bytes` begins at the member and contains at least the requested bytes. */
export interface ReadMember extends MemberHead {
  bytes: Buffer
}

const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0x04 | 0x08, 0, 0, 0, 0, 0, 255) // FEXTRA, FNAME; no time; OS unknown
const GZIP_TRAILER = 8
const SUBFIELD = Uint8Array.of(0x56, 0x53) // 'VS'
const TABLE_VERSION = 1
/** Version, segment count, reserved; member length; source. */
const TABLE_FIXED = 4 + 4 + SHORT_HASH_LENGTH
const TABLE_ENTRY = 24 + SHORT_HASH_LENGTH
const TABLE_CRC = 4
const MAX_KEY = 255
const NO_SOURCE = new Uint8Array(SHORT_HASH_LENGTH)

/** Offset of the segment table in a member: after XLEN and the subfield header. */
const TABLE_AT = GZIP_HEAD.length + 2 + 4

/** Returns the length in bytes of a member's head, given its number of segments and the key length. */
const headLengthOf = (segments: number, keyLength: number): number =>
  TABLE_AT + TABLE_FIXED + segments * TABLE_ENTRY + TABLE_CRC + keyLength + 1

export interface EncodedMember extends MemberHead {
  bytes: Buffer
}

/**
 * Encodes a member. The last part must be glue, which becomes the final block.
 * @throws RangeError when it exceeds a limit of the format
 */
export function encodeMember(key: string, parts: readonly Part[], source: Uint8Array = NO_SOURCE): EncodedMember {
  const name = Buffer.from(key, 'latin1')
  const segmentCount = parts.filter((part) => !(part instanceof Uint8Array)).length
  const tableLength = TABLE_FIXED + segmentCount * TABLE_ENTRY + TABLE_CRC
  const headLength = headLengthOf(segmentCount, name.length)
  if (name.length > MAX_KEY || segmentCount > 255) throw new RangeError(`member ${key} does not fit the format`)
  let plainOfSegments = 0
  for (const part of parts) {
    if (part instanceof Uint8Array) continue
    if (part.plain.length > MAX_SEGMENT_PLAIN) {
      throw new RangeError(`a part of ${key} has ${part.plain.length} bytes, more than a segment can have`)
    }
    plainOfSegments += part.plain.length
  }
  if (plainOfSegments > MAX_MEMBER_PLAIN) {
    throw new RangeError(`the parts of ${key} have ${plainOfSegments} bytes, more than a member can have`)
  }

  const bodies = parts.map((part) => (part instanceof Uint8Array ? part : deflateSegment(part.plain)))
  let length = headLength + GZIP_TRAILER
  for (let i = 0; i < parts.length; i++) {
    length += parts[i] instanceof Uint8Array ? storedLength(bodies[i]!.length) : bodies[i]!.length
  }

  const bytes = Buffer.allocUnsafe(length)
  const segments: Segment[] = []
  let at = headLength
  let lastBlock = at
  let crc = 0
  let plainLength = 0
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!
    const body = bodies[i]!
    lastBlock = at
    if (part instanceof Uint8Array) {
      at = writeStoredBlocks(bytes, at, part)
      crc = crc32Combine(crc, crc32(part), part.length)
      plainLength += part.length
    } else {
      const segment: Segment = {
        kind: part.kind,
        count: part.count,
        offset: at,
        length: body.length,
        plainLength: part.plain.length,
        plainCrc: crc32(part.plain),
        storedCrc: crc32(body),
        hash: shortHash(part.plain),
      }
      segments.push(segment)
      bytes.set(body, at)
      at += body.length
      crc = crc32Combine(crc, segment.plainCrc, segment.plainLength)
      plainLength += segment.plainLength
    }
  }
  const last = parts.at(-1)
  if (!(last instanceof Uint8Array) || last.length > 0xffff)
    throw new RangeError('a member must end in glue of at most 65535 bytes')
  bytes[lastBlock]! |= 1 // BFINAL
  bytes.writeUInt32LE(crc, at)
  bytes.writeUInt32LE(plainLength % 2 ** 32, at + 4)

  bytes.set(GZIP_HEAD, 0)
  bytes.writeUInt16LE(4 + tableLength, GZIP_HEAD.length)
  bytes.set(SUBFIELD, GZIP_HEAD.length + 2)
  bytes.writeUInt16LE(tableLength, GZIP_HEAD.length + 4)
  writeTable(bytes, length, source, segments)
  bytes.set(name, TABLE_AT + tableLength)
  bytes[headLength - 1] = 0
  return { key, source, length, headLength, segments, bytes }
}

function writeTable(bytes: Buffer, length: number, source: Uint8Array, segments: readonly Segment[]): void {
  bytes[TABLE_AT] = TABLE_VERSION
  bytes[TABLE_AT + 1] = segments.length
  bytes.writeUInt16LE(0, TABLE_AT + 2)
  bytes.writeUInt32LE(length, TABLE_AT + 4)
  bytes.set(source, TABLE_AT + 8)
  let at = TABLE_AT + TABLE_FIXED
  for (const segment of segments) {
    bytes.writeUInt32LE(((segment.count << 8) | segment.kind) >>> 0, at)
    bytes.writeUInt32LE(segment.offset, at + 4)
    bytes.writeUInt32LE(segment.length, at + 8)
    bytes.writeUInt32LE(segment.plainLength, at + 12)
    bytes.writeUInt32LE(segment.plainCrc, at + 16)
    bytes.writeUInt32LE(segment.storedCrc, at + 20)
    bytes.set(segment.hash, at + 24)
    at += TABLE_ENTRY
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(TABLE_AT, at)), at)
}

/**
 * A table entry, read in place. Members have seven segments and most answers use two. Plain objects would cost 0.3 µs
 * and 1.5 KB more per member.
 */
class TableLine implements Segment {
  readonly #table: Buffer
  readonly #at: number

  constructor(table: Buffer, at: number) {
    this.#table = table
    this.#at = at
  }

  get kind(): number {
    return this.#table[this.#at]!
  }
  get count(): number {
    return this.#table.readUInt32LE(this.#at) >>> 8
  }
  get offset(): number {
    return this.#table.readUInt32LE(this.#at + 4)
  }
  get length(): number {
    return this.#table.readUInt32LE(this.#at + 8)
  }
  get plainLength(): number {
    return this.#table.readUInt32LE(this.#at + 12)
  }
  get plainCrc(): number {
    return this.#table.readUInt32LE(this.#at + 16)
  }
  get storedCrc(): number {
    return this.#table.readUInt32LE(this.#at + 20)
  }
  get hash(): Uint8Array {
    return this.#table.subarray(this.#at + 24, this.#at + TABLE_ENTRY)
  }
}

/**
 * Decodes the head of the member at `bytes[0]`. Reads only the header, so `bytes` may end after it.
 * @throws SnapshotError `malformed`, `digest` or `unsupported`
 */
export function decodeMemberHead(bytes: Buffer): MemberHead {
  const tableLength = bytes.length >= TABLE_AT ? bytes.readUInt16LE(GZIP_HEAD.length + 4) : 0
  const tableEnd = TABLE_AT + tableLength
  if (
    tableLength < TABLE_FIXED + TABLE_CRC ||
    bytes.length < tableEnd + 1 ||
    !startsWith(bytes, 0, GZIP_HEAD) ||
    bytes.readUInt16LE(GZIP_HEAD.length) !== 4 + tableLength ||
    !startsWith(bytes, GZIP_HEAD.length + 2, SUBFIELD)
  ) {
    throw new SnapshotError('malformed', 'not a member with a segment table')
  }
  const crcAt = tableEnd - TABLE_CRC
  if (crc32(bytes.subarray(TABLE_AT, crcAt)) !== bytes.readUInt32LE(crcAt)) {
    throw new SnapshotError('digest', 'a segment table is damaged')
  }
  if (bytes[TABLE_AT] !== TABLE_VERSION) {
    throw new SnapshotError('unsupported', `segment table version ${bytes[TABLE_AT]} is not supported`)
  }
  const segmentCount = bytes[TABLE_AT + 1]!
  const nameEnd = bytes.indexOf(0, tableEnd)
  if (
    nameEnd < 0 ||
    nameEnd > tableEnd + MAX_KEY ||
    TABLE_FIXED + segmentCount * TABLE_ENTRY + TABLE_CRC !== tableLength
  ) {
    throw new SnapshotError('malformed', 'a segment table does not fit its header')
  }
  const headLength = nameEnd + 1
  const length = bytes.readUInt32LE(TABLE_AT + 4)
  const segments: Segment[] = []
  let plainOfSegments = 0
  let from = headLength
  for (let i = 0, at = TABLE_AT + TABLE_FIXED; i < segmentCount; i++, at += TABLE_ENTRY) {
    const segment = new TableLine(bytes, at)
    const { offset, plainLength } = segment
    const end = offset + segment.length
    if (offset < from || end > length - GZIP_TRAILER) {
      throw new SnapshotError('malformed', 'a segment is outside its member')
    }
    if (plainLength > MAX_SEGMENT_PLAIN) {
      throw new SnapshotError('malformed', `a segment states ${plainLength} bytes; the limit is ${MAX_SEGMENT_PLAIN}`)
    }
    from = end
    plainOfSegments += plainLength
    segments.push(segment)
  }
  if (plainOfSegments > MAX_MEMBER_PLAIN) {
    throw new SnapshotError('malformed', `a member states ${plainOfSegments} bytes; the limit is ${MAX_MEMBER_PLAIN}`)
  }
  return {
    key: bytes.toString('latin1', tableEnd, nameEnd),
    source: bytes.subarray(TABLE_AT + 8, TABLE_AT + 8 + SHORT_HASH_LENGTH),
    length,
    headLength,
    segments,
  }
}

function startsWith(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false
  return true
}
