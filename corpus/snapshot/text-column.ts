/**
 * Many texts in two arrays that all threads share. A million strings cost a message to another thread seconds, and a
 * heap their headers; these cost nothing but their bytes.
 */

import type { Texts } from './kept-texts.ts'

export interface TextColumn {
  /** All texts in UTF-8, one behind the other. */
  bytes: Uint8Array
  /** Where each begins, and where the last ends. */
  at: Float64Array
  /** Those that UTF-8 cannot hold, by their place: half of a surrogate pair is still the text that was given. */
  odd: Map<number, string>
}

export function packTexts(length: number, textOf: (place: number) => string): TextColumn {
  const at = new Float64Array(new SharedArrayBuffer((length + 1) * 8))
  const odd = new Map<number, string>()
  const writer = byteWriter()
  for (let place = 0; place < length; place++) {
    const text = textOf(place)
    if (!text.isWellFormed()) odd.set(place, text)
    writer.write(text)
    at[place + 1] = writer.length()
  }
  return { bytes: writer.shared(), at, odd }
}

/** The texts again, each decoded when it is asked for. */
export function textsIn({ bytes, at, odd }: TextColumn): Texts {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const length = at.length - 1
  return {
    length,
    at(place) {
      if (place >= length) return undefined
      return odd.get(place) ?? buffer.toString('utf8', at[place], at[place + 1])
    },
  }
}

/** Pieces one behind the other. */
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

/** Gathers text of unknown length without ever copying all of it but once. */
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
