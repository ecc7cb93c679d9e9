/** Reads feeds with one JSON value per line, of any size. Only one line is in memory. */
import { FeedError } from '../error.ts'
import { parseAnyJson } from '../json.ts'
import { type NamedFile, plainChunks } from './plain-file.ts'

const LINE_FEED = 0x0a

export interface JsonLine {
  /** Counted from 1. */
  number: number
  /** Null when the line is too long. */
  bytes: Buffer | null
}

/** Yields the lines that are not blank, without line ends. `maxBytes` is the maximum length of a line. */
export async function* jsonLines(file: NamedFile, maxBytes: number): AsyncIterable<JsonLine> {
  let number = 1
  let pieces: Buffer[] = []
  let length = 0
  const add = (piece: Buffer) => {
    length += piece.length
    if (length <= maxBytes) pieces.push(piece)
    else pieces = []
  }
  const finish = (): JsonLine => {
    const line = { number, bytes: length > maxBytes ? null : Buffer.concat(pieces) }
    number++
    pieces = []
    length = 0
    return line
  }
  for await (const chunk of plainChunks(file)) {
    let start = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const line = finish()
      if (!isBlank(line)) yield line
    }
    add(chunk.subarray(start))
  }
  const last = finish()
  if (!isBlank(last)) yield last
}

function isBlank({ bytes }: JsonLine): boolean {
  return bytes?.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d) ?? false
}

/**
 * Returns the parsed line. Does not limit nesting.
 * @throws FeedError with the reason
 */
export function parseJsonLine({ bytes }: JsonLine, maxBytes: number): unknown {
  if (bytes === null) throw new FeedError('entry_too_large', `longer than ${maxBytes} bytes, which is the limit`)
  return parseAnyJson(bytes)
}
