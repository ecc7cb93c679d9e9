/** Reads files that may be gzipped (name ends in `.gz`): whole, as a stream, or as JSON. */

import { closeSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { constants, createGunzip, gunzipSync } from 'node:zlib'
import { parseShallowJson } from '../../model/values/json-text.ts'
import { FileError, openRegularFile, readRegularFile, streamRegularFile } from '../../runtime/regular-file.ts'
import { FeedError, type FeedErrorCode } from '../error.ts'
import type { FeedFile } from '../feed.ts'
import { utf8Text } from '../json.ts'

export type NamedFile = Pick<FeedFile, 'path' | 'name'>

const isGzipped = ({ path }: Pick<NamedFile, 'path'>) => path.endsWith('.gz')

/** Returns the plain bytes of a file, at most `maxBytes`. */
export function readPlain(file: NamedFile, maxBytes: number): Buffer {
  const bytes = attempt('file_unreadable', file, () => readRegularFile(file.path, maxBytes))
  if (!isGzipped(file)) return bytes
  return attempt('file_damaged', file, () => gunzipSync(bytes, { maxOutputLength: maxBytes }))
}

/**
 * Returns the bytes of a file with one item, or of a document.
 * @throws FeedError `entry_too_large`, `entry_damaged`
 */
export function readItemFile(path: string, maxBytes: number): Buffer {
  try {
    return readRegularFile(path, maxBytes)
  } catch (cause) {
    if (cause instanceof FileError && cause.code === 'too_large') {
      throw new FeedError('entry_too_large', `more than ${maxBytes} bytes, the limit`, { cause })
    }
    throw new FeedError('entry_damaged', `it cannot be read: ${(cause as Error).message}`, { cause })
  }
}

function attempt<T>(code: FeedErrorCode, { name }: NamedFile, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new FeedError(code, `${name} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/** Large chunks. With Node's 16 and 64 KB, chunk handling took a third of the time of reading NVD's feeds. */
const PIECE_BYTES = 256 << 10

export async function* plainChunks(file: NamedFile): AsyncIterable<Buffer> {
  const bytes = attempt('file_damaged', file, () => streamRegularFile(file.path, { highWaterMark: PIECE_BYTES }))
  // The consumer of the last stream receives the error; the callback is only required.
  const plain = isGzipped(file) ? pipeline(bytes, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined) : bytes
  try {
    yield* plain
  } catch (cause) {
    throw new FeedError('file_damaged', `${file.name} cannot be read: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Yields the text of a file of any size, without a byte order mark.
 * @throws FeedError when it is not UTF-8
 */
export async function* utf8Chunks(file: NamedFile): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(bytes, { stream })
    } catch (cause) {
      throw new FeedError('file_invalid', `${file.name} is not UTF-8`, { cause })
    }
  }
  for await (const chunk of plainChunks(file)) yield decode(chunk, true)
  yield decode(new Uint8Array(), false)
}

/** Bytes read to find the date of a file. */
const HEAD_BYTES = 4096

/**
 * Returns the beginning of a file's plain text, Latin-1; '' for a damaged file. Its name must then have the date, and
 * reading it reports the error.
 */
export function headOf({ path }: Pick<NamedFile, 'path'>): string {
  const bytes = Buffer.alloc(HEAD_BYTES)
  const file = openRegularFile(path)
  try {
    const read = bytes.subarray(0, readSync(file, bytes))
    if (!isGzipped({ path })) return read.toString('latin1')
    return gunzipSync(read, { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1')
  } catch {
    return ''
  } finally {
    closeSync(file)
  }
}

const MAX_FILE_BYTES = 256 << 20

/** Returns the parsed content of a plain or gzipped file. Errors call it `name`. What is nested too deep is null in it. */
export function readJsonFile(path: string, name: string): unknown {
  const bytes = readPlain({ path, name }, MAX_FILE_BYTES)
  const invalid = (what: string, cause?: unknown) => new FeedError('file_invalid', `${name} ${what}`, { cause })
  let text: string
  try {
    // Some publishers write a byte order mark.
    text = utf8Text(bytes)
  } catch (cause) {
    throw invalid('is not UTF-8', cause)
  }
  if (text.trim() === '') throw invalid('is empty')
  try {
    return parseShallowJson(text)
  } catch (cause) {
    throw invalid(`is not JSON: ${(cause as Error).message}`, cause)
  }
}
