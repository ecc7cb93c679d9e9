/**
 * Reads the members of a list in a JSON file of any size, one at a time, by counting brackets outside of strings. Keeps
 * only the beginning of a member that is too large.
 * A streaming parser builds each member before its size is known, and took three times as long for NVD's feeds.
 */
import { FeedError } from '../error.ts'
import { parseJson } from '../json.ts'

/** Bytes kept of a member that is too large, to find its id. */
const HEAD_BYTES = 512
/** Maximum members of a list. NVD has about 350,000 records in all its files. */
const MAX_MEMBERS = 1 << 20
/** Maximum bytes around the members. A list of a million members leaves 2 MB of zeros and commas. */
const MAX_ENVELOPE = 16 << 20

export interface JsonMember {
  /** Counted from 1. */
  number: number
  /** Its first bytes, Latin-1. */
  head: string
  /** Null when the member is too long. */
  bytes: Buffer | null
}

/**
 * Yields the members of the list `list` in the root object, in file order. Then calls `judge` with that object, which
 * has a 0 in place of each member.
 * @throws FeedError, possibly after some members, when the file is invalid or truncated
 */
export async function* jsonMembers(
  { name, chunks }: { name: string; chunks: AsyncIterable<Buffer> },
  list: string,
  maxBytes: number,
  judge: (envelope: unknown) => void,
): AsyncIterable<JsonMember> {
  const scanner = openScanner(list, maxBytes, (message) => new FeedError('file_invalid', `${name} ${message}`))
  for await (const chunk of chunks) yield* scanner.scan(chunk)
  if (!scanner.isEnded()) throw new FeedError('file_damaged', `${name} ends in the middle of its JSON`)
  let envelope: unknown
  try {
    envelope = parseJson(scanner.envelope())
  } catch (cause) {
    throw new FeedError('file_invalid', `${name} is not JSON: ${(cause as Error).message}`, { cause })
  }
  judge(envelope)
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const isBlank = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
/** 1 for bytes that open or close nothing. */
const IS_PLAIN = new Uint8Array(256).fill(1)
for (const byte of [QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) IS_PLAIN[byte] = 0
const LIST_DEPTH = 2

function openScanner(list: string, maxBytes: number, refusal: (message: string) => FeedError) {
  const opensList = new RegExp(`(?<!\\\\)"${list}"\\s*:\\s*$`)
  let envelope = ''
  let depth = 0
  let hasBegun = false
  let inString = false
  let isEscaped = false
  let inList = false
  let inMember = false
  let number = 0
  let pieces: Buffer[] = []
  let length = 0

  /** Consumes scanned bytes, as part of a member or of the envelope. */
  const take = (piece: Buffer) => {
    if (piece.length === 0) return
    if (inMember) {
      length += piece.length
      if (length <= maxBytes) pieces.push(piece)
      else pieces = [Buffer.from(Buffer.concat([...pieces, piece]).subarray(0, HEAD_BYTES))]
      return
    }
    const text = piece.toString('latin1')
    envelope += inList ? text.replace(/[ \t\r\n]+/g, '') : text
    if (envelope.length > MAX_ENVELOPE) throw refusal(`has more than ${MAX_ENVELOPE} bytes outside its "${list}"`)
  }
  const finish = (): JsonMember => {
    const isLong = length > maxBytes
    const bytes = isLong ? null : Buffer.concat(pieces)
    const head = (isLong ? pieces[0]! : bytes!).toString('latin1', 0, HEAD_BYTES)
    pieces = []
    length = 0
    inMember = false
    if (++number > MAX_MEMBERS) throw refusal(`has more than ${MAX_MEMBERS} members in its "${list}"`)
    return { number, head, bytes }
  }

  return {
    *scan(chunk: Buffer): Iterable<JsonMember> {
      let start = 0
      const passTo = (end: number) => {
        take(chunk.subarray(start, end))
        start = end
      }
      for (let at = 0; at < chunk.length; at++) {
        if (inString) {
          if (isEscaped) {
            isEscaped = false
            continue
          }
          while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at++
          if (at === chunk.length) break
          if (chunk[at] === BACKSLASH) isEscaped = true
          else {
            inString = false
            if (inMember && depth === LIST_DEPTH) {
              passTo(at + 1)
              yield finish()
            }
          }
          continue
        }
        const byte = chunk[at]!
        // Deep in a member only strings and brackets matter.
        if (depth > LIST_DEPTH && IS_PLAIN[byte] === 1) continue
        const closes = byte === CLOSE_LIST || byte === CLOSE_OBJECT
        if (inList && depth === LIST_DEPTH) {
          const isBetween = byte === COMMA || closes || isBlank(byte)
          if (isBetween === inMember) {
            passTo(at)
            if (inMember) yield finish()
            else {
              envelope += '0'
              inMember = true
            }
          }
        }
        if (byte === QUOTE) inString = true
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
          if (depth === LIST_DEPTH - 1 && byte === OPEN_LIST) {
            passTo(at)
            inList = opensList.test(envelope.slice(-list.length - 1000))
            if (inList && number > 0) throw refusal(`has two lists called "${list}"`)
          }
          depth++
          hasBegun = true
        } else if (closes) {
          depth--
          if (inMember && depth === LIST_DEPTH) {
            passTo(at + 1)
            yield finish()
          } else if (inList && depth < LIST_DEPTH) {
            passTo(at)
            inList = false
          }
        }
      }
      passTo(chunk.length)
    },
    /** When no bracket begins the file, the parser reports the error. */
    isEnded: () => depth <= 0 && !inString && (hasBegun || envelope.trim() !== ''),
    envelope: () => Buffer.from(envelope, 'latin1'),
  }
}
