/** Many texts in two shared arrays. A million strings take seconds to send to a thread, and heap for their headers. */

import type { Texts } from './stored-texts.ts'

export interface TextColumn {
  bytes: Uint8Array
  /** Start of each text, and the end of the last. */
  at: Float64Array
  /** Texts with lone surrogates by index, because UTF-8 cannot encode them. */
  odd: Map<number, string>
}

export function packTexts(length: number, textOf: (position: number) => string): TextColumn {
  const at = new Float64Array(new SharedArrayBuffer((length + 1) * 8))
  const odd = new Map<number, string>()
  const writer = byteWriter()
  for (let position = 0; position < length; position++) {
    const text = textOf(position)
    if (!text.isWellFormed()) odd.set(position, text)
    writer.write(text)
    at[position + 1] = writer.length()
  }
  return { bytes: writer.shared(), at, odd }
}

export function textsIn({ bytes, at, odd }: TextColumn): Texts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const length = at.length - 1
  return {
    length,
    at(position) {
      if (position >= length) return undefined
      return odd.get(position) ?? buffer.toString('utf8', at[position], at[position + 1])
    },
  }
}

export function sharedBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const bytes = new Uint8Array(new SharedArrayBuffer(length))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

const CHUNK_BYTES = 4 * 1024 * 1024

/** Returns a writer of text of unknown total length. Copies the bytes only once more, at the end. */
function byteWriter() {
  const full: Buffer[] = []
  let fullBytes = 0
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let end = 0
  return {
    length: () => fullBytes + end,
    write(text: string): void {
      // A UTF-16 unit takes at most three bytes of UTF-8.
      const most = text.length * 3
      if (end + most > chunk.length) {
        full.push(chunk.subarray(0, end))
        fullBytes += end
        chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, most))
        end = 0
      }
      end += chunk.write(text, end)
    },
    shared: () => sharedBytes([...full, chunk.subarray(0, end)]),
  }
}
