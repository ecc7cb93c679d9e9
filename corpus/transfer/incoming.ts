/**
 * Buffers a response body without loss. A stream discards its buffer when the connection breaks, and those bytes would
 * be downloaded twice.
 */
import type { Readable } from 'node:stream'
import { TransferError } from './error.ts'

/** Maximum buffer while the disk is busy. Then the connection is paused. */
const HELD_BYTES = 1 << 20

export interface Incoming extends AsyncIterable<Uint8Array> {
  /** Stops buffering: other code reads or drops the body. */
  letGo(): void
}

/**
 * Takes the bytes as they come, from now on; the iteration gives all of them before it fails as the stream did, or with
 * `stalled` when none came for `silentMs`.
 */
export function incoming(body: Readable, silentMs: number): Incoming {
  const held: Uint8Array[] = []
  let bytes = 0
  let isOver = false
  let isLetGo = false
  let failure: Error | null = null
  let wake = () => {}
  body.on('data', (chunk: Uint8Array) => {
    if (isLetGo) return
    held.push(chunk)
    bytes += chunk.length
    if (bytes >= HELD_BYTES) body.pause()
    wake()
  })
  body.on('error', (error: Error) => {
    failure = error
  })
  // `close` follows the end, an error, and the last data.
  body.on('close', () => {
    isOver = true
    wake()
  })
  return {
    letGo() {
      isLetGo = true
      held.length = 0
      body.resume()
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const chunk = held.shift()
          if (chunk) {
            bytes -= chunk.length
            if (bytes < HELD_BYTES && body.isPaused()) body.resume()
            yield chunk
          } else if (isOver) {
            if (failure) throw failure
            return
          } else {
            const isSilent = () => body.destroy(new TransferError('stalled', `no bytes for ${silentMs / 1000} s`))
            const timer = setTimeout(isSilent, silentMs)
            await new Promise<void>((resolve) => {
              wake = resolve
            })
            clearTimeout(timer)
          }
        }
      } finally {
        body.destroy()
      }
    },
  }
}
