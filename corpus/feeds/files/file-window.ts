/** Positioned reads of a large file, served from one window that moves along with them. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { FeedError } from '../error.ts'

const WINDOW_BYTES = 1 << 20

/** The buffer of a window that is closed, for the next one: archives are opened once for each batch of their entries. */
const spare: Buffer[] = []

export interface FileWindow {
  /** Bytes of the file, or of the part of it that the window was opened on. */
  readonly size: number
  /** `length` bytes from `position`; they stay valid until the next call. Throws `FeedError` beyond the end. */
  at(position: number, length: number): Buffer
  close(): void
}

/** Opens `path`, or the `size` bytes of it from `start`, which then count from 0. */
export function openWindow(path: string, part?: { start: number; size: number }): FileWindow {
  const file = openSync(path, 'r')
  const start = part?.start ?? 0
  const size = part?.size ?? fstatSync(file).size
  const window = spare.pop() ?? Buffer.allocUnsafe(WINDOW_BYTES)
  let from = 0
  let filled = 0

  /** Fills `target` from `position` as far as the file reaches. */
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
        throw new FeedError(
          'file_damaged',
          `it ends at byte ${size}, but ${length} bytes from ${position} are referred to`,
        )
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
