/** Opens the files of a `dist` folder. */
import { existsSync, fstatSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { TransferError } from '../transfer/error.ts'
import { type Body, networkError } from '../transfer/request.ts'
import type { Source } from './source.ts'

export function folderSource(folder: string): Source {
  return {
    name: folder,
    isLocal: true,
    open: (path, from, to) => {
      const file = join(folder, ...path.split('/'))
      return openRange(file, () => (existsSync(folder) ? file : folder), from, to)
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
    file = await open(path)
    const { at, size } = within ?? { at: 0, size: fstatSync(file.fd).size }
    if (from > size) throw new TransferError('restart', `the file has only ${size} bytes`)
    return { bytes: chunksOf(file, at + from, at + Math.min(to ?? size, size)), from, discard: () => file!.close() }
  } catch (cause) {
    await file?.close()
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw networkError(cause)
    throw new TransferError('missing', `${lacking()} is missing`, { cause })
  }
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
