/** Reads files from a folder or any web server. This module does not verify content, except in `proven`. */
import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SnapshotError } from '../snapshot/error.ts'
import { POINTER_NAME } from '../snapshot/files/layout.ts'
import type { Stored } from '../snapshot/files/manifest.ts'
import { about, TransferError } from '../transfer/error.ts'
import { noPathHere, pathOfFileUrl } from '../transfer/file-url.ts'
import { watchMinimumRate } from '../transfer/minimum-rate.ts'
import { type NetworkEffects, realNetworkEffects } from '../transfer/network.ts'
import { firstByteOf, get, type LocatedAnswer, networkError, readWhole, withoutPassword } from '../transfer/request.ts'
import { statusError, withRetries } from '../transfer/retry.ts'

/** A byte range of a file. `at` is the offset of its first byte. */
export interface Span {
  at: number
  length: number
}

export interface Files {
  /** Name in error messages, without passwords. */
  name: string
  /** Returns whether the source supports reading parts of files. */
  hasParts(): Promise<boolean>
  /**
   * Returns a complete file of at most `most` bytes. `path` is separated by `/`.
   * @throws SnapshotError `missing` or `digest`
   * @throws TransferError
   */
  whole(path: string, most: number): Promise<Buffer>
  /**
   * Returns a part of a file of `size` bytes, with exactly the requested length.
   * @throws SnapshotError `missing` or `digest`
   * @throws TransferError
   */
  part(path: string, span: Span, size: number): Promise<Buffer>
  /**
   * Verifies a complete file against its digest and returns a source of its parts. For a local folder that is the file
   * itself, otherwise a temporary copy that `close` removes.
   * @throws SnapshotError `missing` or `digest`
   * @throws TransferError
   */
  proven(path: string, file: Stored): Promise<Pick<Files, 'part'>>
  close(): Promise<void>
}

/**
 * Opens a folder's path or a `file://…`, `http://…` or `https://…` address. Without `effects` it creates its own
 * connections.
 * @throws TypeError for other addresses
 */
export function openFiles(address: string | URL, effects?: NetworkEffects): Files {
  const text = String(address)
  if (address === undefined || text === '') throw new TypeError('a reader opens a folder or an address; none was given')
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return folderFiles(resolve(text))
  const url = URL.parse(text)
  // The address may contain a password, so the message does not repeat it.
  if (url === null)
    throw new TypeError('this is no address: in names and passwords, # / ? @ are written as %23 %2F %3F %40')
  if (url.protocol === 'file:') {
    const path = pathOfFileUrl(url)
    if (path !== null) return folderFiles(path)
    throw new TypeError(noPathHere(url))
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`a reader opens a folder, or http:// or https://, not ${url.protocol}//`)
  }
  if (effects) return webFiles(url, effects, async () => {})
  const own = realNetworkEffects()
  return webFiles(url, own.effects, own.close)
}

function closedError(name: string): TransferError {
  return new TransferError('unusable', `the reader of ${name} is closed`)
}

function missing(name: string, path: string, cause: unknown): SnapshotError {
  return new SnapshotError('missing', `${path} is missing in ${name}`, { cause })
}

function tooLong(path: string, most: number, cause?: unknown): SnapshotError {
  return new SnapshotError('digest', `${path} has more than ${most} bytes`, { cause })
}

function folderFiles(folder: string): Files {
  let isClosed = false

  // Opens the file for each read, about 50 µs. Open descriptors for several hundred shards would cost more.
  async function opened<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
    if (isClosed) throw closedError(folder)
    let file: FileHandle
    try {
      file = await open(join(folder, ...path.split('/')))
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw code === 'ENOENT' || code === 'ENOTDIR' ? missing(folder, path, cause) : cause
    }
    try {
      return await use(file)
    } finally {
      await file.close()
    }
  }

  const files: Files = {
    name: folder,
    hasParts: async () => true,
    whole: (path, most) =>
      opened(path, async (file) => {
        const { size } = await file.stat()
        if (size > most) throw tooLong(path, most)
        return file.readFile()
      }),
    part: (path, { at, length }) =>
      opened(path, async (file) => {
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at)
        if (bytesRead !== length) throw new SnapshotError('digest', `${path} ends before ${at + length}`)
        return buffer
      }),
    proven: (path, { sha256, size }) =>
      opened(path, async (file) => {
        const digest = createHash('sha256')
        for await (const chunk of file.createReadStream({ autoClose: false })) digest.update(chunk as Buffer)
        if (digest.digest('hex') !== sha256) throw otherDigest(path, size)
        return files
      }),
    async close() {
      isClosed = true
    },
  }
  return files
}

function otherDigest(path: string, size: number): SnapshotError {
  return new SnapshotError('digest', `${path} does not have the digest it is named by, or not ${size} bytes`)
}

/** Copies of files in a temporary folder, which `remove` deletes. */
interface Copies {
  /**
   * Writes a copy of a file.
   * @throws SnapshotError `digest` if the content differs
   */
  add(path: string, file: Stored, body: AsyncIterable<Uint8Array>): Promise<void>
  files: Files
  remove(): Promise<void>
}

async function makeCopies(): Promise<Copies> {
  const folder = await mkdtemp(join(tmpdir(), 'vulnshelf-reader-'))
  let isRemoved = false
  return {
    files: folderFiles(folder),
    async add(path, { sha256, size }, body) {
      if (isRemoved) throw closedError('this snapshot')
      const to = join(folder, ...path.split('/'))
      await mkdir(dirname(to), { recursive: true })
      const file = await open(to, 'w')
      try {
        const digest = createHash('sha256')
        let bytes = 0
        for await (const chunk of body) {
          bytes += chunk.length
          if (bytes > size) throw otherDigest(path, size)
          digest.update(chunk)
          await file.writeFile(chunk)
        }
        if (digest.digest('hex') !== sha256) throw otherDigest(path, size)
      } finally {
        await file.close()
      }
    },
    remove() {
      isRemoved = true
      return rm(folder, { recursive: true, force: true })
    },
  }
}

/** Maximum concurrent requests. */
const AT_ONCE = 6

function webFiles(url: URL, effects: NetworkEffects, close: () => Promise<void>): Files {
  const { base, credentials } = withoutPassword(url)
  const inTurn = atMost(AT_ONCE)
  const closed = new AbortController()
  let copies: Promise<Copies> | null = null
  let parts: Promise<boolean> | null = null

  /** Requests a file and returns the result of `read` for a 200 or 206 response. */
  function asked<T>(path: string, range: string | null, read: (answer: LocatedAnswer) => Promise<T>): Promise<T> {
    return inTurn(async () => {
      try {
        const attempt = async () => {
          closed.signal.throwIfAborted()
          const answer = await get(effects, new URL(path, base), range === null ? {} : { range }, credentials)
          if (answer.status === 200 || (answer.status === 206 && range !== null)) return read(answer)
          await answer.discard()
          throw statusError(answer, effects.now())
        }
        return await withRetries(effects, attempt, { signal: closed.signal })
      } catch (error) {
        if (error instanceof TransferError && error.code === 'missing') throw missing(base.href, path, error)
        throw about(new URL(path, base).href, error)
      }
    })
  }

  return {
    name: base.href,
    hasParts() {
      // Tests one byte of the smallest file. A failure is not cached, so the next caller retries.
      parts ??= asked(POINTER_NAME, 'bytes=0-0', async (answer) => {
        await answer.discard()
        return answer.status === 206
      }).catch((error: unknown) => {
        parts = null
        throw error
      })
      return parts
    },
    async whole(path, most) {
      try {
        return await asked(path, null, ({ body }) => readWhole(body, most, effects.now))
      } catch (error) {
        throw error instanceof TransferError && error.code === 'too_large' ? tooLong(path, most, error) : error
      }
    },
    part: (path, { at, length }, size) =>
      asked(path, `bytes=${at}-${at + length - 1}`, async ({ status, headers, body, discard }) => {
        // A server may ignore the range and return the complete file.
        const from = status === 200 ? 0 : firstByteOf(headers['content-range'])
        if (from === null || (from !== 0 && from !== at)) {
          await discard()
          throw new TransferError('wrong_body', 'the server gives another part than was asked for')
        }
        const bytes = (await readWhole(body, size - from, effects.now)).subarray(at - from, at - from + length)
        if (bytes.length !== length) throw new TransferError('cut', `${bytes.length} of ${length} bytes`)
        return bytes
      }),
    async proven(path, file) {
      copies ??= makeCopies()
      const { add, files } = await copies
      await asked(path, null, async ({ body }) => add(path, file, whileMoving(body, effects.now)))
      return files
    },
    async close() {
      closed.abort(closedError(base.href))
      await close()
      // If the folder could not be created, the earlier request already threw.
      await (await copies?.catch(() => null))?.remove()
    },
  }
}

/** Passes a body through, with a timeout for slow transfers. Failures become TransferErrors. */
async function* whileMoving(body: AsyncIterable<Uint8Array>, now: () => Date): AsyncIterable<Uint8Array> {
  const arrived = watchMinimumRate(now)
  try {
    for await (const chunk of body) {
      arrived(chunk.length)
      yield chunk
    }
  } catch (cause) {
    throw networkError(cause)
  }
}

/** Limits concurrent work to `most`. The others wait in FIFO order. */
function atMost(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running < most) running++
    else await new Promise<void>((go) => waiting.push(go))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // Passes the slot to the first in the queue.
      if (next) next()
      else running--
    }
  }
}
