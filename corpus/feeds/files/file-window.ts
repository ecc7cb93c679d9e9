/** Positioned reads of a large file, buffered by one moving window. */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegularFile } from '../../runtime/regular-file.ts'
import { FeedError } from '../error.ts'

const WINDOW_BYTES = 1 << 20

/** The buffer of the last closed window, for reuse. Archives are opened once per batch of entries. */
const spare: Buffer[] = []

export interface FileWindow {
  /** Bytes of the file, or of the opened part. */
  readonly size: number
  /**
   * Returns `length` bytes at `position`, valid until the next call.
   * @throws FeedError when the range is beyond the end
   */
  at(position: number, length: number): Buffer
  close(): void
}

/** Opens `path`, or `size` bytes of it from `start`. Positions then count from `start`. */
export function openWindow(path: string, part?: { start: number; size: number }): FileWindow {
  const file = openRegularFile(path)
  const start = part?.start ?? 0
  const size = part?.size ?? fstatSync(file).size
  const window = spare.pop() ?? Buffer.allocUnsafe(WINDOW_BYTES)
  let from = 0
  let filled = 0

  /** Fills `target` from `position`, up to the end of the file. Returns the number of bytes. */
  const fill = (target: Buffer, position: number): number => {
    let done = 0
    while (done < target.length) {
      const got = readSync(file, target, done, target.length - done, start + position + done)
      if (got === 0) break
      done += got
    }
    return done
  }

  return {
    size,
    at(position, length) {
      if (!(position >= 0 && length >= 0 && position + length <= size)) {
        throw new FeedError('file_damaged', `it has ${size} bytes, but refers to ${length} bytes at ${position}`)
      }
      if (length > WINDOW_BYTES) {
        const bytes = Buffer.allocUnsafe(length)
        if (fill(bytes, position) < length) throw new FeedError('file_damaged', 'it became shorter while being read')
        return bytes
      }
      if (position < from || position + length > from + filled) {
        from = position
        filled = fill(window.subarray(0, Math.min(WINDOW_BYTES, size - position)), position)
        if (filled < length) throw new FeedError('file_damaged', 'it became shorter while being read')
      }
      return window.subarray(position - from, position - from + length)
    },
    close() {
      closeSync(file)
      if (spare.length === 0) spare.push(window)
    },
  }
}
