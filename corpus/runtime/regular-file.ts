/**
 * Opens and reads files by paths that others may have chosen: a link in a pull request or in a copied folder can lead to a
 * device without an end, or to a FIFO without a writer.
 */
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  openSync,
  type ReadStream,
  readSync,
  statSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CodedError } from '../errors/coded-error.ts'

export class FileError extends CodedError<'not_regular' | 'too_large' | 'no_path'> {}

/** Standard input, and process substitution (`<(…)`): the caller of the command opened them, so they may be pipes. */
const INHERITED = /^\/dev\/(?:stdin|fd\/\d+)$/

/** Links to the streams of the process. A rename would replace the link itself. */
const STREAMS = /^\/dev\/(?:std(?:in|out|err)|fd\/\d+)$/

/** Otherwise, opening a FIFO waits for its writer, and reading `/proc/kmsg` for a message. */
const withoutWaiting = () => constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

/** After the first bytes of a file, whose size was stated. */
const CHUNK_BYTES = 64 << 10

interface Stat {
  isFile(): boolean
  isDirectory(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

function assertRegular(path: string, stat: Stat): void {
  if (stat.isFile()) return
  const kind = stat.isDirectory() ? 'folder' : stat.isFIFO() ? 'FIFO' : stat.isSocket() ? 'socket' : 'device'
  throw new FileError('not_regular', `${path} is a ${kind}; use a regular file`)
}

/**
 * A rename onto a device, a FIFO or a socket removes it, for all programs that use it.
 * @throws FileError `not_regular` unless the path is a regular file, a folder, or missing; `no_path` for `-` and empty text
 */
export function assertReplaceable(path: string): void {
  if (path === '-' || path === '') {
    const why = path === '' ? 'the path of the output is empty' : "'-' is no path, and standard output is not supported"
    throw new FileError('no_path', `${why}; state the path of a file or folder (./- for a file with this name)`)
  }
  if (STREAMS.test(path)) {
    throw new FileError(
      'not_regular',
      `${path} is a stream, and the file is renamed when it is complete; use a regular file`,
    )
  }
  const stat = statIfAllowed(path)
  if (stat !== undefined && !stat.isDirectory()) assertRegular(path, stat)
}

/** Undefined for a missing path, and for one that this user cannot read: writing to it gives the error. */
function statIfAllowed(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/**
 * Returns the descriptor of a regular file for reading.
 * @throws FileError `not_regular`, and errors of the system
 */
export function openRegularFile(path: string): number {
  if (INHERITED.test(path)) return openSync(path, 'r')
  // Opening a device can have an effect of its own.
  assertRegular(path, statSync(path))
  const file = openSync(path, withoutWaiting())
  try {
    // The path can lead to another file meanwhile.
    assertRegular(path, fstatSync(file))
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** As `openRegularFile`, without blocking the thread. */
export async function openRegularFileHandle(path: string): Promise<FileHandle> {
  const file = await open(path, withoutWaiting())
  try {
    assertRegular(path, await file.stat())
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Returns the bytes of a regular file, of standard input or of a process substitution. Reads at most `most` bytes,
 * whatever size the system states: that of a file in `/proc` is 0, and a file can grow.
 * @throws FileError, and errors of the system
 */
export function readRegularFile(path: string, most: number): Buffer {
  const file = openRegularFile(path)
  try {
    const { size } = fstatSync(file)
    const chunks: Buffer[] = []
    let length = 0
    while (size <= most && length <= most) {
      // One byte more shows the end of a file with the stated size.
      const chunk = Buffer.allocUnsafe(chunks.length === 0 ? size + 1 : CHUNK_BYTES)
      const got = readSync(file, chunk)
      if (got === 0) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      length += got
      chunks.push(chunk.subarray(0, got))
    }
    throw new FileError('too_large', `${path} is larger than ${sizeText(most)}, the limit`)
  } finally {
    closeSync(file)
  }
}

const sizeText = (bytes: number) => (bytes % (1 << 20) === 0 ? `${bytes >> 20} MiB` : `${bytes} bytes`)

/** Returns a stream of a regular file. @throws as `openRegularFile` */
export const streamRegularFile = (
  path: string,
  options: { start?: number; end?: number; highWaterMark?: number } = {},
): ReadStream => createReadStream(path, { ...options, fd: openRegularFile(path) })
