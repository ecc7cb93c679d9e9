/** Reads an answer with several ranges of a file: `multipart/byteranges` (RFC 9110, 14.6). */
import { TransferError } from '../transfer/error.ts'
import type { Answer } from '../transfer/network.ts'
import { readWhole } from '../transfer/receive.ts'
import type { Span } from './source.ts'

/** Maximum bytes of a delimiter and the headers of its part. nginx writes about 120. */
const PART_HEADER_BYTES = 1024

interface Part extends Span {
  bytes: Buffer
}

/**
 * Returns the bytes of each span. Null if the answer lacks one of them, or is malformed: a server that does not support
 * several ranges may send only one, or merge them.
 * @throws TransferError if the body breaks off
 */
export async function readByteRanges(
  { headers, body, discard }: Pick<Answer, 'headers' | 'body' | 'discard'>,
  spans: readonly Span[],
  now: () => Date,
): Promise<Buffer[] | null> {
  const boundary = boundaryOf(headers['content-type'] ?? '')
  if (boundary === null) {
    await discard()
    return null
  }
  const most = spans.reduce((sum, { length }) => sum + length + PART_HEADER_BYTES, PART_HEADER_BYTES)
  let bytes: Buffer
  try {
    bytes = await readWhole(body, most, now)
  } catch (error) {
    if (error instanceof TransferError && error.code === 'too_large') return null
    throw error
  }
  const parts = partsOf(bytes, boundary)
  if (parts === 'cut') throw new TransferError('cut', `${bytes.length} bytes of several ranges`)
  const found = spans.map(({ at, length }) => parts?.find((part) => part.at === at && part.length === length)?.bytes)
  return found.every((part) => part !== undefined) ? found : null
}

/** Returns the boundary of a multipart type; null for another type. */
function boundaryOf(type: string): string | null {
  const [, quoted, token] =
    /^multipart\/byteranges\s*;.*?boundary=(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(type) ?? []
  return quoted ?? token ?? null
}

/** Returns the parts; `cut` if the body ends before its last delimiter, null if it is malformed otherwise. */
function partsOf(bytes: Buffer, boundary: string): Part[] | 'cut' | null {
  const parts: Part[] = []
  const delimiter = `--${boundary}`
  // Text before the first delimiter is ignored.
  let at = bytes.toString('latin1', 0, PART_HEADER_BYTES).indexOf(delimiter)
  if (at < 0) return null
  for (;;) {
    const text = bytes.toString('latin1', at, Math.min(at + PART_HEADER_BYTES, bytes.length))
    if (text.startsWith(`${delimiter}--`)) return parts
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return at + PART_HEADER_BYTES > bytes.length ? 'cut' : null
    if (!text.startsWith(`${delimiter}\r\n`)) return null
    const range = /\r\ncontent-range: *bytes (\d{1,15})-(\d{1,15})\//i.exec(text.slice(0, end + 2))
    const [first, last] = [Number(range?.[1]), Number(range?.[2])]
    if (!(last >= first)) return null
    const from = at + end + 4
    const length = last - first + 1
    const next = from + length
    if (next + 2 + delimiter.length > bytes.length) return 'cut'
    if (bytes.toString('latin1', next, next + 2 + delimiter.length) !== `\r\n${delimiter}`) return null
    parts.push({ at: first, length, bytes: bytes.subarray(from, next) })
    at = next + 2
  }
}
