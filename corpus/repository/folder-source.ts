/** Opens the files of a `dist` folder. */
import { existsSync, fstatSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { FileError, openRegularFileHandle } from '../runtime/regular-file.ts'
import { TransferError } from '../transfer/error.ts'
import { type Body, networkError } from '../transfer/request.ts'
import type { Source, Span } from './source.ts'

export function folderSource(folder: string): Source {
  return {
    name: folder,
    isLocal: true,
    open: (path, from, to) => {
      const file = join(folder, ...path.split('/'))
      return openRange(file, () => (existsSync(folder) ? file : folder), from, to)
    },
    readSpans: (path, spans) => {
      const file = join(folder, ...path.split('/'))
      return readSpans(file, () => (existsSync(folder) ? file : folder), spans)
    },
    close: async () => {},
  }
}

const CHUNK_BYTES = 256 * 1024

/**
 * Opens the bytes of a file from `from` up to `to`, or of a range of it: positions then count from the start of `within`.
 * @throws TransferError `missing`, which names what `lacking` returns; `restart` beyond the end; `network`
 */
export async function openRange(
  path: string,
  lacking: () => string,
  from = 0,
  to?: number,
  within?: { at: number; size: number },
): Promise<Body> {
  let file: FileHandle | undefined
  try {
    file = await openRegularFileHandle(path)
    const { at, size } = within ?? { at: 0, size: fstatSync(file.fd).size }
    if (from > size) throw new TransferError('restart', `the file has only ${size} bytes`)
    return { bytes: chunksOf(file, at + from, at + Math.min(to ?? size, size)), from, discard: () => file!.close() }
  } catch (cause) {
    await file?.close()
    throw fileError(cause, lacking)
  }
}

/**
 * Returns several ranges of a file, opened once. As `openRange`.
 * @throws TransferError `cut` if the file is too short
 */
export async function readSpans(
  path: string,
  lacking: () => string,
  spans: readonly Span[],
  offset = 0,
): Promise<Buffer[]> {
  let file: FileHandle | undefined
  try {
    file = await openRegularFileHandle(path)
    const parts: Buffer[] = []
    for (const { at, length } of spans) {
      const part = Buffer.allocUnsafe(length)
      const { bytesRead } = await file.read(part, 0, length, offset + at)
      if (bytesRead !== length) throw new TransferError('cut', `${bytesRead} of ${length} bytes`)
      parts.push(part)
    }
    return parts
  } catch (cause) {
    throw fileError(cause, lacking)
  } finally {
    await file?.close()
  }
}

function fileError(cause: unknown, lacking: () => string): TransferError {
  if (cause instanceof FileError) return new TransferError('unusable', cause.message, { cause })
  const { code } = cause as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return networkError(cause)
  return new TransferError('missing', `${lacking()} is missing`, { cause })
}

async function* chunksOf(file: FileHandle, from: number, to: number): AsyncIterable<Uint8Array> {
  try {
    for (let at = from; at < to; ) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, to - at))
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
      if (bytesRead === 0) return
      yield chunk.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}
